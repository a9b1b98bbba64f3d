// The contract kit on the IndexedDB store, in every engine, in a window and in a dedicated worker.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useEngine } from './engines/harness.mjs';
import { ENGINES } from './engines/index.mjs';

/** The contract names at least this many cases; fewer would mean that the kit was not run whole. */
const CASES = 40;

function holds(report) {
  assert.deepEqual(report.failed, []);
  const skipped = report.skipped.filter((name) => !/lock/iu.test(name));
  assert.deepEqual(skipped, [], 'only what the store does not have is skipped');
  assert.ok(report.passed.length >= CASES, `${report.passed.length} cases passed`);
}

for (const engine of ENGINES) {
  describe(`the contract of a history store, in ${engine}`, () => {
    // A browser for each test: the kit names its databases alike every time.
    const lab = useEngine(engine);

    test('the IndexedDB store keeps it in a page', async () => {
      const tab = await lab.open(await lab.start());
      holds(await tab.evaluate(() => lab.runKit('indexeddb')));
    });

    test('the IndexedDB store keeps it in a dedicated worker', async () => {
      const tab = await lab.open(await lab.start());
      const report = await tab.evaluate(() => lab.inWorker('kit-worker.mjs', 'indexeddb'));
      holds(report);
      assert.deepEqual(report.unhandled, [], 'no rejection stays unhandled');
    });
  });
}
