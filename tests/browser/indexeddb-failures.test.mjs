// What a store does when its database fails it: a typed error for each failure, the call undone whole, nothing
// in memory that is not stored, and it works again when it can.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

/** Every method that needs the database, on session `s`: the code each failed with, or 'no error'. */
function codesOfAll() {
  const store = lab.store();
  const lines = `{"format":"turnlog/session","version":1,"sessionId":"s"}\n${JSON.stringify(lab.turn('s', 'x'))}\n`;
  const calls = {
    append: () => store.append('s', lab.turn('s', 'x')),
    get: () => store.get('s'),
    replace: () => store.replace('s', [lab.turn('s', 'x')]),
    clear: () => store.clear('s'),
    getResponseById: () => store.getResponseById('s', 'm0'),
    has: () => store.has('s', 'm0'),
    tail: () => store.tail('s', 1),
    sessions: () => store.sessions(),
    exportSession: () => store.exportSession('s'),
    importSession: () => store.importSession(new TextEncoder().encode(lines)),
    handle: async () => {
      const result = await lab.engine(store).handle(lab.request('s', 'y'));
      if (!result.ok) throw result.error;
    },
  };
  return Promise.all(Object.entries(calls).map(async ([name, call]) => {
    const { name: type, code = 'no error' } = await lab.outcome(call());
    return [name, type === undefined ? code : `${type} ${code}`];
  }));
}

const all = async (page) => Object.fromEntries(await page.evaluate(codesOfAll));

/** `all` with one code for every method. */
const everywhere = (codes, code) => Object.fromEntries(Object.keys(codes).map((name) => [name, code]));

describe('the IndexedDB store whose database', () => {
  const lab = useLab();

  test('is deleted by another tab meanwhile: not in its way, and usable again', async () => {
    const context = await lab.newContext();
    const [page, other] = [await lab.open(context), await lab.open(context)];
    await page.evaluate(() => lab.store().append('s', lab.turn('s', 'a')));
    await other.evaluate(() => lab.deleteDatabase('turnlog'));
    const found = await page.evaluate(async () => ({
      get: await lab.store().get('s'),
      append: await lab.store().append('s', lab.turn('s', 'a')),
      ids: await lab.ids(lab.store(), 's'),
    }));
    assert.deepEqual(found, { get: [], append: 'inserted', ids: ['a'] });
    assert.deepEqual(await other.evaluate(() => lab.ids(lab.store(), 's')), ['a']);
  });

  test('is deleted in the middle of writes: every call settles, what is there afterwards was acknowledged', async () => {
    const context = await lab.newContext();
    const [page, other] = [await lab.open(context), await lab.open(context)];
    const writing = page.evaluate(async () => {
      const acknowledged = [];
      for (let number = 0; number < 300; number += 1) {
        const { value, code } = await lab.outcome(lab.store().append('s', lab.turn('s', `m${number}`)));
        acknowledged.push(value ?? code);
      }
      return { acknowledged, ids: await lab.ids(lab.store(), 's') };
    });
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      await other.evaluate(() => lab.deleteDatabase('turnlog'));
    }
    const { acknowledged, ids } = await writing;
    assert.deepEqual(new Set(acknowledged), new Set(['inserted']), 'a write that could not begin was tried again');
    const numbers = ids.map((id) => Number(id.slice(1)));
    assert.deepEqual(numbers, Array.from(numbers, (_, index) => 300 - numbers.length + index), 'an unbroken end of what was written');
  });

  test('is cleared by the browser while open (eviction, “clear site data”): usable again', async () => {
    const page = await lab.fresh();
    await page.evaluate(() => lab.store().append('s', lab.turn('s', 'a')));
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Storage.clearDataForOrigin', { origin: lab.origin, storageTypes: 'indexeddb' });
    const found = await page.evaluate(async () => [await lab.store().append('s', lab.turn('s', 'b')), await lab.ids(lab.store(), 's')]);
    assert.deepEqual(found, ['inserted', ['b']]);
  });

  test('belongs to something else: corrupt, and untouched', async () => {
    const page = await lab.fresh();
    const dump = () => page.evaluate(() => lab.dump('turnlog'));
    await page.evaluate(async () => {
      const database = await lab.openDatabase('turnlog', 1, (fresh) => fresh.createObjectStore('things').put('mine', 'key'));
      database.close();
    });
    const before = await dump();
    const codes = await all(page);
    assert.deepEqual(codes, everywhere(codes, 'StoreError corrupt'));
    assert.deepEqual(await dump(), before);
    assert.deepEqual(before, { version: 1, things: [['"key"', '"mine"']] });
  });

  test('has a higher version, from the start or by an upgrade in another tab: version_too_new, and untouched', async () => {
    const context = await lab.newContext();
    const [page, other] = [await lab.open(context), await lab.open(context)];
    await page.evaluate(() => lab.store().append('s', lab.turn('s', 'a')));
    const stored = await other.evaluate(async () => {
      const before = await lab.dump('turnlog');
      (await lab.openDatabase('turnlog', 7)).close();
      return before;
    });
    for (const tab of [page, other]) {
      const codes = await all(tab);
      assert.deepEqual(codes, everywhere(codes, 'StoreError version_too_new'));
    }
    assert.deepEqual(await other.evaluate(() => lab.dump('turnlog')), { ...stored, version: 7 });
  });

  test('was closed with close(): closed, also for calls under way or later', async () => {
    const page = await lab.fresh();
    const settled = await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'a'));
      const underWay = [lab.store().append('s', lab.turn('s', 'b')), lab.store().get('s'), lab.store().tail('t', 1)];
      await lab.store().close();
      const outcomes = await Promise.all(underWay.map(lab.outcome));
      await lab.store().close();
      return outcomes.map(({ code = 'done' }) => code);
    });
    assert.ok(settled.every((code) => code === 'done' || code === 'closed'), settled.join());
    const after = await all(page);
    assert.deepEqual(after, everywhere(after, 'StoreError closed'));
    const ids = await page.evaluate(() => lab.ids(lab.createIndexedDbStore(), 's'));
    assert.deepEqual(ids, settled[0] === 'done' ? ['a', 'b'] : ['a'], 'what was refused was not written');
  });

  test('cannot be: no IndexedDB here is unavailable', async () => {
    const page = await lab.fresh(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
    const codes = await all(page);
    assert.deepEqual(codes, everywhere(codes, 'StoreError unavailable'));
  });
});
