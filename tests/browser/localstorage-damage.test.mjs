// Values that are not what was written, keys of others, and what killed tabs leave behind.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('the localStorage store on damaged data', () => {
  const lab = useLab();

  test('a value that is no entry is set aside, listed, exportable and discardable; the rest is returned in order', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      for (const entry of lab.turns('s', 8)) await store.append('s', entry);
      await store.append('other', lab.turn('other', 'a'));
      const keys = Object.keys(localStorage)
        .filter((key) => key.startsWith('turnlog/e/s/'))
        .toSorted();
      const bad = { 1: '', 3: '{"kind":"turn"}', 4: 'not JSON {', 5: JSON.stringify(lab.turn('s', '')), 6: `"\ud83d"` };
      for (const [at, text] of Object.entries(bad)) localStorage.setItem(keys[at], text);
      const fresh = lab.createLocalStorageStore();
      const listed = await fresh.damaged();
      const result = {
        ids: await lab.ids(fresh, 's'),
        tail: (await fresh.tail('s', 2)).map(({ input }) => input.id),
        entries: (await fresh.sessions()).map(({ id, entries }) => [id, entries]),
        damage: listed.map(({ sessionId, entries, found: time, bytes }) => [
          sessionId,
          entries,
          Math.abs(Date.now() - time) < 60_000,
          new TextDecoder().decode(bytes[0]),
        ]),
        again: (await lab.createLocalStorageStore().damaged()).length,
        appended: await fresh.append('s', lab.turn('s', 'm3')),
        next: await lab.ids(lab.createLocalStorageStore(), 's'),
      };
      await fresh.clear('s');
      result.afterClear = (await fresh.damaged()).length;
      await fresh.discardDamaged('other');
      result.afterOther = (await fresh.damaged()).length;
      await fresh.discardDamaged('s');
      result.discarded = (await fresh.damaged()).length;
      return result;
    });
    assert.deepEqual(found.ids, ['m0', 'm2', 'm7']);
    assert.deepEqual(found.tail, ['m2', 'm7']);
    assert.deepEqual(found.entries, [
      ['other', 1],
      ['s', 3],
    ]);
    const texts = ['', '{"kind":"turn"}', 'not JSON {', '"\ufffd"'];
    assert.deepEqual(
      found.damage
        .map((damage) => damage[3])
        .filter((text) => !text.startsWith('{"kind":"turn","'))
        .toSorted(),
      texts.toSorted(),
    );
    assert.deepEqual(
      found.damage.map((damage) => damage.slice(0, 3)),
      Array(5).fill(['s', 1, true]),
    );
    assert.equal(found.again, 5);
    assert.equal(found.appended, 'inserted');
    assert.deepEqual(found.next, ['m0', 'm2', 'm7', 'm3']);
    assert.deepEqual([found.afterClear, found.afterOther, found.discarded], [5, 5, 0]);
  });

  test('damage that comes while the session is in memory is found once it is read anew', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      for (const entry of lab.turns('s', 3)) await store.append('s', entry);
      localStorage.setItem('turnlog/e/s/0/zzzzzzzz/zzzzzzzz', '[1]');
      const first = await lab.ids(store, 's');
      await store.append('s', lab.turn('s', 'x'));
      return { first, ids: await lab.ids(store, 's'), damage: (await store.damaged()).length };
    });
    assert.deepEqual(found, { first: ['m0', 'm1', 'm2'], ids: ['m0', 'm1', 'm2', 'x'], damage: 1 });
  });

  test('where what says which generation counts is damaged, the newest one is read', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      await store.append('s', lab.turn('s', 'old'));
      await store.replace('s', lab.turns('s', 3));
      localStorage.setItem('turnlog/s/s', '{}');
      const fresh = lab.createLocalStorageStore();
      const ids = await lab.ids(fresh, 's');
      await fresh.append('s', lab.turn('s', 'x'));
      await fresh.replace('s', [lab.turn('s', 'y')]);
      return { ids, next: await lab.ids(lab.createLocalStorageStore(), 's') };
    });
    assert.deepEqual(found, { ids: ['m0', 'm1', 'm2'], next: ['y'] });
  });

  test('keys of others are never touched, nor taken for ours, however much they look like it', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const entry = JSON.stringify(lab.turn('s', 'foreign'));
      const others = {
        '': entry,
        turnlog: entry,
        'turnlog/': entry,
        'turnlog/e/s': entry,
        'turnlog/e/s/0/00000001': entry,
        'turnlog/e/s/0/00000001/abc': entry,
        'turnlog/e/s/0/0000000A/abcdefgh': entry,
        'turnlog/e/s/1/00000001/abcdefgh': entry,
        'turnlog/e/s/0/00000001/abcdefgh/x': entry,
        'turnlog/e/a%2fb/0/00000001/abcdefgh': entry,
        'turnlog/e/%zz/0/00000001/abcdefgh': entry,
        'turnlog/e/\ud800/0/00000001/abcdefgh': entry,
        [`turnlog/e/${'i'.repeat(513)}/0/00000001/abcdefgh`]: entry,
        'turnlog/d/s': entry,
        'turnlog/s/a/b': 'x',
        'turnlog2/e/s/0/00000001/abcdefgh': entry,
        'turnlog:turnlog:canary': '{}',
      };
      for (const [key, value] of Object.entries(others)) localStorage.setItem(key, value);
      const store = lab.createLocalStorageStore();
      await store.append('s', lab.turn('s', 'a'));
      await store.replace('s', [lab.turn('s', 'b')]);
      const seen = [
        await lab.ids(store, 's'),
        (await store.sessions()).map(({ id }) => id),
        (await store.damaged()).length,
      ];
      await store.clear('s');
      return { seen, changed: Object.keys(others).filter((key) => localStorage.getItem(key) !== others[key]) };
    });
    assert.deepEqual(found, { seen: [['b'], ['s'], 0], changed: [] });
  });

  test('what a tab left behind that was killed in a replace is deleted a day later, and nothing else', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      await store.append('s', lab.turn('s', 'a'));
      await store.append('replaced', lab.turn('replaced', 'a'));
      await store.replace('replaced', [lab.turn('replaced', 'b')]);
      await store.append('cleared', lab.turn('cleared', 'a'));
      await store.clear('cleared');
      const time = (ago) => (Date.now() - ago).toString(36).padStart(9, '0');
      const entry = (session, id) => JSON.stringify(lab.turn(session, id));
      const hour = 3_600_000;
      const left = {
        [`turnlog/e/s/${time(25 * hour)}aaaaaaaa/00000001/aaaaaaaa+`]: entry('s', 'never'),
        'turnlog/e/replaced/0/00000009/aaaaaaaa': entry('replaced', 'late'),
        'turnlog/s/gone': `${time(25 * hour)}aaaaaaaa-`,
      };
      const young = {
        [`turnlog/e/s/${time(hour)}aaaaaaaa/00000001/aaaaaaaa+`]: entry('s', 'never'),
        'turnlog/s/odd': '{}',
        [`turnlog/e/odd/${time(25 * hour)}aaaaaaaa/00000001/aaaaaaaa+`]: entry('odd', 'kept'),
      };
      for (const [key, value] of Object.entries({ ...left, ...young })) localStorage.setItem(key, value);
      const fresh = lab.createLocalStorageStore();
      const ids = [];
      for (const session of ['s', 'replaced', 'cleared', 'gone', 'odd'])
        ids.push((await lab.ids(fresh, session)).join());
      const stays = (keys) => Object.keys(keys).filter((key) => localStorage.getItem(key) !== null).length;
      return {
        ids,
        left: stays(left),
        young: stays(young),
        cleared: localStorage.getItem('turnlog/s/cleared') !== null,
      };
    });
    assert.deepEqual(found, { ids: ['a', 'b', '', '', 'kept'], left: 0, young: 3, cleared: true });
  });

  test('data of a newer version is refused and left alone', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      await lab.createLocalStorageStore().append('s', lab.turn('s', 'a'));
      localStorage.setItem('turnlog/v', '2');
      const before = JSON.stringify({ ...localStorage });
      const store = lab.createLocalStorageStore();
      const calls = [
        store.get('s'),
        store.append('s', lab.turn('s', 'b')),
        store.clear('s'),
        store.sessions(),
        store.damaged(),
      ];
      const codes = (await Promise.all(calls.map(lab.outcome))).map(({ code }) => code);
      return { codes, same: JSON.stringify({ ...localStorage }) === before };
    });
    assert.deepEqual(found, { codes: Array(5).fill('version_too_new'), same: true });
  });
});
