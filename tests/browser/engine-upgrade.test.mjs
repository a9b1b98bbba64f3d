// An upgrade that the death of the browser cuts off, in each engine: it has not happened, and the next visit makes it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { ENGINES } from './engines/index.mjs';
import { useEngine } from './engines/harness.mjs';

const OLD = await readFile(new URL('../fixtures/database-v1.json', import.meta.url), 'utf8');
const ROUNDS = 2;

/** In a page: puts the database of version 1 there, byte for byte. */
async function put(json) {
  const faults = await import('/faults.mjs');
  const { version, stores } = JSON.parse(json);
  await faults.build('turnlog', version, faults.ofJson(stores));
}

/** In a page: what is stored, without the store. */
async function look(json) {
  const faults = await import('/faults.mjs');
  const { stores } = JSON.parse(json);
  const { version } = await lab.dump('turnlog');
  const { chunks, heads, ...more } = faults.toJson(await faults.capture('turnlog'));
  return { version, same: JSON.stringify({ chunks, heads }) === JSON.stringify(stores), more: Object.keys(more) };
}

/** In a page: begins the upgrade and leaves it in the middle. */
async function beginUpgrade() {
  const faults = await import('/faults.mjs');
  faults.holdUpgrades();
  lab.createIndexedDbStore().get('long').catch(() => {});
  while (!globalThis.isHeld) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** In a page: whether the store finds what the fixture says. */
async function open(json) {
  const { sessions } = JSON.parse(json);
  const store = lab.store();
  const wrong = [];
  for (const [id, entries] of Object.entries(sessions)) {
    if (JSON.stringify(await store.get(id)) !== JSON.stringify(entries)) wrong.push(id);
  }
  const listed = (await store.sessions()).map(({ id }) => id).toSorted();
  return { wrong, listed, appended: await store.append('long', lab.turn('long', 'added')), version: (await lab.dump('turnlog')).version };
}

for (const engine of ENGINES) {
  describe(`a database of version 1, in ${engine}`, () => {
    const lab = useEngine(engine);

    test('is as it was when the browser is killed in the middle of its upgrade, and the next one upgrades it', async () => {
      const profile = await lab.newProfile();
      const first = await lab.start(profile);
      await (await lab.open(first)).evaluate(put, OLD);
      await lab.close(first);
      for (let round = 0; round < ROUNDS; round += 1) {
        const browser = await lab.start(profile);
        await (await lab.open(browser)).evaluate(beginUpgrade);
        await lab.kill(browser);
      }
      const tab = await lab.open(await lab.start(profile));
      assert.deepEqual(await tab.evaluate(look, OLD), { version: 1, same: true, more: [] });
      const { sessions } = JSON.parse(OLD);
      assert.deepEqual(await tab.evaluate(open, OLD), {
        wrong: [], listed: Object.keys(sessions).toSorted(), appended: 'inserted', version: 4,
      });
    });
  });
}
