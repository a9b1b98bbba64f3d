// What was acknowledged is there after the browser was closed and after it was killed, in every engine.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { useEngine } from './engines/harness.mjs';
import { ENGINES } from './engines/index.mjs';

const ROUNDS = 2;
const WRITERS = 3;

/** What the name of a file in the profile tells of the engine's IndexedDB, so that each back end is really tested. */
const BACK_ENDS = {
  chromium: /IndexedDB\/http_[^/]*\.indexeddb\.leveldb\/CURRENT$/u,
  'chromium-sqlite': /IndexedDB\/http_[^/.]*\.0\.0\.1_\d+\/[A-Z0-9]{40,}$/u,
  firefox: /storage\/default\/http\+\+\+[^/]*\/idb\/[^/]*\.sqlite$/u,
  webkit: /indexeddb\/v1\/http_[^/]*\/[A-F0-9]{64}\/IndexedDB\.sqlite3$/u,
};

/** Runs in the page until the browser dies; each append is told when it is acknowledged. */
async function writeOn({ round, writers }) {
  const store = lab.store();
  await Promise.all(Array.from({ length: writers }, async (_, writer) => {
    for (let count = 0; ; count += 1) {
      const id = `${round}/${writer}/${count}`;
      await store.append('s', lab.turn('s', id, { padding: 'x'.repeat(count % 7 === 0 ? 20_000 : 200) }));
      report(id);
    }
  }));
}

for (const engine of ENGINES) {
  describe(`the browser ends and starts again, in ${engine}`, () => {
    const lab = useEngine(engine);

    test('after it was closed everything is there: entries, order, sessions, ids that are known', async () => {
      const profile = await lab.newProfile();
      const first = await lab.start(profile);
      const writer = await lab.open(first);
      const before = await writer.evaluate(async () => {
        const store = lab.store();
        for (const entry of lab.turns('long', 150)) await store.append('long', entry);
        await store.replace('replaced', lab.turns('replaced', 3));
        await store.append('cleared', lab.turn('cleared', 'a'));
        await store.clear('cleared');
        return { long: await store.get('long'), sessions: await store.sessions() };
      });
      await lab.close(first);
      const files = await readdir(profile, { recursive: true });
      assert.ok(files.some((file) => BACK_ENDS[engine].test(file)), 'the database is kept by the back end in question');

      const reader = await lab.open(await lab.start(profile));
      const after = await reader.evaluate(async () => {
        const store = lab.store();
        return {
          sessions: await store.sessions(),
          tail: await store.tail('long', 2),
          long: await store.get('long'),
          replaced: await lab.ids(store, 'replaced'),
          cleared: await store.get('cleared'),
          again: await store.append('long', lab.turn('long', 'm0')),
        };
      });
      const wanted = Array.from({ length: 150 }, (_, index) => `m${index}`);
      assert.deepEqual(before.long.map(({ input }) => input.id), wanted);
      assert.deepEqual(after.long, before.long);
      assert.deepEqual(after.tail, before.long.slice(-2));
      assert.deepEqual(after.sessions, before.sessions);
      assert.deepEqual(after.replaced, ['m0', 'm1', 'm2']);
      assert.deepEqual(after.cleared, []);
      assert.equal(after.again, 'deduped');
    });

    test(`killed while it writes, ${ROUNDS} times: every acknowledged entry is there, in order, once`, async () => {
      const profile = await lab.newProfile();
      const acknowledged = [];
      lab.onReport((id) => acknowledged.push(id));
      for (let round = 0; round < ROUNDS; round += 1) {
        const browser = await lab.start(profile);
        const tab = await lab.open(browser);
        const known = acknowledged.length;
        let alive = true;
        const writing = tab.evaluate(writeOn, { round, writers: WRITERS }).then(
          () => assert.fail('the page writes until it is killed'),
          (error) => assert.equal(alive, false, `the page failed before it was killed: ${error.stack}`),
        );
        const enough = async () => {
          while (acknowledged.length < known + 60 + 37 * round) await sleep(2);
        };
        await Promise.race([enough(), writing]);
        alive = false;
        await lab.kill(browser);
        await writing;
      }

      const tab = await lab.open(await lab.start(profile));
      const ids = await tab.evaluate(() => lab.ids(lab.store(), 's'));
      const stored = new Set(ids);
      assert.equal(stored.size, ids.length, 'no entry is there twice');
      assert.deepEqual(acknowledged.filter((id) => !stored.has(id)), [], 'no acknowledged entry is lost');
      for (let round = 0; round < ROUNDS; round += 1) {
        for (let writer = 0; writer < WRITERS; writer += 1) {
          const prefix = `${round}/${writer}/`;
          const numbers = ids.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
          assert.deepEqual(numbers, [...numbers.keys()], 'each writer’s entries are there in order and without a gap');
        }
      }
      assert.equal(await tab.evaluate(() => lab.store().append('s', lab.turn('s', 'after all'))), 'inserted');
    });
  });
}
