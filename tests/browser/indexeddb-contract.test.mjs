// The contract kit in a real browser: the IndexedDB store in a page and in a dedicated worker, the in-memory one
// in a page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

/** The contract names at least this many cases; fewer would mean that the kit was not run whole. */
const CASES = 40;

function holds(report, skipped) {
  assert.deepEqual(report.failed, []);
  assert.deepEqual(report.skipped.filter((name) => !skipped.test(name)), [], 'only what the store does not have is skipped');
  assert.ok(report.passed.length >= CASES, `${report.passed.length} cases passed`);
}

describe('the contract of a history store, in Chromium', () => {
  const lab = useLab();

  test('the IndexedDB store keeps it in a page', async () => {
    const page = await lab.fresh();
    holds(await page.evaluate(() => lab.runKit('indexeddb')), /withLock|lock/u);
  });

  test('the IndexedDB store keeps it in a dedicated worker', async () => {
    const page = await lab.fresh();
    const report = await page.evaluate(() => lab.inWorker('kit-worker.mjs', 'indexeddb'));
    holds(report, /withLock|lock/u);
    assert.deepEqual(report.unhandled, [], 'no rejection stays unhandled');
  });

  test('the in-memory store keeps it in a page', async () => {
    const page = await lab.fresh();
    holds(await page.evaluate(() => lab.runKit('memory')), /lock|handle/iu);
  });
});
