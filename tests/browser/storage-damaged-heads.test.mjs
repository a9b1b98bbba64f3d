// A session's head that is damaged or gone: the entries are there all the same, and the list of sessions is whole.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useFaults } from './storage-harness.mjs';

const ALL = Array.from({ length: 70 }, (_, number) => `m${number}`);
/** Without those that stand in the head's own value. */
const CHUNKS = ALL.slice(0, 64);

describe('the IndexedDB store on a damaged head', () => {
  const lab = useFaults();

  /** A page with a session `s` and two others; the database as it is then in `globalThis.before`. */
  async function filled() {
    const page = await lab.freshTab();
    await page.evaluate(async (ids) => {
      const store = lab.store();
      for (const id of ids) await store.append('s', lab.turn('s', id));
      for (const session of ['a', 'z']) await store.append(session, lab.turn(session, 'only'));
      await store.close();
      globalThis.before = await faults.capture('turnlog');
      globalThis.spoil = {
        flipped: (bytes, at) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)),
        short: (bytes) => bytes.slice(0, -1),
        long: (bytes) => new Uint8Array([...bytes, 0]),
        empty: () => new Uint8Array(),
        text: () => 'text',
        nothing: () => null,
        // Sound, but of another session.
        stranger: () => before.heads.find(([[id]]) => id === 'a')[1],
      };
      /** Puts everything back and damages the newest head of `s`; its digest then. */
      globalThis.damageHead = async (how, at) => {
        await faults.restore('turnlog', before);
        let aside = [];
        await faults.change('turnlog', async ({ heads }, resultOf) => {
          const rows = faults.rowsOf('s');
          if (how === 'gone') return resultOf(heads.delete(rows));
          const newest = (await resultOf(heads.getAllKeys(rows))).at(-1);
          const value = spoil[how](await resultOf(heads.get(newest)), at);
          aside = [faults.digest(value)];
          return resultOf(heads.put(value, newest));
        });
        return aside;
      };
    }, ALL);
    return page;
  }

  // Each head holds the entry of its own write, and those before it are still there.
  const BUT_NEWEST = ALL.slice(0, -1);
  const ways = [
    // In the magic, the words and the check value: the entry behind them is sound.
    ...[1, 5, 30, 80, 93, 99].map((at) => ({ how: 'flipped', at, rest: ALL })),
    ...[101, 110, 150].map((at) => ({ how: 'flipped', at, rest: BUT_NEWEST, lost: 1 })),
    ...['short', 'long', 'empty', 'text', 'nothing', 'stranger'].map((how) => ({ how, rest: BUT_NEWEST, lost: 1 })),
    // All of them: nobody knows how many entries there were.
    { how: 'gone', rest: CHUNKS },
  ];

  test('flipped, cut short, of another type or session, or gone: what is sound is there, and the head is kept aside', async () => {
    const page = await filled();
    for (const { rest, lost = 0, ...way } of ways) {
      const what = JSON.stringify(way);
      const found = await page.evaluate(async ({ how, at }) => {
        const aside = await damageHead(how, at);
        const store = lab.createIndexedDbStore();
        const ids = await lab.ids(store, 's');
        const append = [await store.append('s', lab.turn('s', 'm63')), await store.append('s', lab.turn('s', 'new'))];
        const damaged = (await store.damaged()).map(({ sessionId, entries, bytes }) => [sessionId, entries, bytes.map(faults.digest)]);
        await store.close();
        const again = lab.createIndexedDbStore();
        const result = { aside, ids, append, damaged, again: await lab.ids(again, 's'), told: (await again.damaged()).length };
        await again.close();
        return result;
      }, way);
      assert.deepEqual(found.ids, rest, what);
      assert.deepEqual(found.append, ['deduped', 'inserted'], what);
      assert.deepEqual(found.again, [...rest, 'new'], what);
      assert.deepEqual(found.damaged, [['s', lost, found.aside]], what);
      assert.equal(found.told, 1, `${what}: told once`);
    }
  });

  test('the list of sessions is whole, whichever call is the first to see it', async () => {
    const page = await filled();
    for (const { rest, lost: _, ...way } of ways) {
      const found = await page.evaluate(async ({ how, at }) => {
        await damageHead(how, at);
        const store = lab.createIndexedDbStore();
        const listed = (await store.sessions()).map(({ id, entries }) => `${id} ${entries}`).toSorted();
        const ids = await lab.ids(store, 's');
        const damaged = (await store.damaged()).map(({ sessionId }) => sessionId);
        await store.close();
        return { listed, damaged, ids };
      }, way);
      // A list reads no entries, those in the heads' values neither: with sound words it does not see what is lost of them.
      const areWordsSound = way.at > 100 || ['short', 'long'].includes(way.how);
      const told = areWordsSound ? ALL.length : rest.length;
      assert.deepEqual(found, { listed: ['a 1', `s ${told}`, 'z 1'], damaged: ['s'], ids: rest }, JSON.stringify(way));
    }
  });

  test('a head and a chunk at once: what is sound of the rest is there', async () => {
    const page = await filled();
    for (const { rest, lost: _, ...way } of ways) {
      const found = await page.evaluate(async ({ how, at }) => {
        await damageHead(how, at);
        await faults.change('turnlog', async ({ chunks }, resultOf) => {
          const [key] = (await resultOf(chunks.getAllKeys())).filter(([session]) => session === 's');
          const bytes = await resultOf(chunks.get(key));
          bytes[40] ^= 1;
          chunks.put(bytes, key);
        });
        const store = lab.createIndexedDbStore();
        const ids = await lab.ids(store, 's');
        const damaged = (await store.damaged()).map(({ sessionId, entries, bytes }) => [sessionId, entries > 0, bytes.length]);
        const append = await store.append('s', lab.turn('s', 'new'));
        const again = (await lab.ids(store, 's')).length - ids.length;
        await store.close();
        return { ids, damaged, append, again };
      }, way);
      const head = way.how === 'gone' ? 0 : 1;
      const wanted = { ids: rest.slice(64), damaged: [['s', true, 1 + head]], append: 'inserted', again: 1 };
      assert.deepEqual(found, wanted, JSON.stringify(way));
    }
  });

  test('a head of a later format is no damage: version_too_new, and nothing is touched', async () => {
    const page = await filled();
    const found = await page.evaluate(async () => {
      spoil.later = (bytes) => bytes.with(3, 9);
      await damageHead('later');
      const before = JSON.stringify(await lab.dump('turnlog'));
      const codes = [];
      for (const call of [
        (store) => store.get('s'), (store) => store.append('s', lab.turn('s', 'x')), (store) => store.tail('s', 1),
        (store) => store.sessions(),
      ]) {
        const store = lab.createIndexedDbStore();
        codes.push((await lab.outcome(call(store))).code ?? 'no error');
        await store.close();
      }
      const other = await lab.ids(lab.createIndexedDbStore(), 'a');
      return { codes, other, untouched: JSON.stringify(await lab.dump('turnlog')) === before };
    });
    assert.deepEqual(found, { codes: Array(4).fill('version_too_new'), other: ['only'], untouched: true });
  });

  test('a damaged session can be set anew or cleared, on purpose', async () => {
    const page = await filled();
    for (const how of ['flipped', 'gone']) {
      const found = await page.evaluate(async (way) => {
        await damageHead(way, 40);
        const store = lab.createIndexedDbStore();
        await store.replace('s', [lab.turn('s', 'new')]);
        const ids = await lab.ids(store, 's');
        await damageHead(way, 40);
        await store.clear('s');
        const left = [await lab.ids(store, 's'), (await store.sessions()).map(({ id }) => id).toSorted()];
        await store.close();
        const { chunks } = await faults.capture('turnlog');
        return { ids, left, chunks: chunks.filter(([[session]]) => session === 's').length };
      }, how);
      assert.deepEqual(found, { ids: ['new'], left: [[], ['a', 'z']], chunks: 0 }, how);
    }
  });
});
