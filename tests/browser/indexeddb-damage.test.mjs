// Stored bytes that are not what was written: `corrupt` (or `version_too_new`), never a wrong list, and nothing
// is written over what may still be rescued.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

/**
 * The codes of all calls that read before they answer or write: each on a store that never saw the session, then
 * all on one store, where a call finds what the refusals before it left in memory.
 */
async function codesOfReaders() {
  const lines = `{"format":"turnlog/session","version":1,"sessionId":"s"}\n${JSON.stringify(lab.turn('s', 'x'))}\n`;
  const calls = [
    (store) => store.get('s'),
    (store) => store.tail('s', 1),
    (store) => store.tail('s', 300),
    (store) => store.getResponseById('s', 'm0'),
    (store) => store.has('s', 'm0'),
    (store) => store.exportSession('s'),
    (store) => store.append('s', lab.turn('s', 'x')),
    (store) => store.importSession(new TextEncoder().encode(lines)),
    (store) => lab.engine(store).handle(lab.request('s', 'y')).then((result) => {
      if (!result.ok) throw result.error;
    }),
  ];
  const one = lab.createIndexedDbStore();
  const codes = { apart: [], together: [] };
  for (const call of calls) {
    const fresh = lab.createIndexedDbStore();
    codes.apart.push((await lab.outcome(call(fresh))).code ?? 'no error');
    await fresh.close();
    codes.together.push((await lab.outcome(call(one))).code ?? 'no error');
  }
  // The damage of one session is no other one's.
  codes.other = await one.append('other', lab.turn('other', crypto.randomUUID()));
  await one.close();
  return codes;
}

/** `newest`: the damage is where the newest entry is, so that not even that one can be read by itself. */
function assertRefused(codes, code, newest, what) {
  const refused = Array(9).fill(code);
  assert.deepEqual(newest ? codes.apart : codes.apart.with(1, code), refused, `${what}, each call on a fresh store`);
  assert.deepEqual(codes.together.with(1, code), refused, `${what}, one call after another`);
  assert.equal(codes.other, 'inserted');
}

describe('the IndexedDB store on damaged data', () => {
  const lab = useLab();

  /** A page whose session `s` has packed chunks, a large entry in parts, and a tail of single chunks. */
  async function filled() {
    const page = await lab.fresh();
    await page.evaluate(async () => {
      const store = lab.store();
      for (let number = 0; number < 70; number += 1) await store.append('s', lab.turn('s', `m${number}`));
      await store.append('s', lab.turn('s', 'large', { text: 'x'.repeat(200_000) }));
      for (let number = 71; number < 76; number += 1) await store.append('s', lab.turn('s', `m${number}`));
      await store.append('other', lab.turn('other', 'a'));
      await store.close();
    });
    return page;
  }

  /** Session `s` as the database holds it. */
  const stored = (page) => page.evaluate(async () => {
    const { chunks, heads } = await lab.dump('turnlog');
    return [...chunks.filter(([key]) => key.startsWith('["s",')), ...heads.filter(([key]) => key === '"s"')];
  });

  async function refuses(page, damage, argument, { code = 'corrupt', newest = false } = {}) {
    await page.evaluate(damage, argument);
    const before = await stored(page);
    assertRefused(await page.evaluate(codesOfReaders), code, newest, JSON.stringify(argument));
    assert.deepEqual(await stored(page), before, 'nothing was written over it');
  }

  const places = async (page) => (await stored(page)).filter(([key]) => key !== '"s"').map(([key]) => JSON.parse(key));

  test('a flipped bit in any chunk: corrupt', async () => {
    const page = await filled();
    const keys = await places(page);
    assert.ok(keys.length >= 8 && keys.some(([, , part]) => part > 0), JSON.stringify(keys));
    const flip = ([key, fraction]) => lab.tamper('turnlog', async (chunks, _heads, resultOf) => {
      const bytes = await resultOf(chunks.get(key));
      bytes[Math.floor((bytes.length - 1) * fraction)] ^= 4;
      await resultOf(chunks.put(bytes, key));
    });
    for (const [index, key] of keys.entries()) {
      const place = [key, (index % 5) / 4];
      await refuses(page, flip, place, { newest: index === keys.length - 1 });
      await page.evaluate(flip, place);
    }
    assert.equal((await page.evaluate(() => lab.ids(lab.createIndexedDbStore(), 's'))).length, 76, 'flipped back, all is well');
  });

  test('a missing chunk, first, in the middle, last, or a part of one: corrupt', async () => {
    const page = await filled();
    const keys = await places(page);
    for (const key of keys) {
      const bytes = await page.evaluate(async (place) => {
        let kept;
        await lab.tamper('turnlog', async (chunks, _heads, resultOf) => {
          kept = await resultOf(chunks.get(place));
        });
        return Array.from(kept);
      }, key);
      await refuses(page, (place) => lab.tamper('turnlog', (chunks) => {
        chunks.delete(place);
      }), key, { newest: key === keys.at(-1) });
      await page.evaluate(([place, value]) => lab.tamper('turnlog', (chunks) => {
        chunks.put(new Uint8Array(value), place);
      }), [key, bytes]);
    }
  });

  test('a chunk or a head that is cut short, empty, or no bytes at all: corrupt', async () => {
    const page = await filled();
    const [first] = await places(page);
    const set = ([store, key, value]) => lab.tamper('turnlog', async (chunks, heads, resultOf) => {
      const place = store === 'chunks' ? chunks : heads;
      globalThis.kept = await resultOf(place.get(key));
      const values = { short: () => kept.slice(0, kept.length - 1), empty: () => new Uint8Array(), text: () => 'text', number: () => 7 };
      await resultOf(place.put(values[value](), key));
    });
    const restore = ([store, key]) => lab.tamper('turnlog', (chunks, heads) => {
      (store === 'chunks' ? chunks : heads).put(globalThis.kept, key);
    });
    for (const [store, key] of [['chunks', first], ['heads', 's']]) {
      for (const value of ['short', 'empty', 'text', 'number']) {
        await refuses(page, set, [store, key, value], { newest: store === 'heads' });
        await page.evaluate(restore, [store, key]);
      }
    }
  });

  test('a flipped bit in the head: corrupt', async () => {
    const page = await filled();
    for (const at of [0, 5, 30, 80, 90]) {
      const flip = (index) => lab.tamper('turnlog', async (_chunks, heads, resultOf) => {
        const bytes = await resultOf(heads.get('s'));
        bytes[index] ^= 1;
        await resultOf(heads.put(bytes, 's'));
      });
      await refuses(page, flip, at, { newest: true });
      await page.evaluate(flip, at);
    }
  });

  test('a head that is gone while its chunks are there: corrupt', async () => {
    const page = await filled();
    await refuses(page, () => lab.tamper('turnlog', (_chunks, heads) => {
      heads.delete('s');
    }), 'no head', { newest: true });
  });

  test('a chunk or a head of a later format: version_too_new', async () => {
    const page = await filled();
    const later = (in_) => lab.tamper('turnlog', async (chunks, heads, resultOf) => {
      const store = in_ === 'head' ? heads : chunks;
      const key = in_ === 'head' ? 's' : (await resultOf(chunks.getAllKeys())).find(([session]) => session === 's');
      const bytes = await resultOf(store.get(key));
      bytes[3] ^= 2;
      await resultOf(store.put(bytes, key));
    });
    for (const place of ['chunk', 'head']) {
      await refuses(page, later, place, { code: 'version_too_new', newest: place === 'head' });
      await page.evaluate(later, place);
    }
  });

  test('a damaged session can still be set anew or cleared, on purpose', async () => {
    const page = await filled();
    const flip = () => lab.tamper('turnlog', async (_chunks, heads, resultOf) => {
      const bytes = await resultOf(heads.get('s'));
      bytes[40] ^= 1;
      await resultOf(heads.put(bytes, 's'));
    });
    await page.evaluate(flip);
    const found = await page.evaluate(async () => {
      const store = lab.createIndexedDbStore();
      await store.replace('s', [lab.turn('s', 'new')]);
      return [await lab.ids(store, 's'), await store.append('s', lab.turn('s', 'more'))];
    });
    assert.deepEqual(found, [['new'], 'inserted']);
    await page.evaluate(flip);
    assert.deepEqual(await page.evaluate(async () => {
      const store = lab.createIndexedDbStore();
      await store.clear('s');
      return lab.ids(store, 's');
    }), []);
    assert.deepEqual(await stored(page), []);
  });
});
