// A database of our name that is not as we made it: made anew where it is empty, else refused and left as it is.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useFaults } from './storage-harness.mjs';

describe('a database of the same name', () => {
  const lab = useFaults();

  /** Makes one with these stores, each with a value, and gives what the store says to it and what is there then. */
  const meet = (page, version, stores) => page.evaluate(async ([number, names]) => {
    await faults.build('turnlog', number, Object.fromEntries(names.map((name) => [name, [['key', 'mine']]])));
    const before = JSON.stringify(await lab.dump('turnlog'));
    const store = lab.createIndexedDbStore();
    const outcomes = await Promise.all(
      [store.append('s', lab.turn('s', 'a')), store.get('s'), store.sessions()].map(lab.outcome),
    );
    await store.close();
    return { codes: outcomes.map(({ code = 'done' }) => code), untouched: JSON.stringify(await lab.dump('turnlog')) === before };
  }, [version, stores]);

  for (const [version, stores] of [
    [1, ['things']], [2, ['things']], [1, ['chunks']], [1, ['heads']], [2, ['chunks', 'heads']], [2, ['chunks', 'side']],
    [2, ['heads', 'side']], [3, ['heads', 'side']], [4, ['chunks', 'heads', 'side']], [1, ['chunks', 'things']],
  ]) {
    test(`of version ${version} with the stores ${stores.join(', ')}: corrupt, and untouched`, async () => {
      const found = await meet(await lab.freshTab(), version, stores);
      assert.deepEqual(found, { codes: Array(3).fill('corrupt'), untouched: true });
    });
  }

  for (const version of [1, 2, 3, 4]) {
    test(`of version ${version} without any store: made anew`, async () => {
      const page = await lab.freshTab();
      const found = await page.evaluate(async (number) => {
        await faults.build('turnlog', number, {});
        const store = lab.createIndexedDbStore();
        const [listed, append] = [await store.sessions(), await store.append('s', lab.turn('s', 'a'))];
        await store.close();
        const again = lab.createIndexedDbStore();
        return { listed, append, ids: await lab.ids(again, 's'), sessions: (await again.sessions()).length };
      }, version);
      assert.deepEqual(found, { listed: [], append: 'inserted', ids: ['a'], sessions: 1 });
    });
  }

  test('of a version to come: version_too_new, and untouched', async () => {
    const page = await lab.freshTab();
    const found = await meet(page, 5, ['chunks', 'heads', 'side', 'logs', 'events', 'more']);
    assert.deepEqual(found, { codes: Array(3).fill('version_too_new'), untouched: true });
  });
});
