// Out of room: `quota_exceeded`, the call undone whole, in the database and in memory, and usable afterwards.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('the IndexedDB store without room', () => {
  const lab = useLab();

  /** A page with `bytes` of room and two small entries in `s`, and what changes the room: none given is all again. */
  async function small(bytes) {
    const page = await lab.fresh();
    const cdp = await page.context().newCDPSession(page);
    const room = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin, quotaSize });
    // Before the first write: Chromium asks for the room now and then, not for each transaction. What is refused
    // below compresses well: Chromium writes it before it refuses, and its traces would take all the room.
    await room(bytes);
    await page.evaluate(async () => {
      for (const entry of lab.turns('s', 2)) await lab.store().append('s', entry);
      globalThis.big = 'x'.repeat(6_000_000);
    });
    return { page, room };
  }

  test('append, replace, import and handle fail with quota_exceeded and change nothing; then it works again', async () => {
    const { page, room } = await small(2_000_000);
    const found = await page.evaluate(async () => {
      const store = lab.store();
      const changes = [];
      store.subscribe((change) => changes.push(change.kind));
      const memory = lab.createInMemoryStore();
      await memory.append('s', lab.turn('s', 'big', { text: big }));
      const lines = await memory.exportSession('s');
      const before = JSON.stringify([await store.get('s'), await store.sessions()]);
      const calls = {
        append: () => store.append('s', lab.turn('s', 'big', { text: big })),
        replace: () => store.replace('s', [lab.turn('s', 'big', { text: big })]),
        import: () => store.importSession(lines),
        elsewhere: () => store.append('unknown', lab.turn('unknown', 'big', { text: big })),
      };
      const [outcomes, unchanged] = [{}, []];
      const look = async () => {
        const fresh = lab.createIndexedDbStore();
        unchanged.push(...(await Promise.all([store, fresh].map(async (reader) =>
          JSON.stringify([await reader.get('s'), await reader.sessions()]) === before && !(await reader.has('s', 'big'))))));
        await fresh.close();
      };
      for (const [name, call] of Object.entries(calls)) {
        outcomes[name] = await lab.outcome(call());
        await look();
      }
      const handled = await lab.engine(store, {}, () => big).handle(lab.request('s', 'big'));
      outcomes.handle = { name: handled.error?.name, code: handled.error?.code, details: handled.error?.details };
      await look();
      return { outcomes, unchanged, changes };
    });
    for (const [name, outcome] of Object.entries(found.outcomes)) {
      assert.equal(outcome.code, 'quota_exceeded', `${name}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.name, 'StoreError');
      assert.equal(outcome.details?.name, 'QuotaExceededError', 'the browser’s own error is kept in details');
    }
    assert.deepEqual(found.unchanged, Array(10).fill(true));
    assert.deepEqual(found.changes, [], 'what did not happen is not told of');
    await room(undefined);
    const after = await page.evaluate(async () => [
      await lab.store().append('s', lab.turn('s', 'big', { text: big })),
      (await lab.engine(lab.store()).handle(lab.request('s', 'next'))).ok,
      await lab.ids(lab.store(), 's'),
    ]);
    assert.deepEqual(after, ['inserted', true, ['m0', 'm1', 'big', 'next']]);
  });

  test('of appends at once those with room are stored, each call by itself', async () => {
    const { page } = await small(2_000_000);
    const found = await page.evaluate(async () => {
      const store = lab.store();
      const outcomes = await Promise.all([
        store.append('s', lab.turn('s', 'a')),
        store.append('s', lab.turn('s', 'big', { text: big })),
        store.append('s', lab.turn('s', 'b')),
        store.append('s', lab.turn('s', 'big', { text: big })),
      ].map(lab.outcome));
      const fresh = lab.createIndexedDbStore();
      return { outcomes: outcomes.map(({ value, code }) => value ?? code), ids: await lab.ids(store, 's'), stored: await lab.ids(fresh, 's') };
    });
    assert.deepEqual(found.outcomes, ['inserted', 'quota_exceeded', 'inserted', 'quota_exceeded']);
    assert.deepEqual(found.ids, ['m0', 'm1', 'a', 'b']);
    assert.deepEqual(found.stored, found.ids);
  });

  test('a reader beside a write that fails never sees its entry', async () => {
    const { page } = await small(2_000_000);
    const seen = await page.evaluate(async () => {
      const store = lab.store();
      const engine = lab.engine(store);
      const reads = [];
      const watch = (promise, idsOf) => reads.push(promise.then(idsOf));
      const contents = ({ value }) => value.map(({ content }) => content);
      watch(store.get('s'), (list) => list.map(({ input }) => input.id));
      watch(engine.getLLMContext('s'), contents);
      watch(engine.getHistory('s'), ({ value }) => value.map(({ id }) => id));
      const failing = lab.outcome(store.append('s', lab.turn('s', 'big', { text: big })));
      watch(store.get('s'), (list) => list.map(({ input }) => input.id));
      watch(store.tail('s', 9), (list) => list.map(({ input }) => input.id));
      watch(store.has('s', 'big'), (has) => (has ? ['big'] : []));
      const failed = await failing;
      return { code: failed.code, reads: await Promise.all(reads) };
    });
    assert.equal(seen.code, 'quota_exceeded');
    assert.deepEqual(seen.reads.filter((list) => list.some((text) => text.includes('big'))), []);
  });

  test('clear and a smaller replace work without room', async () => {
    const { page } = await small(4_000_000);
    const found = await page.evaluate(async () => {
      const store = lab.store();
      await store.append('s', lab.turn('s', 'fits', { text: lab.noise(1_500_000) }));
      const append = await lab.outcome(store.append('s', lab.turn('s', 'more', { text: big })));
      const replaced = await lab.outcome(store.replace('s', [lab.turn('s', 'small')]));
      const ids = await lab.ids(store, 's');
      const cleared = await lab.outcome(store.clear('s'));
      return { codes: [append, replaced, cleared].map(({ code = 'done' }) => code), ids, left: await lab.ids(store, 's') };
    });
    assert.deepEqual(found, { codes: ['quota_exceeded', 'done', 'done'], ids: ['small'], left: [] });
  });
});
