// Who meets the damage first does not matter: every call goes on with the readable rest, several stores and tabs agree
// on it, reads do so even where nothing can be written, and what was kept aside stays until it is discarded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isArmed, useFaults } from './storage-harness.mjs';

const REST = Array.from({ length: 76 }, (_, number) => `m${number}`).slice(64);

/** Fills session `s` (its first 64 entries become one chunk) and `t`, and keeps the database in `globalThis.before`. */
async function fill() {
  const store = lab.store();
  for (const session of ['s', 't']) {
    for (const entry of lab.turns(session, 76)) await store.append(session, entry);
  }
  await store.close();
  globalThis.before = await faults.capture('turnlog');
}

/** Puts back what was and damages the first chunk of each of these sessions. */
async function damageFirst(sessions) {
  if (globalThis.before !== undefined) await faults.restore('turnlog', before);
  await faults.change('turnlog', async ({ chunks }, resultOf) => {
    for (const session of sessions) {
      const [key] = (await resultOf(chunks.getAllKeys())).filter(([id]) => id === session);
      const bytes = await resultOf(chunks.get(key));
      bytes[100] ^= 1;
      chunks.put(bytes, key);
    }
  });
}

describe('calls to a damaged session', () => {
  const lab = useFaults();

  test('each, the first to meet it, gives or writes what belongs to the readable rest', async () => {
    const page = await lab.freshTab();
    await page.evaluate(fill);
    await page.evaluate(() => {
      globalThis.calls = {
        get: (store) => lab.ids(store, 's'),
        tail: async (store) => (await store.tail('s', 300)).map(({ input }) => input.id),
        response: async (store) => [await store.getResponseById('s', 'm0'), await store.getResponseById('s', 'm75')],
        has: async (store) => [await store.has('s', 'm0'), await store.has('s', 'm75')],
        export: async (store) => new TextDecoder().decode(await store.exportSession('s')).trim().split('\n').length - 1,
        append: async (store) => [await store.append('s', lab.turn('s', 'm75')), await store.append('s', lab.turn('s', 'm0'))],
        import: async (store) => {
          const memory = lab.createInMemoryStore();
          for (const id of ['m0', 'm75']) await memory.append('s', lab.turn('s', id));
          const { inserted, deduped } = await store.importSession(await memory.exportSession('s'));
          return [inserted, deduped];
        },
        context: async (store) => (await lab.engine(store).getLLMContext('s')).value.length,
        handle: async (store) => {
          const engine = lab.engine(store, {}, (_, { messages }) => `${messages.length}`);
          return (await engine.handle(lab.request('s', 'new'))).value.output.userMessage;
        },
        replay: async (store) => (await lab.engine(store).handle(lab.request('s', 'm75'))).value.replayed,
      };
    });
    const wanted = {
      get: REST, tail: REST, response: [null, { userMessage: 'answered m75' }], has: [false, true], export: 12,
      append: ['deduped', 'inserted'], import: [1, 1], context: 24, handle: '24', replay: true,
    };
    for (const [name, value] of Object.entries(wanted)) {
      await page.evaluate(damageFirst, ['s']);
      const found = await page.evaluate(async (call) => {
        const store = lab.createIndexedDbStore();
        const answer = await calls[call](store);
        const damaged = (await store.damaged()).map(({ sessionId, entries }) => [sessionId, entries]);
        await store.close();
        return JSON.stringify([answer, damaged]);
      }, name);
      assert.deepEqual(JSON.parse(found), [value, [['s', 64]]], name);
    }
  });

  test('a session that is in memory already goes on with what it knows, until it is read anew', async () => {
    const page = await lab.freshTab();
    await page.evaluate(fill);
    const found = await page.evaluate(async () => {
      const [warm, cold] = [lab.createIndexedDbStore(), lab.createIndexedDbStore()];
      const before = (await lab.ids(warm, 's')).length;
      globalThis.before = undefined;
      return { before, stores: (globalThis.stores = [warm, cold]).length };
    });
    assert.deepEqual(found, { before: 76, stores: 2 });
    await page.evaluate(damageFirst, ['s']);
    const after = await page.evaluate(async () => {
      const [warm, cold] = stores;
      const append = await warm.append('s', lab.turn('s', 'x'));
      const seen = (await lab.ids(warm, 's')).length;
      const lists = [await lab.ids(cold, 's'), await lab.ids(warm, 's')];
      return { append, seen, lists, damaged: (await cold.damaged()).length };
    });
    assert.deepEqual(after, { append: 'inserted', seen: 77, lists: Array(2).fill([...REST, 'x']), damaged: 1 });
  });

  test('two tabs and several stores that meet it at once agree, and find it once', async () => {
    const context = await lab.newContext();
    const tabs = [await lab.tab(context), await lab.tab(context)];
    await tabs[0].evaluate(fill);
    for (let round = 0; round < 5; round += 1) {
      await tabs[0].evaluate(damageFirst, ['s', 't']);
      const found = await Promise.all(tabs.map((tab, number) => tab.evaluate(async (own) => {
        const stores = [0, 1, 2].map(() => lab.createIndexedDbStore());
        const [outcome, list] = await Promise.all([
          stores[0].append('s', lab.turn('s', `tab ${own}`)), lab.ids(stores[1], 's'), stores[2].get('t'),
          stores[2].append('t', lab.turn('t', 'both')),
        ]);
        globalThis.stores = stores;
        return { outcome, list: list.filter((id) => !id.startsWith('tab')) };
      }, number)));
      assert.deepEqual(found, Array(2).fill({ outcome: 'inserted', list: REST }));
      const lists = await Promise.all(tabs.map((tab) => tab.evaluate(async () => {
        const seen = await Promise.all(stores.flatMap((store) => [lab.ids(store, 's'), lab.ids(store, 't')]).map(async (ids) => (await ids).join()));
        const damaged = (await stores[1].damaged()).map(({ sessionId, entries }) => `${sessionId} ${entries}`);
        for (const store of stores) await store.close();
        return { seen: [...new Set(seen)].toSorted(), damaged: damaged.toSorted() };
      })));
      assert.deepEqual(lists[0], lists[1]);
      assert.equal(lists[0].seen.length, 2, 'one list for each session');
      assert.deepEqual(lists[0].damaged, ['s 64', 't 64']);
      assert.deepEqual(lists[0].seen[0].split(',').slice(0, 12), REST);
    }
  });

  test('what is kept aside outlives restarts and other damage, and is discarded by session', async () => {
    const page = await lab.freshTab();
    await page.evaluate(fill);
    await page.evaluate(damageFirst, ['s', 't']);
    await page.reload();
    await isArmed(page);
    const found = await page.evaluate(async () => {
      const store = lab.createIndexedDbStore();
      for (const session of ['s', 't']) await store.get(session);
      const list = async () => (await store.damaged()).map(({ sessionId, entries, bytes }) => [sessionId, entries, bytes.length]);
      const steps = [await list()];
      await faults.change('turnlog', ({ heads }) => heads.delete(faults.rowsOf('s')));
      await lab.createIndexedDbStore().get('s');
      steps.push(await list());
      await store.discardDamaged('s');
      steps.push(await list());
      await store.clear('t');
      steps.push(await list());
      await store.discardDamaged('t');
      await store.discardDamaged('never seen');
      steps.push(await list());
      return { steps, ids: await lab.ids(store, 's') };
    });
    const [s, t] = [['s', 64, 1], ['t', 64, 1]];
    assert.deepEqual(found.steps, [[s, t], [s, t, ['s', 0, 0]], [t], [t], []]);
    assert.deepEqual(found.ids, REST);
  });

  test('where nothing can be written the rest is read all the same, writes fail, and all is well once there is room', async () => {
    const folder = await lab.newProfile();
    const first = await lab.openProfile(folder);
    await (await lab.tab(first)).evaluate(async () => {
      const store = lab.store();
      for (let number = 0; number < 40; number += 1) {
        for (const session of ['s', 'h']) await store.append(session, lab.turn(session, `m${number}`, { text: lab.noise(60_000) }));
      }
      await store.close();
      await faults.change('turnlog', async ({ chunks, heads }, resultOf) => {
        const [key] = await resultOf(chunks.getAllKeys(IDBKeyRange.lowerBound(['s'])));
        const bytes = await resultOf(chunks.get(key));
        bytes[500] ^= 1;
        chunks.put(bytes, key);
        heads.put(new Uint8Array(92), await resultOf(heads.getKey(faults.rowsOf('h'))));
      });
    });
    await first.close();
    lab.forget(first);
    // Chromium remembers for a while how much room there was, but not over a restart.
    const page = await lab.tab(await lab.openProfile(folder));
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin, quotaSize: 100_000 });
    const look = () => page.evaluate(async () => {
      const store = (globalThis.mine ??= lab.createIndexedDbStore());
      const found = {
        get: (await lab.ids(store, 's')).length, tail: (await store.tail('s', 5)).length, has: await store.has('s', 'm39'),
        again: (await lab.ids(store, 's')).length, headless: (await lab.ids(store, 'h')).length,
        context: (await lab.engine(store).getLLMContext('s')).value?.length,
        append: (await lab.outcome(store.append('s', lab.turn('s', 'x')))),
        sessions: (await lab.outcome(store.sessions().then((list) => list.map(({ id, entries }) => `${id} ${entries}`).toSorted()))),
      };
      found.append = found.append.value ?? found.append.code;
      found.sessions = found.sessions.value ?? found.sessions.code;
      return found;
    });
    const full = await look();
    const lost = 40 - full.get;
    assert.ok(lost >= 1 && lost <= 10, `${lost} entries were in the damaged chunk`);
    const reads = { get: 40 - lost, tail: 5, has: true, again: 40 - lost, headless: 40, context: 80 - 2 * lost };
    // The head of `s` is sound, and says what it always said.
    assert.deepEqual(full, { ...reads, append: 'quota_exceeded', sessions: ['h 40', 's 40'] });
    assert.deepEqual(await page.evaluate(() => mine.damaged()), [], 'nothing could be kept aside');
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin });
    const after = await look();
    assert.deepEqual(after, { ...reads, append: 'inserted', sessions: ['h 40', `s ${41 - lost}`] });
    const damaged = await page.evaluate(async () => (await mine.damaged()).map(({ sessionId, entries }) => [sessionId, entries]));
    assert.deepEqual(damaged.toSorted(), [['h', 0], ['s', lost]]);
  });
});
