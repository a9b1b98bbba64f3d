// localStorage without room: `quota_exceeded` with figures, the call undone whole, and usable afterwards.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('the localStorage store without room', () => {
  const lab = useLab();

  /** A page with two entries in `s`, and all but `room` code units taken by a key of somebody else. */
  async function full(room) {
    const page = await lab.fresh();
    await page.evaluate(async (left) => {
      globalThis.store = lab.createLocalStorageStore();
      for (const entry of lab.turns('s', 2)) await store.append('s', entry);
      globalThis.fill = (units) => {
        localStorage.removeItem('others');
        let size = 4_000_000;
        localStorage.setItem('others', 'x'.repeat(size));
        for (let step = 1_000_000; step >= 1; step = Math.floor(step / 2)) {
          for (;;) {
            try {
              localStorage.setItem('others', 'x'.repeat(size + step));
              size += step;
            } catch {
              break;
            }
          }
        }
        localStorage.setItem('others', 'x'.repeat(size - units));
      };
      fill(left);
      globalThis.dump = () => JSON.stringify(Object.entries({ ...localStorage }).toSorted());
    }, room);
    return page;
  }

  test('append, replace, import and handle fail with figures and change nothing; then it works again', async () => {
    const page = await full(2_000);
    const found = await page.evaluate(async () => {
      const changes = [];
      store.subscribe((change) => changes.push(change.kind));
      const big = 'y'.repeat(900);
      const entries = lab.turns('s', 5, 'big').map((entry) => ({ ...entry, metadata: big }));
      const memory = lab.createInMemoryStore();
      for (const entry of entries) await memory.append('s', entry);
      const lines = await memory.exportSession('s');
      const before = [dump(), JSON.stringify([await store.get('s'), await store.sessions()])];
      const calls = {
        append: () => store.append('s', lab.turn('s', 'big0', { text: big + big })),
        replace: () => store.replace('s', entries),
        import: () => store.importSession(lines),
        elsewhere: () => store.append('unknown', lab.turn('unknown', 'big0', { text: big + big })),
        handle: async () => {
          const result = await lab.engine(store, {}, () => big + big).handle(lab.request('s', 'big0'));
          if (!result.ok) throw result.error;
        },
      };
      const outcomes = {};
      const unchanged = [];
      for (const [name, call] of Object.entries(calls)) {
        outcomes[name] = await lab.outcome(call());
        for (const reader of [store, lab.createLocalStorageStore()]) {
          unchanged.push(
            dump() === before[0] && JSON.stringify([await reader.get('s'), await reader.sessions()]) === before[1],
          );
          unchanged.push(!(await reader.has('s', 'big0')));
        }
      }
      const used = Object.entries({ ...localStorage }).reduce(
        (sum, [key, value]) => sum + key.length + value.length,
        0,
      );
      localStorage.removeItem('others');
      const after = [
        await store.append('s', lab.turn('s', 'big0', { text: big })),
        (await store.importSession(lines)).inserted,
      ];
      return { outcomes, unchanged, changes, used, after, ids: await lab.ids(store, 's') };
    });
    for (const [name, outcome] of Object.entries(found.outcomes)) {
      assert.equal(outcome.code, 'quota_exceeded', `${name}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.name, 'StoreError');
      assert.ok(
        outcome.details.used + outcome.details.needed > 5_242_000,
        `${name}: ${JSON.stringify(outcome.details)}`,
      );
    }
    assert.equal(found.outcomes.append.details.used, found.used, 'what all keys and values of the origin take');
    assert.deepEqual(found.unchanged, Array(20).fill(true));
    assert.deepEqual(found.after, ['inserted', 4]);
    assert.deepEqual(found.ids, ['m0', 'm1', 'big0', 'big1', 'big2', 'big3', 'big4']);
    assert.deepEqual(found.changes, ['append', 'append'], 'what did not happen is not told of');
  });

  test('of appends at once those with room are stored, each call by itself', async () => {
    const page = await full(1_500);
    const found = await page.evaluate(async () => {
      const big = { text: 'y'.repeat(2_000) };
      const entries = [lab.turn('s', 'a'), lab.turn('s', 'b', big), lab.turn('s', 'c'), lab.turn('s', 'd', big)];
      const outcomes = await Promise.all(entries.map((entry) => lab.outcome(store.append('s', entry))));
      return { outcomes: outcomes.map(({ value, code }) => value ?? code), ids: await lab.ids(store, 's') };
    });
    assert.deepEqual(found.outcomes, ['inserted', 'quota_exceeded', 'inserted', 'quota_exceeded']);
    assert.deepEqual(found.ids, ['m0', 'm1', 'a', 'c']);
  });

  test('clear and a replace that fits in the place of the old list work without room', async () => {
    const page = await full(0);
    const found = await page.evaluate(async () => {
      const codes = [];
      const call = async (promise) => codes.push((await lab.outcome(promise)).code ?? 'done');
      await call(store.append('s', lab.turn('s', 'more')));
      await call(store.replace('s', [lab.turn('s', 'm0'), lab.turn('s', 'x')]));
      const replaced = await lab.ids(store, 's');
      const fresh = await lab.ids(lab.createLocalStorageStore(), 's');
      fill(0);
      await call(store.clear('s'));
      await call(store.clear('unknown'));
      const left = Object.keys(localStorage).filter((key) => key.startsWith('turnlog/e/'));
      return { codes, replaced, fresh, left, ids: await lab.ids(store, 's') };
    });
    assert.deepEqual(found, {
      codes: ['quota_exceeded', 'done', 'done', 'done'],
      replaced: ['m0', 'x'],
      fresh: ['m0', 'x'],
      left: [],
      ids: [],
    });
  });

  test('what is damaged and has no room to be set aside stays where it is, is listed, and the rest is read', async () => {
    const page = await full(0);
    const found = await page.evaluate(async () => {
      const key = Object.keys(localStorage).find((name) => name.startsWith('turnlog/e/'));
      localStorage.setItem(key, '{"kind":');
      fill(0);
      const fresh = lab.createLocalStorageStore();
      const look = async () => [
        await lab.ids(fresh, 's'),
        (await fresh.damaged()).map(({ bytes }) => new TextDecoder().decode(bytes[0])),
      ];
      const first = await look();
      const [stays, stillFull] = [localStorage.getItem(key), await lab.outcome(fresh.append('s', lab.turn('s', 'x')))];
      localStorage.removeItem('others');
      const next = lab.createLocalStorageStore();
      await next.get('s');
      return {
        first,
        stays,
        code: stillFull.code,
        moved: localStorage.getItem(key),
        damage: (await next.damaged()).length,
      };
    });
    assert.deepEqual(found.first[0].length, 1);
    assert.deepEqual(found.first[1], ['{"kind":']);
    assert.deepEqual(
      { ...found, first: 0 },
      { first: 0, stays: '{"kind":', code: 'quota_exceeded', moved: null, damage: 1 },
    );
  });
});
