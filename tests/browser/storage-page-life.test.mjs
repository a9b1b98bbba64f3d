// Pages that are left, frozen and come back: nothing acknowledged is lost, what was not is added later, once, and
// nobody else is kept waiting.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

/** Keeps writing transactions open, and their appends pending, for as long as `globalThis.stuck` is set. */
function stickWrites() {
  globalThis.stuck = false;
  const add = IDBObjectStore.prototype.add;
  IDBObjectStore.prototype.add = function (...given) {
    const request = add.apply(this, given);
    const keepBusy = () => {
      if (globalThis.stuck) this.get(0).onsuccess = keepBusy;
    };
    if (this.name === 'heads') keepBusy();
    return request;
  };
  const commit = IDBTransaction.prototype.commit;
  IDBTransaction.prototype.commit = function () {
    if (!globalThis.stuck || this.objectStoreNames.contains('side')) commit.call(this);
  };
}

const leave = (type, persisted) => dispatchEvent(new PageTransitionEvent(type, { persisted }));

describe('a page with an IndexedDB store', () => {
  const lab = useLab();
  const notes = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(':spill:')).length);

  test('that is left in the middle of writes: the next one adds what was pending, in order, each once', async () => {
    const page = await lab.fresh(stickWrites);
    await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'a'));
      globalThis.stuck = true;
      for (const id of ['b', 'c', 'd']) lab.store().append('s', lab.turn('s', id));
      const lines = [{ format: 'turnlog/session', version: 1, sessionId: 't' }, lab.turn('t', 'e'), lab.turn('t', 'f')];
      lab.store().importSession(new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n')));
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await page.reload();
    await isReady(page);
    assert.ok((await notes(page)) > 0, 'something was left behind');
    const found = await page.evaluate(async () => {
      const changes = [];
      lab.store().subscribe(({ sessionId, local }) => changes.push([sessionId, local]));
      return {
        ids: await lab.ids(lab.store(), 's'),
        other: await lab.ids(lab.store(), 't'),
        again: await lab.store().append('s', lab.turn('s', 'c')),
        changes,
      };
    });
    assert.deepEqual(found.ids, ['a', 'b', 'c', 'd']);
    assert.deepEqual(found.other, ['e', 'f']);
    assert.equal(found.again, 'deduped');
    assert.deepEqual(found.changes, [['s', true], ['s', true], ['s', true], ['t', true]]);
    assert.equal(await notes(page), 0, 'and is there no more');
    // What was left in the database besides says the same, and goes too.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    const { side } = await page.evaluate(() => lab.dump('turnlog'));
    assert.deepEqual(side.filter(([key]) => key.includes('spill')), []);
    assert.deepEqual(await page.evaluate(() => lab.ids(lab.store(), 's')), ['a', 'b', 'c', 'd']);
  });

  test('that is left without localStorage: what the database was given is added', async () => {
    const page = await lab.fresh(stickWrites);
    await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'a'));
      Object.defineProperty(globalThis, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
      globalThis.stuck = true;
      lab.store().append('s', lab.turn('s', 'b'));
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await page.reload();
    await isReady(page);
    const ids = await page.evaluate(async () => {
      await lab.store().get('s');
      await new Promise((resolve) => setTimeout(resolve, 500));
      return lab.ids(lab.store(), 's');
    });
    assert.deepEqual(ids, ['a', 'b']);
  });

  test('navigated away from 20 times in the middle of writes: nothing acknowledged is lost, nothing is there twice', async () => {
    const page = await lab.fresh();
    const acknowledged = [];
    await page.exposeFunction('acknowledge', (id) => acknowledged.push(id));
    for (let round = 0; round < 20; round += 1) {
      await page.evaluate(async (number) => {
        const write = async (lane) => {
          for (let entry = 0; ; entry += 1) {
            const id = `${number}-${lane}-${entry}`;
            await lab.store().append('s', lab.turn('s', id));
            await globalThis.acknowledge(id);
          }
        };
        write('x');
        write('y');
        await new Promise((resolve) => setTimeout(resolve, 10 * number));
      }, round);
      await page.reload();
      await isReady(page);
    }
    const ids = await page.evaluate(() => lab.ids(lab.store(), 's'));
    assert.ok(acknowledged.length > 20, `${acknowledged.length}`);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(acknowledged.filter((id) => !ids.includes(id)), []);
    // Of each writer an unbroken run: what was pending when the page was left is there as well.
    for (const lane of ['x', 'y']) {
      for (let round = 0; round < 20; round += 1) {
        const own = ids.filter((id) => id.startsWith(`${round}-${lane}-`));
        assert.deepEqual(own, own.map((_, entry) => `${round}-${lane}-${entry}`));
      }
    }
  });

  test('that goes into the back/forward cache and comes back: its calls resolve as if nothing had been', async () => {
    const page = await lab.fresh(stickWrites);
    const found = await page.evaluate(async (leaveText) => {
      const turn = new Function(`return ${leaveText}`)();
      await lab.store().append('s', lab.turn('s', 'a'));
      globalThis.stuck = true;
      const pending = ['b', 'c'].map((id) => lab.store().append('s', lab.turn('s', id)));
      await new Promise((resolve) => setTimeout(resolve, 50));
      turn('pagehide', true);
      const noted = Object.keys(localStorage).filter((key) => key.includes(':spill:')).length;
      globalThis.stuck = false;
      const early = await Promise.race([Promise.all(pending), new Promise((resolve) => setTimeout(resolve, 200, 'pending'))]);
      turn('pageshow', true);
      const outcomes = await Promise.all(pending);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const left = Object.keys(localStorage).filter((key) => key.includes(':spill:')).length;
      return { noted, early, outcomes, left, ids: await lab.ids(lab.store(), 's'), side: (await lab.dump('turnlog')).side };
    }, leave.toString());
    assert.equal(found.noted, 2);
    assert.equal(found.early, 'pending', 'nothing is begun while the page is away');
    assert.deepEqual(found.outcomes, ['inserted', 'inserted']);
    assert.deepEqual(found.ids, ['a', 'b', 'c']);
    assert.equal(found.left, 0);
    assert.deepEqual(found.side.filter(([key]) => key.includes('spill')), []);
  });

  test('that is frozen with a write under way keeps no other tab waiting, and goes on afterwards', async () => {
    const context = await lab.newContext();
    const [page, other] = [await lab.open(context, stickWrites), await lab.open(context)];
    await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'a'));
      globalThis.stuck = true;
      globalThis.pending = lab.store().append('s', lab.turn('s', 'b'));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    // Told to freeze by hand: a headless browser takes every page for visible, and freezes none.
    await page.evaluate(() => document.dispatchEvent(new Event('freeze')));
    const begin = Date.now();
    // The other tab's store is the next to open: it adds what the frozen one has noted.
    const written = await other.evaluate(async () => [await lab.store().append('s', lab.turn('s', 'c')), await lab.ids(lab.store(), 's')]);
    assert.ok(Date.now() - begin < 5_000, `${Date.now() - begin} ms`);
    assert.deepEqual(written, ['inserted', ['a', 'b', 'c']]);
    const resumed = await page.evaluate(async () => {
      globalThis.stuck = false;
      document.dispatchEvent(new Event('resume'));
      return [await globalThis.pending, await lab.store().append('s', lab.turn('s', 'd')), await lab.ids(lab.store(), 's')];
    });
    assert.deepEqual(resumed, ['deduped', 'inserted', ['a', 'b', 'c', 'd']]);
  });

  test('whose connection the system has closed without a word finds out when it is looked at again', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'a'));
      // Nothing on this connection is answered any more; a new one is.
      const transaction = IDBDatabase.prototype.transaction;
      const dead = new WeakSet();
      let first;
      IDBDatabase.prototype.transaction = function (...given) {
        first ??= this;
        if (this === first) dead.add(this);
        const made = transaction.apply(this, given);
        if (dead.has(this)) Object.defineProperty(made, 'objectStore', { value: () => ({ count: () => ({}), get: () => ({}), put: () => ({}) }) });
        return made;
      };
      document.dispatchEvent(new Event('visibilitychange'));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const begin = performance.now();
      const outcome = await lab.store().append('s', lab.turn('s', 'b'));
      return { outcome, waited: performance.now() - begin };
    });
    assert.equal(found.outcome, 'inserted');
    assert.ok(found.waited < 2_000, `${found.waited} ms`);
  });

  test('that leaves something unreadable behind: it is set aside and reported, and nothing else is lost', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      localStorage.setItem('turnlog:turnlog:spill:zz:0', 'no export at all');
      localStorage.setItem('turnlog:turnlog:spill:zz:1', `{"format":"turnlog/session","version":1,"sessionId":"s"}\n${JSON.stringify(lab.turn('s', 'a'))}\n`);
      const ids = await lab.ids(lab.store(), 's');
      const [damage, ...others] = await lab.store().damaged();
      const left = Object.keys(localStorage).filter((key) => key.includes(':spill:'));
      return { ids, left, others, session: damage.sessionId, text: new TextDecoder().decode(damage.bytes[0]) };
    });
    assert.deepEqual(found, { ids: ['a'], left: [], others: [], session: '', text: 'no export at all' });
  });
});
