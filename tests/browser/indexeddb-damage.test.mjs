// Stored chunks that are not what was written: the readable rest in order, what was damaged kept aside and told of,
// the session usable, every other one as it was.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useFaults } from './storage-harness.mjs';

const ALL = Array.from({ length: 100 }, (_, number) => `m${number}`);

/** What a store that never saw session `s` finds of it, and of what was kept aside; then it is written to. */
async function inspect() {
  const store = lab.createIndexedDbStore();
  const entries = await store.get('s');
  const found = {
    ids: entries.map(({ input }) => input.id),
    same: entries.every((entry) => JSON.stringify(entry) === globalThis.written.get(entry.input.id)),
    appended: await store.append('s', lab.turn('s', 'later')),
    other: await lab.ids(store, 'other'),
  };
  await store.close();
  const again = lab.createIndexedDbStore();
  found.again = await lab.ids(again, 's');
  found.listed = (await again.sessions()).map(({ id, entries: count }) => `${id} ${count}`);
  found.damaged = (await again.damaged()).map((damage) => ({ ...damage, bytes: damage.bytes.map(faults.digest) }));
  await again.close();
  return found;
}

describe('the IndexedDB store on damaged chunks', () => {
  const lab = useFaults();

  /**
   * A page whose session `s` has a packed chunk, a large entry in parts, small chunks and newest entries in the head; the database as it
   * is then in `globalThis.before`, and the keys of the chunks with the ids that are in each.
   */
  async function filled() {
    const page = await lab.freshTab();
    const keys = await page.evaluate(async (ids) => {
      const store = lab.store();
      globalThis.written = new Map();
      for (const id of ids) {
        const entry = lab.turn('s', id, id === 'm70' ? { text: 'x'.repeat(200_000) } : {});
        globalThis.written.set(id, JSON.stringify(entry));
        await store.append('s', entry);
      }
      // A chunk as long as those of `s`, of another session.
      await store.replace('other', [lab.turn('other', 'a')]);
      await store.close();
      globalThis.before = await faults.capture('turnlog');
      const chunks = before.chunks.filter(([[session]]) => session === 's');
      return chunks.map(([key]) => {
        const [, first] = chunks.find(([[, last]]) => last === key[1]);
        return { key, ids: ids.slice(key[1] + 1 - new DataView(first.buffer).getUint32(4, true), key[1] + 1) };
      });
    }, ALL);
    assert.ok(keys.length >= 7 && keys.some(({ key: [, , part] }) => part > 0), JSON.stringify(keys));
    return { page, keys };
  }

  /** Damages the database as it was first; `damage` gives digests of what must be kept aside. Holds what is found against what must be. */
  async function check(page, { lost, what }, damage, argument) {
    await page.evaluate(() => faults.restore('turnlog', before));
    const aside = await page.evaluate(damage, argument);
    const found = await page.evaluate(inspect);
    const rest = ALL.filter((id) => !lost.includes(id));
    assert.deepEqual(found.ids, rest, `${what}: the readable rest, in order`);
    assert.equal(found.same, true, `${what}: as it was written`);
    assert.equal(found.appended, 'inserted', what);
    assert.deepEqual(found.again, [...rest, 'later'], `${what}: later writes are behind it`);
    assert.deepEqual(found.listed.toSorted(), ['other 1', `s ${rest.length + 1}`], what);
    assert.deepEqual(found.other, ['a'], `${what}: the other session is as it was`);
    const [told, ...more] = found.damaged;
    assert.deepEqual(more, [], `${what}: found once`);
    assert.equal(told.sessionId, 's', what);
    assert.equal(told.entries, lost.length, `${what}: how many entries are lost`);
    assert.ok(Math.abs(Date.now() - told.found) < 60_000, what);
    assert.deepEqual(told.bytes, aside, `${what}: the damaged bytes are kept`);
  }

  test('a flipped bit costs the entries of its chunk and no other', async () => {
    const { page, keys } = await filled();
    for (const [index, { key, ids }] of keys.entries()) {
      await check(page, { lost: ids, what: JSON.stringify(key) }, async ([place, fraction]) => {
        await faults.change('turnlog', async ({ chunks }, resultOf) => {
          const bytes = await resultOf(chunks.get(place));
          bytes[Math.floor((bytes.length - 1) * fraction)] ^= 4;
          chunks.put(bytes, place);
        });
        // All parts of the chunk go aside, so that the rest of it may be rescued.
        return faults.digestsOfChunk('turnlog', place);
      }, [key, (index % 5) / 4]);
    }
  });

  test('a chunk that is gone, first, in the middle or last, is counted; of one in parts the other parts are kept', async () => {
    const { page, keys } = await filled();
    for (const { key, ids } of keys) {
      await check(page, { lost: ids, what: JSON.stringify(key) }, async (place) => {
        await faults.change('turnlog', ({ chunks }) => chunks.delete(place));
        return faults.digestsOfChunk('turnlog', place);
      }, key);
    }
  });

  test('a value that is cut short, too long, empty, of another type or of another place', async () => {
    const { page, keys } = await filled();
    const kinds = ['short', 'long', 'empty', 'neighbour', 'stranger', 'text', 'number', 'object', 'nothing'];
    for (const { key, ids } of [keys[0], keys[3], keys.at(-1)]) {
      for (const kind of kinds) {
        await check(page, { lost: ids, what: `${JSON.stringify(key)} ${kind}` }, async ([place, how]) => {
          await faults.change('turnlog', async ({ chunks }, resultOf) => {
            const kept = await resultOf(chunks.get(place));
            const all = await resultOf(chunks.getAllKeys());
            const another = (wanted) => chunks.get(all.find(([session, last]) => session === wanted && last !== place[1]));
            const values = {
              short: () => kept.slice(0, -1), long: () => new Uint8Array([...kept, 0]), empty: () => new Uint8Array(),
              neighbour: () => resultOf(another('s')), stranger: () => resultOf(another('other')),
              text: () => 'text', number: () => 7, object: () => ({ a: [1] }), nothing: () => null,
            };
            await resultOf(chunks.put(await values[how](), place));
          });
          return faults.digestsOfChunk('turnlog', place);
        }, [key, kind]);
      }
    }
  });

  test('a chunk of a later format is no damage: version_too_new, and nothing is touched', async () => {
    const { page } = await filled();
    const found = await page.evaluate(async () => {
      await faults.change('turnlog', async ({ chunks }, resultOf) => {
        const key = (await resultOf(chunks.getAllKeys())).find(([session]) => session === 's');
        const bytes = await resultOf(chunks.get(key));
        bytes[3] = 9;
        chunks.put(bytes, key);
      });
      const stored = async () => JSON.stringify((({ chunks, heads }) => [chunks, heads])(await lab.dump('turnlog')));
      const before = await stored();
      const codes = [];
      for (const call of [
        (store) => store.get('s'), (store) => store.append('s', lab.turn('s', 'x')), (store) => store.tail('s', 300),
        (store) => store.has('s', 'm0'), (store) => store.exportSession('s'),
      ]) {
        const store = lab.createIndexedDbStore();
        codes.push((await lab.outcome(call(store))).code ?? 'no error');
        await store.close();
      }
      return { codes, untouched: (await stored()) === before, damaged: await lab.createIndexedDbStore().damaged() };
    });
    assert.deepEqual(found, { codes: Array(5).fill('version_too_new'), untouched: true, damaged: [] });
  });
});
