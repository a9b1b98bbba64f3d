// Drafts where localStorage is the store: kept under keys of their own, over reloads, and gone with their entry.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

describe('drafts in localStorage', () => {
  const lab = useLab();
  const keys = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('/t/')).length);

  test('outlive a reload, whole, and end with their entry', async () => {
    const page = await lab.fresh();
    await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      const draft = store.draft('s', 'a', { window: 0 });
      for (const piece of ['Half a \ud83d', '\ude00, ', 'done']) {
        draft.write(piece);
        await draft.flush();
      }
      store.draft('s', 'b').write('not flushed yet');
    });
    await page.reload();
    await isReady(page);
    const found = await page.evaluate(async () => {
      globalThis.local = lab.createLocalStorageStore();
      return (await local.drafts('s')).map(({ messageId, text }) => [messageId, text]);
    });
    assert.deepEqual(found, [['a', 'Half a 😀, done'], ['b', 'not flushed yet']]);
    assert.deepEqual(await page.evaluate(async () => {
      await local.append('s', lab.turn('s', 'a'));
      await local.clear('t');
      return (await local.drafts('s')).map(({ messageId }) => messageId);
    }), ['b']);
    await page.evaluate(() => local.clear('s'));
    assert.equal(await keys(page), 0);
  });

  test('are refused with the figures when there is no room, and stored once there is', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      localStorage.setItem('filler', 'x'.repeat(5_242_000));
      const store = lab.createLocalStorageStore();
      const draft = store.draft('s', 'a', { window: 10 });
      draft.write('y'.repeat(2_000));
      const { code, details } = await lab.outcome(draft.flush());
      localStorage.removeItem('filler');
      await draft.flush();
      return { code, needed: details.needed, text: (await store.drafts('s'))[0].text.length };
    });
    assert.equal(found.code, 'quota_exceeded');
    assert.ok(found.needed > 2_000);
    assert.equal(found.text, 2_000);
  });

  test('are unavailable where localStorage is', async () => {
    const page = await lab.fresh(() => Object.defineProperty(globalThis, 'localStorage', { value: undefined }));
    const code = await page.evaluate(async () => {
      const draft = lab.createLocalStorageStore().draft('s', 'a');
      draft.write('x');
      return (await lab.outcome(draft.flush())).code;
    });
    assert.equal(code, 'unavailable');
  });
});
