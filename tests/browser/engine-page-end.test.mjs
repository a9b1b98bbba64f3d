// A page that is left with writes in flight, in every engine: nothing acknowledged is lost, nothing is there twice, what
// was pending is added, and the next page of the origin is not kept waiting.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useEngine } from './engines/harness.mjs';
import { ENGINES } from './engines/index.mjs';

const ROUNDS = 3;
/** WebKit's database can be stuck for half a minute when a transaction is in flight at a navigation. */
const WAIT_MS = 8_000;

/**
 * Begins to write, and returns while it goes on. Each append is noted when it is acknowledged, where the tab's next page
 * finds it: a request would fail when the page is left.
 */
async function writeOn(round) {
  const write = async (writer) => {
    for (let count = 0; ; count += 1) {
      const id = `${round}/${writer}/${count}`;
      await lab.store().append('s', lab.turn('s', id));
      sessionStorage.setItem(id, 'acknowledged');
    }
  };
  for (const writer of ['x', 'y', 'z']) write(writer);
  await new Promise((resolve) => setTimeout(resolve, 60 + 40 * round));
}

async function look() {
  const begin = performance.now();
  const ids = await lab.ids(lab.store(), 's');
  return { ids, waited: performance.now() - begin, left: Object.keys(localStorage).filter((key) => key.includes(':spill:')) };
}

for (const engine of ENGINES) {
  describe(`a page is left with writes in flight, in ${engine}`, () => {
    const lab = useEngine(engine);

    test(`${ROUNDS} times, by reloads and by going elsewhere and back`, async () => {
      const tab = await lab.open();
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await tab.evaluate(writeOn, round);
        if (round % 2 === 0) await tab.reload();
        else await tab.goto();
        await tab.evaluate(() => lab.ready.then(() => undefined));
        rounds.push(await tab.evaluate(look));
      }
      const { ids } = rounds.at(-1);
      const acknowledged = await tab.evaluate(() => Object.keys(sessionStorage));
      assert.ok(acknowledged.length > ROUNDS, `${acknowledged.length} acknowledged`);
      assert.deepEqual(acknowledged.filter((id) => !ids.includes(id)), [], 'nothing acknowledged is lost');
      assert.equal(new Set(ids).size, ids.length, 'nothing is there twice');
      for (const { waited, left } of rounds) {
        assert.ok(waited < WAIT_MS, `the next page waited ${waited} ms`);
        assert.deepEqual(left, [], 'what was left behind was taken in');
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const writer of ['x', 'y', 'z']) {
          const own = ids.filter((id) => id.startsWith(`${round}/${writer}/`));
          assert.deepEqual(own, own.map((_, count) => `${round}/${writer}/${count}`), 'an unbroken run, in order');
        }
      }
      await tab.close();
    });
  });
}
