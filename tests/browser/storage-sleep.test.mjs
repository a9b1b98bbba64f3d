// Pages that the browser itself freezes, or keeps in its back/forward cache: nobody else waits for them, and they go on
// as if nothing had been. (storage-page-life.test.mjs plays those turns by hand, at the worst moments.)
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freeze, isReady, startSleepers } from './sleeping-pages.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Begins two writers, and lets them go on until `globalThis.isWriting` is false; they note what was acknowledged. */
function beginWriting() {
  globalThis.isWriting = true;
  globalThis.acknowledged = [];
  globalThis.failures = [];
  const write = async (writer) => {
    for (let number = 0; globalThis.isWriting; number += 1) {
      const id = `${writer}${number}`;
      const { code } = await lab.outcome(lab.store().append('s', lab.turn('s', id)));
      if (code === undefined) acknowledged.push(id);
      else failures.push(`${id}: ${code}`);
    }
  };
  globalThis.writing = Promise.all([write('x'), write('y')]);
}

async function endWriting() {
  globalThis.isWriting = false;
  await globalThis.writing;
  const fresh = lab.createIndexedDbStore();
  const ids = await lab.ids(fresh, 's');
  await fresh.close();
  return { acknowledged, failures, ids };
}

function assertWhole({ acknowledged, failures, ids }) {
  assert.deepEqual(failures, []);
  assert.ok(acknowledged.length > 20, `${acknowledged.length} entries were written`);
  assert.equal(new Set(ids).size, ids.length, 'nothing is there twice');
  assert.deepEqual(acknowledged.filter((id) => !ids.includes(id)), [], 'nothing acknowledged is lost');
  for (const writer of ['x', 'y']) {
    const own = ids.filter((id) => id.startsWith(writer));
    assert.deepEqual(own, own.map((_, number) => `${writer}${number}`), 'in order, without a gap');
  }
}

describe('a page that Chromium', () => {
  let sleepers;
  before(async () => {
    sleepers = await startSleepers();
  });
  after(() => sleepers?.close());

  test('freezes in the middle of writes keeps no other tab waiting, 10 times, and goes on each time', async () => {
    const page = await sleepers.open();
    const other = await sleepers.open(page);
    await page.evaluate(() => {
      globalThis.turns = [];
      for (const type of ['freeze', 'resume']) document.addEventListener(type, () => turns.push(type));
    });
    await page.evaluate(beginWriting);
    // Not in the middle of making the database: see the next test.
    await page.waitForFunction(() => acknowledged.length > 0, { polling: 10 });
    const waits = [];
    for (let round = 0; round < 10; round += 1) {
      await pause(20 + 11 * round);
      const thaw = await freeze(page, other);
      waits.push(await other.evaluate(async (number) => {
        const begin = performance.now();
        const outcome = await lab.store().append('s', lab.turn('s', `other ${number}`));
        if (outcome !== 'inserted') throw new Error(outcome);
        return performance.now() - begin;
      }, round));
      await thaw();
    }
    const found = await page.evaluate(endWriting);
    assertWhole(found);
    assert.equal(found.ids.filter((id) => id.startsWith('other')).length, 10);
    assert.deepEqual(await page.evaluate(() => turns), Array(10).fill(['freeze', 'resume']).flat());
    assert.ok(Math.max(...waits) < 3_000, `${waits}`);
    assert.deepEqual([...page.problems, ...other.problems], []);
  });

  // A connection that makes or upgrades the database is only closed once its page has heard that the upgrade was
  // aborted, so a page can do nothing about it. Chromium itself freezes no page that keeps others from the database
  // ("holding blocking IndexedDB lock"), but when it is told to, as here.
  test('freezes while it makes the database: others are told after 3 s, and all go on when it is awake', async () => {
    const page = await sleepers.open();
    const other = await sleepers.open(page);
    await page.evaluate(() => {
      globalThis.stuck = true;
      const create = IDBDatabase.prototype.createObjectStore;
      IDBDatabase.prototype.createObjectStore = function (...given) {
        const store = create.apply(this, given);
        const keepBusy = () => {
          if (globalThis.stuck) store.get(['none', 0]).onsuccess = keepBusy;
        };
        if (store.name === 'heads') keepBusy();
        return store;
      };
      globalThis.appended = lab.outcome(lab.store().append('s', lab.turn('s', 'a')));
    });
    await pause(500);
    const thaw = await freeze(page, other);
    const found = await other.evaluate(async () => {
      const begin = performance.now();
      const outcome = await lab.outcome(lab.store().append('s', lab.turn('s', 'b')));
      return { outcome, took: performance.now() - begin };
    });
    assert.equal(found.outcome.code, 'unavailable');
    assert.ok(found.took > 2_500 && found.took < 8_000, `${found.took} ms`);
    await thaw();
    assert.deepEqual(await page.evaluate(() => ((globalThis.stuck = false), globalThis.appended)), { value: 'inserted' });
    assert.equal(await other.evaluate(() => lab.store().append('s', lab.turn('s', 'b'))), 'inserted');
    assert.deepEqual((await other.evaluate(() => lab.ids(lab.store(), 's'))).sort(), ['a', 'b']);
    assert.deepEqual([...page.problems, ...other.problems], []);
  });

  test('has frozen is not in the way of whoever deletes or upgrades the database', async () => {
    const page = await sleepers.open();
    const other = await sleepers.open(page);
    await page.evaluate(() => lab.store().append('s', lab.turn('s', 'a')));
    const thaw = await freeze(page, other);
    const took = await other.evaluate(async () => {
      const begin = performance.now();
      await lab.deleteDatabase('turnlog');
      await lab.store().append('s', lab.turn('s', 'b'));
      return performance.now() - begin;
    });
    assert.ok(took < 3_000, `${took} ms`);
    await thaw();
    assert.deepEqual(await page.evaluate(() => lab.ids(lab.store(), 's')), ['b']);
  });

  test('has frozen with code that holds an old version open: blocked after about 3 s, on when it is awake', async () => {
    const page = await sleepers.open();
    const other = await sleepers.open(page);
    await page.evaluate(async () => {
      await faults.build('turnlog', 1, { chunks: [], heads: [] });
      const database = await lab.openDatabase('turnlog');
      database.onversionchange = () => database.close();
    });
    const thaw = await freeze(page, other);
    const found = await other.evaluate(async () => {
      const begin = performance.now();
      const { code } = await lab.outcome(lab.store().append('s', lab.turn('s', 'a')));
      return { code, seconds: (performance.now() - begin) / 1_000 };
    });
    assert.equal(found.code, 'blocked');
    assert.ok(found.seconds > 2.5 && found.seconds < 8, `after ${found.seconds} s`);
    await thaw();
    assert.equal(await other.evaluate(() => lab.store().append('s', lab.turn('s', 'a'))), 'inserted');
  });

  test('keeps in its back/forward cache in the middle of writes comes back and writes on', async () => {
    const page = await sleepers.open();
    await page.evaluate(() => {
      globalThis.turns = [];
      for (const type of ['pagehide', 'pageshow']) addEventListener(type, ({ persisted }) => turns.push(`${type} ${persisted}`));
    });
    await page.evaluate(beginWriting);
    for (let round = 0; round < 5; round += 1) {
      await pause(20 + 23 * round);
      await page.goto(`${sleepers.url}index.html?elsewhere`);
      await page.goBack();
    }
    assertWhole(await page.evaluate(endWriting));
    const turns = await page.evaluate(() => globalThis.turns);
    assert.deepEqual(turns, Array(5).fill(['pagehide true', 'pageshow true']).flat());
    // What it noted when it was left is gone once it has written that itself.
    await page.waitForFunction(() => !Object.keys(localStorage).some((key) => key.includes(':spill:')));
    assert.deepEqual(page.problems, []);
  });

  test('keeps in its back/forward cache, while the next page takes over what it left: each entry once', async () => {
    const page = await sleepers.open();
    await page.evaluate(beginWriting);
    await pause(50);
    await page.goto(`${sleepers.url}index.html?elsewhere`);
    await isReady(page);
    const there = await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'between'));
      return lab.ids(lab.store(), 's');
    });
    assert.ok(there.includes('between'));
    await page.goBack();
    await isReady(page);
    // Whether it came from the cache is the browser's choice: what the next page told it may have ended it there.
    const kept = await page.evaluate(() => globalThis.writing !== undefined);
    const found = kept ? await page.evaluate(endWriting) : { ids: await page.evaluate(() => lab.ids(lab.store(), 's')) };
    assert.equal(new Set(found.ids).size, found.ids.length);
    assert.deepEqual(found.ids.slice(0, there.length), there, 'what was read stays as it was');
    for (const writer of ['x', 'y']) {
      const own = found.ids.filter((id) => id.startsWith(writer));
      assert.deepEqual(own, own.map((_, number) => `${writer}${number}`));
    }
  });
});
