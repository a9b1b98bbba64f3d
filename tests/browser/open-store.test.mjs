// openStore: which store it gives where, why, and that what an earlier, lesser one kept is moved into IndexedDB.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

const noDatabase = () => Object.defineProperty(globalThis, 'indexedDB', { value: undefined });
const brokenDatabase = () => {
  IDBFactory.prototype.open = () => {
    throw new DOMException('Internal error opening backing store', 'UnknownError');
  };
};
const noLocalStorage = () =>
  Object.defineProperty(globalThis, 'localStorage', {
    get: () => {
      throw new DOMException('denied', 'SecurityError');
    },
  });
const all = (...scripts) => scripts.map((script) => `(${script})();`).join('\n');

/** What opening came to; the store works, whatever it is. */
async function open(options) {
  const changes = [];
  const outcome = await lab.outcome(lab.openStore({ ...options, onChange: (change) => changes.push(change.kind) }));
  if (outcome.value === undefined) return { code: outcome.code };
  const store = outcome.value;
  const appended = await store.append('s', lab.turn('s', crypto.randomUUID()));
  const { kind, reason, migrated } = store;
  const { length } = await store.get('s');
  await store.close();
  return { kind, reason: reason && `${reason.name} ${reason.code}`, migrated, appended, length, told: changes.length };
}

describe('openStore', () => {
  const lab = useLab();
  const works = (length) => ({ appended: 'inserted', length, told: 1 });
  const nothingMoved = { sessions: 0, entries: 0 };

  test('gives IndexedDB where that works, and a lesser store only with the reason', async () => {
    const cases = [
      [undefined, { kind: 'indexeddb', reason: undefined, migrated: nothingMoved }],
      [all(noDatabase), { kind: 'localstorage', reason: 'StoreError unavailable', migrated: undefined }],
      [all(brokenDatabase), { kind: 'localstorage', reason: 'StoreError unavailable', migrated: undefined }],
      [all(noLocalStorage), { kind: 'indexeddb', reason: undefined, migrated: nothingMoved }],
      [all(noDatabase, noLocalStorage), { kind: 'memory', reason: 'StoreError unavailable', migrated: undefined }],
      [all(brokenDatabase, noLocalStorage), { kind: 'memory', reason: 'StoreError unavailable', migrated: undefined }],
    ];
    for (const [script, wanted] of cases) {
      const page = await lab.fresh(script);
      assert.deepEqual(await page.evaluate(open), { ...wanted, ...works(1) });
      // Again in the same page: what is kept is kept under the same name.
      assert.deepEqual(await page.evaluate(open), { ...wanted, ...works(wanted.kind === 'memory' ? 1 : 2) });
    }
  });

  test('gives what is preferred, without a reason, and less where that does not work', async () => {
    const page = await lab.fresh();
    const run = (prefer) => page.evaluate(`(${open})({ prefer: '${prefer}', name: 'other' })`);
    assert.deepEqual(await run('localstorage'), {
      kind: 'localstorage',
      reason: undefined,
      migrated: undefined,
      ...works(1),
    });
    assert.deepEqual(await run('memory'), { kind: 'memory', reason: undefined, migrated: undefined, ...works(1) });
    const keys = await page.evaluate(() =>
      Object.keys(localStorage).map((key) => key.split('/').slice(0, 2).join('/')),
    );
    assert.deepEqual(keys.toSorted(), ['other/e', 'other/v'], 'the name is the prefix, and the probe leaves nothing');
    const denied = await lab.fresh(all(noLocalStorage));
    const less = await denied.evaluate(`(${open})({ prefer: 'localstorage' })`);
    assert.deepEqual(less, { kind: 'memory', reason: 'StoreError unavailable', migrated: undefined, ...works(1) });
  });

  test('in a worker it gives IndexedDB, and moves nothing', async () => {
    const page = await lab.fresh();
    const inWorker = (prefer) => page.evaluate((preferred) => lab.inWorker('storeless-worker.mjs', preferred), prefer);
    const { kind, reason, migrated } = await inWorker('indexeddb');
    assert.deepEqual({ kind, reason, migrated }, { kind: 'indexeddb', reason: undefined, migrated: nothingMoved });
    const less = await inWorker('localstorage');
    assert.deepEqual([less.kind, less.reason], ['memory', 'unavailable']);
  });

  test('rejects where data is there that a lesser store would not show', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(`(async () => {
      const open = ${open};
      (await lab.openDatabase('newer', 99)).close();
      const foreign = await lab.openDatabase('foreign', 2, (database) => database.createObjectStore('theirs').put(1, 1));
      foreign.close();
      return [await open({ name: 'newer' }), await open({ name: 'foreign' }), Object.keys(localStorage)];
    })()`);
    assert.deepEqual(found, [{ code: 'version_too_new' }, { code: 'corrupt' }, []]);
  });

  test('a full localStorage is given if it holds sessions, to be read, and not if it holds none', async () => {
    const page = await lab.fresh(all(noDatabase));
    const found = await page.evaluate(
      async () => {
        const first = await lab.openStore();
        await first.append('s', lab.turn('s', 'a'));
        await first.close();
        let size = 5_242_000;
        for (const step of [10_000, 100, 1]) {
          while (lab.fits('others', (size += step)));
          size -= step;
        }
        const results = [];
        for (const name of ['turnlog', 'fresh']) {
          const store = await lab.openStore({ name });
          results.push([
            store.kind,
            store.reason.code,
            await lab.ids(store, 's'),
            (await lab.outcome(store.append('s', lab.turn('s', 'b')))).code,
          ]);
        }
        return results;
      },
      await page.evaluate(() => {
        lab.fits = (key, length) => {
          try {
            localStorage.setItem(key, 'x'.repeat(length));
            return true;
          } catch {
            return false;
          }
        };
        // From what surely fits on.
        lab.fits('others', 5_000_000);
      }),
    );
    assert.deepEqual(found, [
      ['localstorage', 'unavailable', ['a'], 'quota_exceeded'],
      ['memory', 'unavailable', [], undefined],
    ]);
  });

  test('refuses other options, and opens nothing then', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const bad = [
        { prefer: 'opfs' },
        { name: '' },
        { durability: 'eventually' },
        { onChange: 5 },
        { prefer: 'memory', name: 5 },
      ];
      const paths = await Promise.all(
        bad.map((options) => lab.openStore(options).catch(({ name, path }) => `${name} ${path}`)),
      );
      return [paths, (await indexedDB.databases()).length];
    });
    assert.deepEqual(found, [
      ['prefer', 'name', 'durability', 'onChange', 'name'].map((path) => `ValidationError ${path}`),
      0,
    ]);
  });
});

describe('what an earlier, lesser store kept', () => {
  const lab = useLab();

  /** A context in which `s` has 6 entries in IndexedDB, and localStorage the next 6 and one more session. */
  async function withFallback() {
    const context = await lab.newContext();
    const first = await lab.open(context);
    await first.evaluate(async () => {
      const store = await lab.openStore();
      for (const entry of lab.turns('s', 6)) await store.append('s', entry);
      await store.close();
    });
    await first.close();
    const lesser = await lab.open(context, all(noDatabase));
    await lesser.evaluate(async () => {
      const store = await lab.openStore();
      // The last one of before is asked for again.
      for (const entry of lab.turns('s', 12).slice(5)) await store.append('s', entry);
      await store.append('t/1', lab.turn('t/1', 'a'));
      await store.close();
    });
    await lesser.close();
    return context;
  }

  const look = async () => {
    const store = await lab.openStore();
    const found = {
      kind: store.kind,
      migrated: store.migrated,
      s: await lab.ids(store, 's'),
      t: await lab.ids(store, 't/1'),
    };
    await store.close();
    return { ...found, keys: Object.keys(localStorage).filter((key) => key.startsWith('turnlog/e/')).length };
  };

  const ids = (count) => Array.from({ length: count }, (_, index) => `m${index}`);

  test('is moved behind what is in IndexedDB, once', async () => {
    const context = await withFallback();
    const page = await lab.open(context);
    const moved = { kind: 'indexeddb', s: ids(12), t: ['a'], keys: 0 };
    assert.deepEqual(await page.evaluate(look), { ...moved, migrated: { sessions: 2, entries: 7 } });
    assert.deepEqual(await page.evaluate(look), { ...moved, migrated: { sessions: 0, entries: 0 } });
  });

  test('is whole wherever the move is interrupted, and moved at the next opening', async () => {
    // From that step on nothing can be written or deleted any more, as if the tab had been killed.
    const stopAt = (step) => {
      globalThis.steps = 0;
      const stop = (owner, method, applies) => {
        const original = owner.prototype[method];
        owner.prototype[method] = function (...args) {
          if (applies(args) && (globalThis.steps += 1) > step) throw new DOMException('stopped', 'UnknownError');
          return original.apply(this, args);
        };
      };
      for (const method of ['put', 'add']) stop(IDBObjectStore, method, () => true);
      stop(Storage, 'removeItem', ([key]) => key.startsWith('turnlog/'));
    };
    let step = 0;
    for (let isOver = false; !isOver; step += 1) {
      const context = await withFallback();
      const stopped = await lab.open(context, `(${stopAt})(${step})`);
      const { steps, error } = await stopped.evaluate(async () => {
        const { value: store } = await lab.outcome(lab.openStore());
        return { steps: globalThis.steps, error: store?.migrated?.error?.code };
      });
      await stopped.close();
      isOver = steps <= step;
      assert.equal(error, isOver ? undefined : 'failed', `stopped at step ${step}`);
      const page = await lab.open(context);
      const { migrated, ...found } = await page.evaluate(look);
      assert.deepEqual(found, { kind: 'indexeddb', s: ids(12), t: ['a'], keys: 0 }, `stopped at step ${step}`);
      assert.ok(migrated.entries <= 7);
      await context.close();
      lab.forget(context);
    }
    // Two sessions are written and eight keys deleted, at least.
    assert.ok(step > 10, `${step} steps`);
  });

  test('stays where it is as long as a tab works on it there', async () => {
    const context = await lab.newContext();
    const lesser = await lab.open(context, all(noDatabase));
    await lesser.evaluate(async () => {
      globalThis.store = await lab.openStore();
      await store.append('s', lab.turn('s', 'm0'));
    });
    const page = await lab.open(context);
    const nothing = { kind: 'indexeddb', s: [], t: [], keys: 1, migrated: { sessions: 0, entries: 0 } };
    assert.deepEqual(await page.evaluate(look), nothing);
    assert.deepEqual(
      await lesser.evaluate(async () => [await store.append('s', lab.turn('s', 'm1')), await lab.ids(store, 's')]),
      ['inserted', ids(2)],
    );
    await lesser.evaluate(() => store.close());
    assert.deepEqual(await page.evaluate(look), {
      ...nothing,
      s: ids(2),
      keys: 0,
      migrated: { sessions: 1, entries: 2 },
    });
  });

  test('is not deleted where IndexedDB has something else of the same id', async () => {
    const context = await withFallback();
    const page = await lab.open(context);
    const found = await page.evaluate(`(async () => {
      const changed = Object.keys(localStorage).find((key) => localStorage.getItem(key).includes('"m5"'));
      localStorage.setItem(changed, localStorage.getItem(changed).replace('answered m5', 'another answer'));
      const first = await (${look})();
      return { first, again: await (${look})(), left: localStorage.getItem(changed).includes('another answer') };
    })()`);
    const kept = { kind: 'indexeddb', s: ids(12), t: ['a'], keys: 1 };
    assert.deepEqual(found.first, { ...kept, migrated: { sessions: 2, entries: 7 } });
    assert.deepEqual(found.again, { ...kept, migrated: { sessions: 1, entries: 0 } });
    assert.equal(found.left, true);
  });
});
