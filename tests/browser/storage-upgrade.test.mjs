// Databases that earlier versions wrote: they open, whatever is in the way of the upgrade meanwhile, and one that
// is cut off has not happened.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { isArmed, pause, useFaults } from './storage-harness.mjs';

const FIXTURES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'fixtures');
const fixture = (version) => readFile(path.join(FIXTURES, `database-v${version}.json`), 'utf8');

/** Puts a database of an earlier version there, byte for byte. */
const put = (page, text) => page.evaluate(async (json) => {
  const { version, stores } = JSON.parse(json);
  await faults.build('turnlog', version, faults.ofJson(stores));
}, text);

/** Whether the store finds exactly what the fixture says, and can be written to; the version afterwards. */
const open = (page, text) => page.evaluate(async (json) => {
  const { sessions, damaged, stores, logs = [] } = JSON.parse(json);
  const store = lab.createIndexedDbStore();
  const found = { wrong: [], logs: await (await import('./written-logs.mjs')).readLogs(), listed: (await store.sessions()).map(({ id, entries }) => [id, entries]).toSorted() };
  for (const [id, entries] of Object.entries(sessions)) {
    if (JSON.stringify(await store.get(id)) !== JSON.stringify(entries)) found.wrong.push(id);
  }
  found.damaged = (await store.damaged()).map(({ sessionId, entries }) => [sessionId, entries]);
  const wanted = { wrong: [], logs, listed: Object.entries(sessions).map(([id, list]) => [id, list.length]).toSorted(), damaged };
  const records = async () => JSON.stringify((({ chunks, heads }) => [chunks, heads])(faults.toJson(await faults.capture('turnlog'))));
  // Heads have had a number since version 3; the upgrade gives those of earlier ones the first.
  const numbered = stores.heads.map(([key, value]) => [typeof key === 'string' ? [key, 1] : key, value]);
  const untouched = (await records()) === JSON.stringify([stores.chunks, numbered]);
  const appended = [];
  for (const [id, list] of Object.entries(sessions)) {
    appended.push(await store.append(id, lab.turn(id, list[0].input.id)), await store.append(id, lab.turn(id, 'added')));
    const ids = await lab.ids(store, id);
    if (ids.join() !== [...list.map(({ input }) => input.id), 'added'].join()) found.wrong.push(`${id} afterwards`);
  }
  await store.close();
  const { version } = await lab.dump('turnlog');
  return { found, wanted, untouched, appended: [...new Set(appended)], version };
}, text);

function assertOpened({ found, wanted, untouched, appended, version }, newest) {
  assert.deepEqual(found, wanted);
  assert.ok(untouched, 'the records stay as they were until they are written to');
  assert.deepEqual(appended, ['deduped', 'inserted']);
  assert.equal(version, newest);
}

describe('a database of an earlier version', () => {
  const lab = useFaults();
  let newest;

  test('opens, of every version there ever was, with all that is in it', async () => {
    const files = (await readdir(FIXTURES)).filter((name) => /^database-v\d+\.json$/u.test(name));
    newest = files.length;
    for (let version = 1; version <= newest; version += 1) {
      const page = await lab.freshTab();
      const text = await fixture(version);
      assert.equal(JSON.parse(text).version, version);
      await put(page, text);
      assertOpened(await open(page, text), newest);
    }
  });

  test('that another tab holds open: blocked after about 3 s, and it goes on as soon as that lets go', async () => {
    const context = await lab.newContext();
    const [old, page] = [await lab.tab(context), await lab.tab(context)];
    const text = await fixture(1);
    await put(old, text);
    // Code of long ago that does not know what `versionchange` asks of it.
    await old.evaluate(async () => (globalThis.held = await lab.openDatabase('turnlog')));
    const outcome = await page.evaluate(async () => {
      globalThis.store = lab.createIndexedDbStore();
      const start = performance.now();
      const calls = [store.get('long'), store.append('long', lab.turn('long', 'x')), store.sessions()];
      const codes = (await Promise.all(calls.map(lab.outcome))).map(({ name, code }) => `${name} ${code}`);
      return { codes, seconds: (performance.now() - start) / 1_000 };
    });
    assert.deepEqual(outcome.codes, Array(3).fill('StoreError blocked'));
    assert.ok(outcome.seconds > 2.5 && outcome.seconds < 8, `after ${outcome.seconds} s`);
    const waiting = page.evaluate(() => lab.ids(store, 'long'));
    await pause(300);
    await old.evaluate(() => held.close());
    assert.equal((await waiting).length, JSON.parse(text).sessions.long.length, 'the call that waited goes on');
    await page.evaluate(() => store.close());
    assertOpened(await open(page, text), newest);
  });

  test('that a tab of this version holds open gives way at once, and two that upgrade together agree', async () => {
    const context = await lab.newContext();
    const tabs = [await lab.tab(context), await lab.tab(context), await lab.tab(context)];
    const text = await fixture(1);
    await put(tabs[0], text);
    await tabs[0].evaluate(async () => {
      const database = await lab.openDatabase('turnlog');
      database.onversionchange = () => database.close();
    });
    const lengths = await Promise.all(tabs.map((tab) => tab.evaluate(async () => (await lab.store().get('long')).length)));
    assert.deepEqual(lengths, Array(3).fill(JSON.parse(text).sessions.long.length));
    await Promise.all(tabs.slice(1).map((tab) => tab.close()));
    await tabs[0].reload();
    await isArmed(tabs[0]);
    assertOpened(await open(tabs[0], text), newest);
  });
});
