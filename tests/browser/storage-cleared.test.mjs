// A session that was cleared on purpose is never taken for one that was lost, however soon the page ends after it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

describe('a session that is cleared', () => {
  const lab = useLab();

  /** A minute later, for all that the notes in localStorage say. */
  const age = (page) => page.evaluate(() => {
    for (const key of Object.keys(localStorage).filter((name) => name.endsWith(':canary'))) {
      const note = JSON.parse(localStorage[key]);
      localStorage[key] = JSON.stringify({ ...note, noted: note.noted - 60_000 });
    }
  });

  for (const [how, clear] of [
    ['by clear()', () => lab.store().clear('s')],
    ['by an empty replace()', () => lab.store().replace('s', [])],
  ]) {
    test(`${how} just before the page ends is not missed by the next one`, async () => {
      const page = await lab.fresh();
      await page.evaluate(() => lab.store().append('s', lab.turn('s', 'a')));
      await page.evaluate(clear);
      await age(page);
      await page.reload();
      await isReady(page);
      const found = await page.evaluate(() => lab.outcome(lab.store().sessions()));
      assert.deepEqual(found, { value: [] });
    });
  }

  test('and the store closed is not missed either', async () => {
    const page = await lab.fresh();
    await page.evaluate(async () => {
      const store = lab.createIndexedDbStore();
      await store.append('s', lab.turn('s', 'a'));
      await store.clear('s');
      await store.close();
    });
    await age(page);
    assert.deepEqual(await page.evaluate(() => lab.outcome(lab.store().sessions())), { value: [] });
  });
});
