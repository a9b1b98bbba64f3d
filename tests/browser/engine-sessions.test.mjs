// Sessions that last, in the database and in localStorage of every engine.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useEngine } from './engines/harness.mjs';
import { ENGINES } from './engines/index.mjs';
import { checks } from './pages/stored-sessions.mjs';

for (const engine of ENGINES) {
  describe(`sessions that last, in ${engine}`, () => {
    const lab = useEngine(engine);

    for (const kind of ['IndexedDb', 'LocalStorage']) {
      test(`are what they were, in ${kind}`, async () => {
        const tab = await lab.open(await lab.start());
        const failed = [];
        for (const name of Object.keys(checks)) {
          const outcome = await tab.evaluate(async ({ kind: of, check }) => {
            const { checks: all } = await import('/stored-sessions.mjs');
            const place = Object.keys(all).indexOf(check);
            // Each call of `storage` is what another tab would have: a store of its own.
            const opened = [];
            const storage = () => {
              opened.push(of === 'IndexedDb' ? lab.createIndexedDbStore({ name: `s${place}` }) : lab.createLocalStorageStore({ prefix: `s${place}` }));
              return opened.at(-1);
            };
            const { message } = await lab.outcome(all[check](lab, storage));
            await Promise.all(opened.map((store) => store.close()));
            localStorage.clear();
            return message;
          }, { kind, check: name });
          if (outcome !== undefined) failed.push(`${name}: ${outcome}`);
        }
        assert.deepEqual(failed, []);
      });
    }
  });
}
