// Databases that do not answer: nothing is waited for without a limit, and what comes late is of use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

/** Lets `indexedDB.open` keep its answers back while `globalThis.held` is set; `release()` lets them through. */
function holdOpens() {
  globalThis.held = false;
  const waiting = [];
  const open = IDBFactory.prototype.open;
  IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given);
    if (!globalThis.held) return request;
    let listener;
    Object.defineProperty(request, 'onsuccess', { set: (value) => (listener = value) });
    request.addEventListener('success', (event) => {
      if (globalThis.held) waiting.push(() => listener.call(request, event));
      else listener.call(request, event);
    });
    return request;
  };
  globalThis.release = () => {
    globalThis.held = false;
    for (const answer of waiting.splice(0)) answer();
  };
}

describe('an IndexedDB that', () => {
  const lab = useLab();

  test('does not open is unavailable after three seconds, and used as soon as it does', async () => {
    const page = await lab.fresh(holdOpens);
    const found = await page.evaluate(async () => {
      globalThis.held = true;
      const store = lab.store();
      const begin = performance.now();
      const first = await lab.outcome(store.append('s', lab.turn('s', 'a')));
      const waited = performance.now() - begin;
      const asking = lab.outcome(store.append('s', lab.turn('s', 'b')));
      setTimeout(release, 300);
      return { first, waited, second: await asking, ids: await lab.ids(store, 's') };
    });
    assert.equal(found.first.code, 'unavailable');
    assert.ok(found.waited > 2_900 && found.waited < 6_000, `${found.waited} ms`);
    assert.equal(found.second.value, 'inserted');
    assert.deepEqual(found.ids, ['b'], 'what was refused was not written');
  });

  test('does not answer a request is unavailable after `timeout`, undoes the write, and is tried anew', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createIndexedDbStore({ timeout: 300 });
      await store.append('s', lab.turn('s', 'a'));
      const { add } = IDBObjectStore.prototype;
      // A request whose events never come, in a transaction that stays open.
      IDBObjectStore.prototype.add = function (...given) {
        const keepBusy = () => {
          if (IDBObjectStore.prototype.add !== add) this.get(0).onsuccess = keepBusy;
        };
        add.apply(this, given).onsuccess = keepBusy;
        return {};
      };
      const commit = IDBTransaction.prototype.commit;
      IDBTransaction.prototype.commit = () => {};
      const outcomes = [];
      for (const call of [() => store.append('s', lab.turn('s', 'b')), () => store.replace('s', []), () => store.clear('s')]) {
        outcomes.push((await lab.outcome(call())).code);
      }
      IDBObjectStore.prototype.add = add;
      IDBTransaction.prototype.commit = commit;
      return { outcomes, ids: await lab.ids(store, 's'), after: await store.append('s', lab.turn('s', 'c')) };
    });
    assert.deepEqual(found.outcomes, Array(3).fill('unavailable'));
    assert.deepEqual(found.ids, ['a']);
    assert.equal(found.after, 'inserted');
  });

  test('never answers a read is unavailable after `timeout`, and read when it answers again', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      await lab.store().append('s', lab.turn('s', 'a'));
      const store = lab.createIndexedDbStore({ timeout: 300 });
      const getAllKeys = IDBObjectStore.prototype.getAllKeys;
      IDBObjectStore.prototype.getAllKeys = () => ({});
      const code = (await lab.outcome(store.get('s'))).code;
      IDBObjectStore.prototype.getAllKeys = getAllKeys;
      return { code, ids: await lab.ids(store, 's') };
    });
    assert.deepEqual(found, { code: 'unavailable', ids: ['a'] });
  });

  test('fails to open for a moment is opened again; for good, unavailable', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const open = IDBFactory.prototype.open;
      let failures = 0;
      const failing = (times) => {
        failures = times;
        IDBFactory.prototype.open = function (...given) {
          if (failures-- <= 0) return open.apply(this, given);
          const request = {};
          setTimeout(() => {
            request.error = new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError');
            request.onerror();
          });
          return request;
        };
      };
      failing(2);
      const passing = await lab.outcome(lab.store('one').append('s', lab.turn('s', 'a')));
      failing(9);
      const { code, details } = await lab.outcome(lab.store('two').append('s', lab.turn('s', 'a')));
      failing(0);
      return { passing, code, details, later: await lab.store('two').append('s', lab.turn('s', 'a')) };
    });
    assert.equal(found.passing.value, 'inserted');
    assert.equal(found.code, 'unavailable');
    assert.equal(found.details.name, 'UnknownError');
    assert.equal(found.later, 'inserted');
  });

  test('has an option out of bounds is refused', async () => {
    const page = await lab.fresh();
    for (const timeout of [0, 99, 600_001, NaN, null, '300']) {
      const refused = await page.evaluate((value) => {
        try {
          lab.createIndexedDbStore({ timeout: value });
        } catch (error) {
          return [error.name, error.code, error.path];
        }
        return 'accepted';
      }, timeout);
      assert.deepEqual(refused, ['ValidationError', 'invalid', 'timeout'], String(timeout));
    }
  });
});
