// Change notices: each once, in order, after the write is durable, in the writing tab too; and what works without the
// browser's own means of telling and locking.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

function listen() {
  globalThis.heard = [];
  lab.store().subscribe(({ sessionId, kind, local }) => heard.push(`${sessionId} ${kind} ${local}`));
}

const heardBy = async (page, count) => {
  await page.waitForFunction((wanted) => heard.length >= wanted, count, { timeout: 10_000 });
  // None comes after the last one.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  return page.evaluate(() => heard);
};

describe('the notices of an IndexedDB store', () => {
  const lab = useLab();

  async function twoTabs(script) {
    const context = await lab.newContext();
    const tabs = [await lab.open(context, script), await lab.open(context, script)];
    for (const tab of tabs) await tab.evaluate(listen);
    return tabs;
  }

  const write = (page) => page.evaluate(async () => {
    const store = lab.store();
    for (let number = 0; number < 30; number += 1) await store.append(`s${number}`, lab.turn(`s${number}`, 'a'));
    await store.append('s0', lab.turn('s0', 'a'));
    await store.replace('s1', []);
    await store.clear('s2');
    const lines = [{ format: 'turnlog/session', version: 1, sessionId: 'i' }, lab.turn('i', 'a'), lab.turn('i', 'b')];
    const bytes = new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n'));
    await store.importSession(bytes);
    await store.importSession(bytes);
    await lab.engine(store).handle(lab.request('e', 'r'));
    await lab.engine(store).handle(lab.request('e', 'r'));
  });

  const WANTED = [...Array.from({ length: 30 }, (_, number) => `s${number} append`), 's1 replace', 's2 clear', 'i append', 'e append'];

  for (const [means, script] of [
    ['with BroadcastChannel', () => {}],
    ['without it, through storage events', () => delete globalThis.BroadcastChannel],
  ]) {
    test(`come once and in order, here and in another tab: ${means}`, async () => {
      const [page, other] = await twoTabs(script);
      await write(page);
      assert.deepEqual(await heardBy(page, WANTED.length), WANTED.map((text) => `${text} true`));
      assert.deepEqual(await heardBy(other, WANTED.length), WANTED.map((text) => `${text} false`));
    });
  }

  test('come after the write: whoever hears of it, here or elsewhere, finds it stored', async () => {
    const [page, other] = await twoTabs();
    for (const tab of [page, other]) {
      await tab.evaluate(() => {
        globalThis.found = [];
        lab.store().subscribe(async ({ sessionId }) => {
          const fresh = lab.createIndexedDbStore();
          found.push((await lab.ids(fresh, sessionId)).length);
          await fresh.close();
        });
      });
    }
    await page.evaluate(async () => {
      for (let number = 0; number < 10; number += 1) await lab.store().append(`n${number}`, lab.turn(`n${number}`, 'a'));
    });
    for (const tab of [page, other]) {
      await tab.waitForFunction(() => found.length === 10);
      assert.deepEqual(await tab.evaluate(() => found), Array(10).fill(1));
    }
  });

  test('of a page that is left right after its writes still come', async () => {
    const [page, other] = await twoTabs();
    await page.evaluate(async () => {
      for (let number = 0; number < 5; number += 1) await lab.store().append('s', lab.turn('s', `m${number}`));
      location.reload();
    });
    assert.deepEqual(await heardBy(other, 5), Array(5).fill('s append false'));
  });

  test('are not needed, and neither are locks: two tabs without either lose nothing', async () => {
    const [page, other] = await twoTabs(() => {
      delete globalThis.BroadcastChannel;
      Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });
      Object.defineProperty(globalThis, 'localStorage', { value: undefined });
    });
    const append = (tab, name) => tab.evaluate(async (writer) => {
      for (let number = 0; number < 50; number += 1) await lab.store().append('s', lab.turn('s', `${writer}${number}`));
      return lab.store().kind;
    }, name);
    await Promise.all([append(page, 'a'), append(other, 'b')]);
    const lists = await Promise.all([page, other].map((tab) => tab.evaluate(() => lab.ids(lab.store(), 's'))));
    assert.deepEqual(lists[0], lists[1]);
    assert.equal(new Set(lists[0]).size, 100);
  });
});
