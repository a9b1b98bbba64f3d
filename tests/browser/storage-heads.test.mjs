// Writers who do not know the newest head: their numbers tell them so, whatever became of the rows they knew.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useFaults } from './storage-harness.mjs';

describe('a writer of the IndexedDB store', () => {
  const lab = useFaults();

  /** A page with two stores on one database, each with a memory of its own, and the rows of the session `s`. */
  async function twoStores() {
    const page = await lab.freshTab();
    await page.evaluate(async () => {
      [globalThis.a, globalThis.b] = [lab.createIndexedDbStore(), lab.createIndexedDbStore()];
      globalThis.add = async (store, ...ids) => {
        for (const id of ids) {
          if ((await store.append('s', lab.turn('s', id))) !== 'inserted') throw new Error(id);
        }
      };
      globalThis.rows = async () => (await lab.dump('turnlog')).heads.map(([key]) => JSON.parse(key)[1]);
      globalThis.fresh = async () => {
        const store = lab.createIndexedDbStore();
        const found = { ids: await lab.ids(store, 's'), damaged: await store.damaged(), sessions: (await store.sessions()).length };
        await store.close();
        return found;
      };
    });
    return page;
  }
  const some = Array.from({ length: 12 }, (_, number) => `b${number}`);

  test('whose number is taken, or deleted already, writes behind what it had not seen', async () => {
    const page = await twoStores();
    const found = await page.evaluate(async (ids) => {
      await add(a, 'a0');
      await add(b, ids[0]);
      await add(a, 'a1');
      // Enough for the rows that `a` knows to be deleted.
      await add(b, ...ids.slice(1));
      const before = await rows();
      await add(a, 'a2');
      await add(b, 'b12');
      return { before, ...(await fresh()) };
    }, some);
    assert.ok(found.before[0] > 2, `${found.before}`);
    const ids = ['a0', some[0], 'a1', ...some.slice(1), 'a2', 'b12'];
    assert.deepEqual(found, { before: found.before, ids, damaged: [], sessions: 1 });
  });

  test('brings nothing back of a session that another one cleared', async () => {
    const page = await twoStores();
    const found = await page.evaluate(async (ids) => {
      await add(a, 'a0', 'a1');
      await add(b, ...ids);
      await b.clear('s');
      const cleared = await fresh();
      await add(a, 'a2');
      return { cleared, after: await fresh() };
    }, some);
    assert.deepEqual(found.cleared, { ids: [], damaged: [], sessions: 0 });
    assert.deepEqual(found.after, { ids: ['a2'], damaged: [], sessions: 1 });
  });

  test('leaves few rows behind, and of a cleared session none in the end', async () => {
    const page = await twoStores();
    const found = await page.evaluate(async (ids) => {
      await b.clear('s');
      const never = (await rows()).length;
      await add(a, ...ids);
      await add(a, ...ids.map((id) => `more ${id}`));
      const many = (await rows()).length;
      await a.clear('s');
      const cleared = (await rows()).length;
      const now = Date.now;
      Date.now = () => now() + 8 * 86_400_000;
      await b.sessions();
      const swept = (await rows()).length;
      await add(a, 'late');
      return { never, many, cleared, swept, ...(await fresh()) };
    }, some);
    assert.ok(found.many <= 10, `${found.many} rows`);
    assert.deepEqual(found, { never: 0, many: found.many, cleared: 1, swept: 0, ids: ['late'], damaged: [], sessions: 1 });
  });
});
