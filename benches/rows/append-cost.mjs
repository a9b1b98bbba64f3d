// What a durable append costs above the least that a durable write can be, and whether it grows with the session.

import { NAMES } from '../goals.mjs';
import { SESSION, makeEntries } from '../payload.mjs';
import { WARM_UP_ROUNDS, interleave } from '../measure.mjs';
import { BarePut } from '../peers/bare-put.mjs';
import { TurnlogStore, exportOf } from '../peers/turnlog-store.mjs';

const SIZES = [100, 1_000, 10_000, 100_000];
/** The two that growth is told by. */
const [SHORT, LONG] = [1_000, 100_000];
/** Sessions up to this size are set anew before each sample, since the appends would make them much longer. */
const RESET_UP_TO = 1_000;
/** Appends in one sample: as many as turnlog's small chunks, which are packed once in that time. */
const WRITES = 64;
/** The candidates take turns within a sample: the browser's own work comes and goes in tenths of a second. */
const SLICES = 8;
const PUT = NAMES.barePut;
const COMMITTED = 'a bare put, commit() at once';

const encoder = new TextEncoder();
const short = (number) => number.toLocaleString('en');
const keyOf = (size, name) => `${size} ${name}`;

async function stores(size, entries) {
  const name = `bench-append-${size}`;
  const first = entries.slice(0, size);
  const turnlog = await new TurnlogStore(name, SESSION).open();
  await turnlog.addAll(await exportOf(SESSION, first));
  const bare = await new BarePut(`${name}-bare`, SESSION).open(name);
  return { turnlog, bare, first };
}

/** The candidates for one size. `more` are entries that no session holds. */
function candidates({ turnlog, bare, first }, more) {
  const bytes = more.map((entry) => encoder.encode(JSON.stringify(entry)));
  const written = { [PUT]: 0, [COMMITTED]: 0, turnlog: 0 };
  const times = async (name, work) => {
    for (let count = 0; count < WRITES / SLICES; count++) await work(written[name]++);
  };
  const put = (name) => ({
    prepare: (slice) => slice === 0 && bare.reset(),
    run: () => times(name, (number) => bare.put(bytes[number], name === COMMITTED)),
  });
  return {
    turnlog: {
      prepare: (slice) => slice === 0 && first.length <= RESET_UP_TO && turnlog.replace(first),
      run: () => times('turnlog', (number) => turnlog.append(more[number])),
    },
    [PUT]: put(PUT),
    [COMMITTED]: put(COMMITTED),
  };
}

export async function appendCostRows({ rounds }) {
  const entries = makeEntries(SIZES.at(-1));
  const more = makeEntries(WRITES * (rounds + WARM_UP_ROUNDS), 2);
  const opened = [];
  for (const size of SIZES) opened.push(await stores(size, entries));
  // The browser tidies its files for a while after so many writes, at the cost of whoever comes next.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const groups = opened.map((group) => candidates(group, more));
  const named = groups.flatMap((group, at) =>
    Object.entries(group).map(([name, candidate]) => [keyOf(SIZES[at], name), candidate]),
  );
  const options = { rounds, operations: WRITES / SLICES, slices: SLICES };
  const measured = await interleave(Object.fromEntries(named), options);
  for (const { turnlog, bare } of opened) {
    await turnlog.close();
    bare.close();
  }
  const of = (size, name) => measured[keyOf(size, name)];
  const rows = SIZES.map((size) => ({
    id: 'durable-append',
    size,
    way: 'cost',
    what: `durable append of one entry to ${short(size)}, beside the least that a durable write can be`,
    values: { turnlog: of(size, 'turnlog') },
    limits: { [PUT]: of(size, PUT), [COMMITTED]: of(size, COMMITTED) },
  }));
  const what = `durable append of one entry to ${short(LONG)}, beside one to fewer`;
  return [...rows, { id: 'growth-durable', size: LONG, what, values: { turnlog: of(LONG, 'turnlog'), [NAMES.shorter]: of(SHORT, 'turnlog') } }];
}
