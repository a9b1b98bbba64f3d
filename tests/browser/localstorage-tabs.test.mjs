// Two tabs on one localStorage: no entry lost, none twice in what is read, one order for all, and notices of changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

const both = (tabs, run) => Promise.all(tabs.map((tab, index) => tab.evaluate(run, index)));

/** localStorage goes from tab to tab by way of the browser, which takes its time. */
const arrived = () => new Promise((resolve) => setTimeout(resolve, 300));

const makeStore = () => {
  globalThis.store = lab.createLocalStorageStore();
};

/** The session as each tab sees it, and as a store that never saw it before reads it. */
async function seenByAll(tabs, session) {
  await arrived();
  const lists = await Promise.all(tabs.map((tab) => tab.evaluate((id) => lab.ids(store, id), session)));
  const fresh = await tabs[0].evaluate((id) => lab.ids(lab.createLocalStorageStore(), id), session);
  for (const list of lists) assert.deepEqual(list, fresh, 'all readers see one list in one order');
  return fresh;
}

function assertOrderOfEach(ids, count) {
  for (const tab of [0, 1]) {
    const own = ids.filter((id) => id.startsWith(`tab ${tab} `));
    assert.deepEqual(
      own,
      Array.from({ length: count }, (_, index) => `tab ${tab} ${index}`),
    );
  }
}

describe('two tabs on one localStorage', () => {
  const lab = useLab();
  const openTwo = async (script) => {
    const context = await lab.newContext();
    const tabs = [await lab.open(context, script), await lab.open(context, script)];
    await both(tabs, makeStore);
    return tabs;
  };

  const withoutLocks = () => Object.defineProperty(navigator, 'locks', { value: undefined });

  for (const [how, script] of [
    ['with Web Locks', undefined],
    ['without', withoutLocks],
  ]) {
    test(`200 appends each, one after another, ${how}: 400 entries, none twice, each tab's order kept`, async () => {
      const tabs = await openTwo(script);
      await both(tabs, async (tab) => {
        for (const entry of lab.turns('s', 200, `tab ${tab} `)) {
          const outcome = await store.append('s', entry);
          if (outcome !== 'inserted') throw new Error(`${entry.input.id} was ${outcome}`);
        }
      });
      const ids = await seenByAll(tabs, 's');
      assert.deepEqual([ids.length, new Set(ids).size], [400, 400]);
      assertOrderOfEach(ids, 200);
    });

    test(`200 appends each, all at once, ${how}: 400 entries, each tab's order kept`, async () => {
      const tabs = await openTwo(script);
      const outcomes = await both(tabs, (tab) =>
        Promise.all(lab.turns('s', 200, `tab ${tab} `).map((entry) => store.append('s', entry))),
      );
      assert.deepEqual(new Set(outcomes.flat()), new Set(['inserted']));
      const ids = await seenByAll(tabs, 's');
      assert.deepEqual([ids.length, new Set(ids).size], [400, 400]);
      assertOrderOfEach(ids, 200);
    });

    test(`the same ids from both, ${how}: each is read once, and who was told 'deduped' is not who is read`, async () => {
      const tabs = await openTwo(script);
      const outcomes = await both(tabs, async (tab) => {
        const found = {};
        for (const entry of lab.turns('s', 60))
          found[entry.input.id] = await store.append('s', { ...entry, metadata: tab });
        return found;
      });
      assert.equal((await seenByAll(tabs, 's')).length, 60);
      for (const { input, metadata } of await tabs[0].evaluate(() => store.get('s'))) {
        assert.equal(outcomes[metadata][input.id], 'inserted');
      }
    });
  }

  test('an entry of the same id that comes late and sorts first is the one that counts, and the writer is told', async () => {
    const page = await lab.fresh();
    await page.evaluate(makeStore);
    const found = await page.evaluate(async () => {
      await store.append('s', lab.turn('s', 'a'));
      const appended = store.append('s', lab.turn('s', 'b'));
      // As it looks when another tab wrote at the same moment: its key arrives between our write and its end.
      const key = () => Object.keys(localStorage).find((name) => localStorage.getItem(name).includes('"b"'));
      while (key() === undefined) await navigator.locks.query();
      const other = key().replace(/[0-9a-z]{8}$/u, '00000000');
      localStorage.setItem(other, JSON.stringify(lab.turn('s', 'b', { from: 'elsewhere' })));
      return { outcome: await appended, entries: await store.get('s'), keys: Object.keys(localStorage).length };
    });
    assert.equal(found.outcome, 'deduped');
    assert.deepEqual(
      found.entries.map(({ input, output }) => [input.id, output.from]),
      [
        ['a', undefined],
        ['b', 'elsewhere'],
      ],
    );
    assert.equal(found.keys, 3, 'two entries and the version: the loser took its own key back');
  });

  test('appends against replace and clear: as if one after another', async () => {
    const tabs = await openTwo();
    await Promise.all([
      tabs[0].evaluate(async () => {
        for (const entry of lab.turns('s', 150, 'appended ')) {
          const outcome = await store.append('s', entry);
          if (outcome !== 'inserted') throw new Error(`${entry.input.id} was ${outcome}`);
        }
      }),
      tabs[1].evaluate(async () => {
        for (let round = 0; round < 25; round += 1) {
          await store.replace('s', lab.turns('s', 5, `round ${round}, `));
          const ids = await lab.ids(store, 's');
          const wanted = Array.from({ length: 5 }, (_, index) => `round ${round}, ${index}`);
          const [begin, rest] = [ids.slice(0, 5), ids.slice(5)];
          if (begin.join('|') !== wanted.join('|')) throw new Error(`after replace ${round}: ${ids}`);
          if (!rest.every((id) => id.startsWith('appended '))) throw new Error(`behind replace ${round}: ${rest}`);
          if (round % 5 === 4) await store.clear('s');
        }
      }),
    ]);
    const ids = await seenByAll(tabs, 's');
    const numbers = ids.map((id) => Number(/^appended (\d+)$/u.exec(id)?.[1]));
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, index) => 150 - numbers.length + index),
    );
    await tabs[0].evaluate(() => store.append('s', lab.turn('s', 'last')));
    assert.deepEqual(await seenByAll(tabs, 's'), [...ids, 'last']);
  });

  test('a reader in the other tab sees the old list or the new one during a replace', async () => {
    const tabs = await openTwo();
    await tabs[0].evaluate(() => store.replace('s', lab.turns('s', 40, 'old')));
    await arrived();
    const [seen] = await Promise.all([
      tabs[1].evaluate(async () => {
        const lists = new Set();
        for (let look = 0; look < 400; look += 1) {
          lists.add((await lab.ids(store, 's')).join());
          await navigator.locks.query();
        }
        return [...lists];
      }),
      tabs[0].evaluate(async () => {
        for (let round = 0; round < 40; round += 1) {
          await store.replace('s', lab.turns('s', 40, round % 2 === 0 ? 'new' : 'old'));
        }
      }),
    ]);
    const whole = ['old', 'new'].map((prefix) => Array.from({ length: 40 }, (_, index) => `${prefix}${index}`).join());
    assert.deepEqual(
      seen.filter((list) => !whole.includes(list)),
      [],
    );
    assert.equal(seen.length, 2);
  });

  test('a tab that keeps the lock holds nobody up for longer than about a second', async () => {
    const tabs = await openTwo();
    await tabs[0].evaluate(() => {
      globalThis.held = navigator.locks
        .request('turnlog/turnlog/s', () => new Promise(() => {}))
        .catch((error) => error.name);
    });
    const times = await tabs[1].evaluate(async () => {
      const found = [];
      for (const id of ['a', 'b']) {
        const begin = performance.now();
        await store.append('s', lab.turn('s', id));
        found.push(performance.now() - begin);
      }
      return found;
    });
    assert.ok(times[0] > 900 && times[0] < 3_000, `${times[0]} ms`);
    assert.ok(times[1] < 900, `the lock was taken away from it: ${times[1]} ms`);
    assert.equal(await tabs[0].evaluate(() => globalThis.held), 'AbortError');
    assert.deepEqual(await seenByAll(tabs, 's'), ['a', 'b']);
  });
});

describe('change notices of the localStorage store', () => {
  const lab = useLab();

  test('a change is told once in its own tab and once in the other, in order, when it can be read there', async () => {
    const context = await lab.newContext();
    const [own, other] = [await lab.open(context), await lab.open(context)];
    const listen = () => {
      globalThis.changes = [];
      globalThis.store = lab.createLocalStorageStore({
        onChange: async (change) => {
          const seen = { ...change };
          globalThis.changes.push(seen);
          seen.ids = await lab.ids(store, change.sessionId);
        },
      });
      // Of another prefix, and so not concerned; and of this one, in the same page.
      globalThis.apart = [];
      lab.createLocalStorageStore({ prefix: 'else', onChange: (change) => apart.push(change) });
      globalThis.beside = [];
      lab.createLocalStorageStore({ onChange: (change) => beside.push(change) });
    };
    await Promise.all([own.evaluate(listen), other.evaluate(listen)]);
    await own.evaluate(async () => {
      await store.append('s', lab.turn('s', 'a'));
      await store.append('s', lab.turn('s', 'a'));
      await lab.engine(store, { maxEntries: 2 }).handle(lab.request('s', 'b'));
      await lab.engine(store, { maxEntries: 2 }).handle(lab.request('s', 'b'));
      await lab.engine(store, { maxEntries: 2 }).handle(lab.request('s', 'c'));
      await store.append('quiet/%:', lab.turn('quiet/%:', 'x'));
      const memory = lab.createInMemoryStore();
      for (const entry of lab.turns('imported', 5)) await memory.append('imported', entry);
      await store.importSession(await memory.exportSession('imported'));
      await store.replace('s', lab.turns('s', 3, 'r'));
      await store.clear('s');
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    const told = [
      ['s', 'append'],
      ['s', 'append'],
      ['s', 'append'],
      ['quiet/%:', 'append'],
      ['imported', 'append'],
      ['s', 'replace'],
      ['s', 'clear'],
    ];
    const shown = (changes) => changes.map(({ sessionId, kind }) => [sessionId, kind]);
    for (const [tab, local] of [
      [own, true],
      [other, false],
    ]) {
      const { changes, beside, apart } = await tab.evaluate(() => ({ changes, beside, apart }));
      assert.deepEqual(shown(changes), told);
      assert.ok(changes.every((change) => change.local === local));
      assert.equal(changes[4].ids.length, 5, 'the whole import is there when it is told');
      assert.deepEqual(changes.at(-1).ids, []);
      assert.deepEqual(shown(beside), told);
      assert.ok(beside.every((change) => change.local === false));
      assert.deepEqual(apart, []);
    }
    const ids = await own.evaluate(() => globalThis.changes.map((change) => change.ids));
    assert.deepEqual(ids.slice(0, 3), [['a'], ['a', 'b'], ['b', 'c']]);
  });
});
