// What was acknowledged is there after a restart of the browser, and after its death.
import assert from 'node:assert/strict';
import { readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

const ROUNDS = 4;

/** The process of the browser that holds the profile: its lock names it. Checked before anything is killed. */
async function browserProcess(folder) {
  const lock = await readlink(path.join(folder, 'SingletonLock'));
  const pid = Number(/-(\d+)$/u.exec(lock)[1]);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  assert.ok(command.includes(folder), 'the process is the browser on this profile');
  return pid;
}

describe('the browser ends and starts again', () => {
  const lab = useLab();

  test('everything is there after a restart: entries, order, sessions, ids that are known', async () => {
    const folder = await lab.newProfile();
    const first = await lab.openProfile(folder);
    const before = await (await lab.open(first)).evaluate(async () => {
      const store = lab.store();
      for (const entry of lab.turns('long', 150)) await store.append('long', entry);
      await store.replace('replaced', lab.turns('replaced', 3));
      await store.append('cleared', lab.turn('cleared', 'a'));
      await store.clear('cleared');
      const engine = lab.engine(store, { maxEntries: 4 });
      for (let number = 0; number < 90; number += 1) await engine.handle(lab.request('cut', `m${number}`));
      return { long: await store.get('long'), cut: await store.get('cut'), sessions: await store.sessions() };
    });
    await first.close();
    lab.forget(first);

    const after = await (await lab.open(await lab.openProfile(folder))).evaluate(async () => {
      const store = lab.store();
      return {
        sessions: await store.sessions(),
        tail: await store.tail('long', 2),
        long: await store.get('long'),
        cut: await store.get('cut'),
        replaced: await lab.ids(store, 'replaced'),
        cleared: await store.get('cleared'),
        again: [await store.append('long', lab.turn('long', 'm0')), await store.append('cut', lab.turn('cut', 'm0'))],
        replayed: (await lab.engine(store).handle(lab.request('cut', 'm89'))).value,
      };
    });
    assert.equal(before.long.length, 150);
    assert.deepEqual(after.long, before.long);
    assert.deepEqual(after.tail, before.long.slice(-2));
    assert.deepEqual(after.cut, before.cut);
    assert.deepEqual(after.sessions, before.sessions);
    assert.deepEqual(after.sessions.map(({ id }) => id).toSorted(), ['cut', 'long', 'replaced']);
    assert.deepEqual(after.replaced, ['m0', 'm1', 'm2']);
    assert.deepEqual(after.cleared, []);
    assert.deepEqual(after.again, ['deduped', 'inserted'], 'an id that was cut off is new again');
    assert.equal(after.replayed.replayed, true);
    assert.equal(after.replayed.output.userMessage, 'answered m89');
  });

  test(`a browser killed while it writes, ${ROUNDS} times: every acknowledged entry is there, in order, once`, async () => {
    const folder = await lab.newProfile();
    const acknowledged = [];
    let replaced = -1;
    for (let round = 0; round < ROUNDS; round += 1) {
      const context = await lab.openProfile(folder);
      const page = await lab.open(context);
      await page.exposeFunction('acknowledge', (id) => acknowledged.push(id));
      await page.exposeFunction('acknowledgeReplace', (number) => {
        replaced = number;
      });
      const before = acknowledged.length;
      const closed = context.waitForEvent('close', { timeout: 0 });
      const writing = page.evaluate(async (number) => {
        const store = lab.store();
        // Single appends, groups of them, packing, and replacements of another session.
        const writers = [0, 1, 2].map(async (writer) => {
          for (let count = 0; ; count += 1) {
            const id = `${number}/${writer}/${count}`;
            await store.append('s', lab.turn('s', id, { padding: 'x'.repeat(count % 7 === 0 ? 20_000 : 200) }));
            acknowledge(id);
          }
        });
        const replacing = (async () => {
          for (let count = 0; ; count += 1) {
            const set = number * 100_000 + count;
            await store.replace('set', lab.turns('set', 40, `${set} `));
            acknowledgeReplace(set);
          }
        })();
        await Promise.all([...writers, replacing]);
      }, round).then(
        () => assert.fail('the page writes until it is killed'),
        (error) => assert.match(error.message, /closed|crash|destroyed/iu),
      );
      while (acknowledged.length < before + 60 + 37 * round) await new Promise((resolve) => setTimeout(resolve, 5));
      process.kill(await browserProcess(folder), 'SIGKILL');
      await Promise.all([writing, closed]);
      lab.forget(context);
    }

    const page = await lab.open(await lab.openProfile(folder));
    const { ids, set } = await page.evaluate(async () => ({
      ids: await lab.ids(lab.store(), 's'),
      set: await lab.ids(lab.store(), 'set'),
    }));
    const stored = new Set(ids);
    assert.equal(stored.size, ids.length, 'no entry is there twice');
    assert.deepEqual(acknowledged.filter((id) => !stored.has(id)), [], 'no acknowledged entry is lost');
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const writer of [0, 1, 2]) {
        const prefix = `${round}/${writer}/`;
        const numbers = ids.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
        assert.deepEqual(numbers, Array.from(numbers.keys()), 'each writer’s entries are there in order and without a gap');
      }
    }
    const [number] = set[0].split(' ');
    assert.deepEqual(set, Array.from({ length: 40 }, (_, index) => `${number} ${index}`), 'a replacement is there whole');
    assert.ok(Number(number) >= replaced, 'and no older one than was acknowledged');
    assert.equal(await page.evaluate(() => lab.store().append('s', lab.turn('s', 'after all'))), 'inserted');
  });
});
