// The contract kit on the localStorage store, in a page; and where there is no localStorage.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

/** The contract names at least this many cases; fewer would mean that the kit was not run whole. */
const CASES = 40;

describe('the contract of a history store, in localStorage', () => {
  const lab = useLab();

  test('the localStorage store keeps it, with Web Locks and without', async () => {
    for (const script of [undefined, () => Object.defineProperty(navigator, 'locks', { value: undefined })]) {
      const page = await lab.fresh(script);
      const report = await page.evaluate(() => lab.runKit('localstorage'));
      assert.deepEqual(report.failed, []);
      assert.deepEqual(
        report.skipped.filter((name) => !/withLock|lock/u.test(name)),
        [],
      );
      assert.ok(report.passed.length >= CASES, `${report.passed.length} cases passed`);
    }
  });
});
