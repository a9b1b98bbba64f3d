// What the bench says of its numbers: the best peer, the ratio, and whether a goal holds. No test depends on a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMES, goalsOf, inWords } from '../../benches/goals.mjs';
import { inOrder } from '../../benches/groups.mjs';
import { judged } from '../../benches/judge.mjs';
import { markdown } from '../../benches/report.mjs';

const times = (median) => ({ median, low: median - 1, high: median + 1, samples: 3 });
const payload = { entries: 1, bytesPerEntry: 2_000, nonAsciiShare: 0.1 };
const machine = { browser: 'Chromium 1', cpu: 'a CPU' };

test('a row has the fields of the data, ours beside the best peer', () => {
  const row = judged({ id: 'cold-body', size: 10_000, what: 'w', values: { turnlog: times(10), slow: times(500), quick: times(99) } });
  const { id, size, unit, ours, best, ratio, goal, holds, peers } = row;
  assert.deepEqual({ id, size, unit, ours, best, ratio, goal, holds }, {
    id: 'cold-body',
    size: 10_000,
    unit: 'µs',
    ours: 10,
    best: { name: 'quick', value: 99 },
    ratio: 9.9,
    goal: '≥ 10',
    holds: false,
  });
  assert.deepEqual(peers.map(({ name }) => name), ['quick', 'slow']);
  assert.deepEqual(peers[0], { name: 'quick', value: 99, low: 98, high: 100, samples: 3, ratio: 9.9 });
});

test('a goal about a peer or a limit is told by that one, and a limit is no peer', () => {
  const { byHand, zod, barePut } = NAMES;
  const append = (hand) => judged({ id: 'append-entry', size: 100, what: 'w', values: { turnlog: 11, [byHand]: hand, [zod]: 22 } });
  assert.equal(append(10).holds, true);
  assert.equal(append(9.9).holds, false);
  const durable = (ours) => judged({ id: 'durable-append', size: 100, way: 'cost', what: 'w', values: { turnlog: ours }, limits: { [barePut]: 10 } });
  assert.deepEqual([durable(15).holds, durable(15.1).holds], [true, false]);
  assert.deepEqual([durable(15).best, durable(15).ratio, durable(15).limits[0].timesAbove], [null, null, 1.5]);
});

test('a goal of one size or way says nothing of others', () => {
  assert.equal(judged({ id: 'cold-body', size: 1_000, what: 'w', values: { turnlog: 1, other: 1 } }).holds, null);
  assert.deepEqual(goalsOf({ id: 'size-all', way: 'raw' }), []);
  assert.equal(goalsOf({ id: 'size-all', way: 'gzip' }).map(inWords).join(), '≤ 76,800');
});

test('what was not measured does not hold, and a goal about it is an error', () => {
  const history = judged({ id: 'size-history', way: 'gzip', what: 'w', unit: 'bytes', values: { turnlog: null, dexie: 1 } });
  assert.deepEqual([history.ours, history.ratio, history.holds], [null, null, false]);
  assert.throws(() => judged({ id: 'append-event', size: 100, what: 'w', values: { turnlog: 1 } }), /by hand, which was not measured/);
  assert.throws(() => judged({ id: 'cut', what: 'w', values: { other: 1 } }), /nothing of turnlog's/);
});

test('nothing lost is no ratio', () => {
  const { ours, ratio, holds } = judged({ id: 'two-pages', size: 400, what: 'w', unit: 'entries', values: { turnlog: 0, other: 0, worse: 3 } });
  assert.deepEqual([ours, ratio, holds], [0, null, true]);
});

test('the table has a line for each of the others', () => {
  const rows = [
    judged({ id: 'cold-body', size: 10_000, what: 'cold', values: { turnlog: times(2_000), quick: times(8_000) }, limits: { copy: times(500) }, note: 'Said.' }),
    judged({ id: 'two-pages', size: 400, what: 'pages', unit: 'entries', values: { turnlog: 0, other: 3 } }),
  ];
  const lines = markdown({ rows, payload, machine }).split('\n');
  assert.deepEqual(lines.slice(2, 6), [
    '| cold | 2.00 ms (2.00–2.00) | **quick** | 8.00 ms (8.00–8.00) | 4.00 | ≥ 10 (missed) |',
    '|  |  | limit: copy | 500 µs (499–501) | 1 ÷ 4.00 |  |',
    '| pages | 0 entries | **other** | 3 entries |  | ≤ 0 |',
    '',
  ]);
  assert.equal(lines.at(-1), '- Said.');
});

test('groups run in one order, and a name that is none is refused', () => {
  assert.deepEqual(inOrder(['storage', 'append']), ['append', 'storage']);
  assert.throws(() => inOrder(['apend']), /no group "apend"/);
});
