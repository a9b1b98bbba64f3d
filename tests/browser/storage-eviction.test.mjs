// Databases that are gone: told from an empty history, and from one that was cleared on purpose.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

describe('stored sessions that', () => {
  const lab = useLab();

  /** A page with two sessions of three entries in all, and the note of them in localStorage. */
  async function filled(context) {
    const page = await lab.open(context ?? (await lab.newContext()));
    await page.evaluate(async () => {
      for (const [session, id] of [['s', 'a'], ['s', 'b'], ['t', 'c']]) await lab.store().append(session, lab.turn(session, id));
    });
    await page.waitForFunction(() => JSON.parse(localStorage['turnlog:turnlog:canary'] ?? '{}').sessions === 2, undefined, { timeout: 15_000 });
    return page;
  }

  const listing = (page) => page.evaluate(async () => {
    const { value, code, details } = await lab.outcome(lab.store().sessions());
    return code === undefined ? value.map(({ id }) => id) : { code, details };
  });

  const evict = async (page) => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Storage.clearDataForOrigin', { origin: lab.origin, storageTypes: 'indexeddb' });
  };

  function assertEvicted({ code, details }, sessions, entries) {
    assert.equal(code, 'evicted');
    assert.deepEqual({ sessions: details.sessions, entries: details.entries }, { sessions, entries });
    assert.ok(Math.abs(details.noticed - Date.now()) < 60_000);
  }

  test('are evicted between two visits: reported in every tab, over reloads, until somebody takes note', async () => {
    const page = await filled();
    await page.goto('about:blank');
    const other = await page.context().newPage();
    await evict(other);
    await other.close();
    const again = await lab.open(page.context());
    assertEvicted(await listing(again), 2, 3);
    // New writes do not hide it.
    await again.evaluate(() => lab.store().append('s', lab.turn('s', 'new')));
    await again.reload();
    await isReady(again);
    assertEvicted(await listing(again), 2, 3);
    const tab = await lab.open(page.context());
    assertEvicted(await listing(tab), 2, 3);
    await tab.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(tab), ['s']);
    await again.reload();
    await isReady(again);
    assert.deepEqual(await listing(again), ['s']);
  });

  test('are evicted while the page is open: reported, and writes go on', async () => {
    const page = await filled();
    await evict(page);
    assert.equal(await page.evaluate(() => lab.store().append('u', lab.turn('u', 'x'))), 'inserted');
    assertEvicted(await listing(page), 2, 3);
    await page.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(page), ['u']);
  });

  test('are evicted with localStorage while the page is open: reported, without figures', async () => {
    const page = await filled();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Storage.clearDataForOrigin', { origin: lab.origin, storageTypes: 'all' });
    const { code, details } = await listing(page);
    assert.equal(code, 'evicted');
    assert.equal(details.sessions, undefined);
  });

  test('are cleared on purpose are not missed, here or in another tab', async () => {
    const page = await filled();
    const tab = await lab.open(page.context());
    await tab.evaluate(() => lab.store().clear('s'));
    assert.deepEqual(await listing(page), ['t']);
    await page.evaluate(() => lab.store().replace('t', []));
    assert.deepEqual(await listing(tab), []);
    await page.reload();
    await isReady(page);
    assert.deepEqual(await listing(page), []);
  });

  test('vanish one by one, in a database that is there, are missed', async () => {
    const page = await filled();
    await page.evaluate(async () => {
      // A note that is old enough to be sure of.
      const note = JSON.parse(localStorage['turnlog:turnlog:canary']);
      await lab.store().close();
      localStorage['turnlog:turnlog:canary'] = JSON.stringify({ ...note, noted: note.noted - 60_000 });
      await lab.tamper('turnlog', (chunks, heads) => heads.delete(IDBKeyRange.bound(['t'], ['t', []])));
    });
    await page.reload();
    await isReady(page);
    assertEvicted(await listing(page), 1, 1);
    await page.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(page), ['s']);
  });

  test('never were are not missed on a first visit', async () => {
    const page = await lab.fresh();
    assert.deepEqual(await listing(page), []);
    await page.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(page), []);
  });
});
