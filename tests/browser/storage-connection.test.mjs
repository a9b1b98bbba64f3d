// Connections that the browser closes in the middle of writes, and what a write without room says.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pause, useFaults } from './storage-harness.mjs';

describe('the IndexedDB store in the middle of writes', () => {
  const lab = useFaults();

  test('whose connection the browser closes: every call settles, and what was written since is there in order', async () => {
    const page = await lab.freshTab();
    const cdp = await page.context().newCDPSession(page);
    const writing = page.evaluate(async () => {
      const store = lab.store();
      globalThis.isWriting = true;
      const outcomes = [];
      for (let number = 0; globalThis.isWriting; number += 1) {
        const calls = [0, 1, 2].map((part) => lab.outcome(store.append('s', lab.turn('s', `${number}.${part}`))));
        for (const [part, { value, code }] of (await Promise.all(calls)).entries()) {
          outcomes.push(value ?? code);
          if (value === 'inserted') globalThis.last = `${number}.${part}`;
        }
      }
      return { outcomes: [...new Set(outcomes)], last: globalThis.last, ids: await lab.ids(store, 's') };
    });
    for (let round = 0; round < 5; round += 1) {
      await pause(60 + 37 * round);
      await cdp.send('Storage.clearDataForOrigin', { origin: lab.origin, storageTypes: 'indexeddb' });
    }
    await pause(100);
    await page.evaluate(() => (globalThis.isWriting = false));
    const { outcomes, last, ids } = await writing;
    assert.deepEqual(outcomes, ['inserted'], 'a write that had not happened was made again');
    assert.equal(ids.at(-1), last);
    assert.equal(new Set(ids).size, ids.length);
    const sorted = ids.toSorted((a, b) => parseFloat(a) - parseFloat(b));
    assert.deepEqual(ids, sorted, 'in order');
    // Without a gap: what is missing is older than what is there.
    const numbers = [...new Set(ids.map((id) => parseInt(id, 10)))];
    assert.deepEqual(numbers, numbers.map((_, index) => numbers[0] + index));
  });

  test('that has no room says how much the write and the session would have taken', async () => {
    const page = await lab.freshTab();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin, quotaSize: 2_000_000 });
    const found = await page.evaluate(async () => {
      const store = lab.store();
      await store.append('s', lab.turn('s', 'small', { text: 'y'.repeat(1_000) }));
      const big = lab.turn('s', 'big', { text: 'x'.repeat(6_000_000) });
      const memory = lab.createInMemoryStore();
      await memory.append('s', big);
      const calls = {
        append: () => store.append('s', big),
        replace: () => store.replace('s', [big]),
        import: async () => store.importSession(await memory.exportSession('s')),
      };
      const details = {};
      for (const [name, call] of Object.entries(calls)) {
        const { code, details: { needed, session } = {} } = await lab.outcome(call());
        details[name] = [code, needed, session];
      }
      const length = JSON.stringify(big).length;
      const small = JSON.stringify(lab.turn('s', 'small', { text: 'y'.repeat(1_000) })).length;
      return { details, length, small };
    });
    for (const [name, [code, needed, session]] of Object.entries(found.details)) {
      assert.equal(code, 'quota_exceeded', name);
      // Each value has a header; the small entry may be written once more on the way.
      assert.ok(needed >= found.length && needed < found.length + 5_000, `${name} needed ${needed} of ${found.length}`);
      assert.equal(session, found.length + (name === 'replace' ? 0 : found.small), name);
    }
  });
});
