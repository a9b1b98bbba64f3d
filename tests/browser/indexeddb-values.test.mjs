// Large, many and odd: entries of several megabytes, ten thousand at once, ids and texts that look like
// something else.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

describe('the IndexedDB store holds', () => {
  const lab = useLab();

  test('entries of five megabytes, in records of at most 60,000 bytes, across a reload', async () => {
    const page = await lab.fresh();
    const chunks = await page.evaluate(async () => {
      const store = lab.store();
      const big = (letter) => `${letter}é😀"\\\n`.repeat(450_000);
      await store.append('s', lab.turn('s', 'small before'));
      await store.append('s', lab.turn('s', 'big one', { text: big('a') }));
      await Promise.all([
        store.append('s', lab.turn('s', 'big two', { text: big('b') })),
        store.append('s', lab.turn('s', 'small after')),
      ]);
      return lab.chunkSizes('turnlog');
    });
    assert.ok(chunks.largest <= 60_000 && chunks.count > 150, `${chunks.count} records, the largest of ${chunks.largest} bytes`);
    await page.reload();
    await isReady(page);
    const found = await page.evaluate(async () => {
      const store = lab.store();
      const big = (letter) => `${letter}é😀"\\\n`.repeat(450_000);
      const tail = (await store.tail('s', 2)).map((entry) => entry.input.id);
      const bigTail = (await store.tail('s', 3))[0].output.text === big('a');
      const [before, one, two, after] = await store.get('s');
      return {
        tail,
        bigTail,
        ids: [before, one, two, after].map((entry) => entry.input.id),
        same: one.output.text === big('a') && two.output.text === big('b'),
        response: (await store.getResponseById('s', 'big two')).text === big('b'),
        appended: await store.append('s', lab.turn('s', 'one more')),
        replaced: await store.replace('s', [one, lab.turn('s', 'x')]).then(() => lab.ids(store, 's')),
      };
    });
    assert.deepEqual(found, {
      tail: ['big two', 'small after'],
      bigTail: true,
      ids: ['small before', 'big one', 'big two', 'small after'],
      same: true,
      response: true,
      appended: 'inserted',
      replaced: ['big one', 'x'],
    });
  });

  test('ten thousand entries that are imported, and exports the same bytes after a reload and in another store', async () => {
    const page = await lab.fresh();
    const imported = await page.evaluate(async () => {
      const line = (number) => JSON.stringify({ ...lab.turn('ten thousand', `m${number}`, { n: number / 7, text: 'é漢😀'.repeat(number % 40) }), metadata: { number } });
      const header = JSON.stringify({ format: 'turnlog/session', version: 1, sessionId: 'ten thousand' });
      const text = [header, ...Array.from({ length: 10_000 }, (_, number) => line(number)), ''].join('\n');
      globalThis.bytes = new TextEncoder().encode(text);
      const report = await lab.store().importSession(globalThis.bytes);
      const again = await lab.store().importSession(globalThis.bytes);
      sessionStorage.setItem('digest', new Uint8Array(await crypto.subtle.digest('SHA-256', globalThis.bytes)).join());
      return { report, again, chunks: await lab.chunkSizes('turnlog') };
    });
    const counts = ({ sessionId, inserted, deduped }) => [sessionId, inserted, deduped];
    assert.deepEqual(counts(imported.report), ['ten thousand', 10_000, 0]);
    assert.deepEqual(counts(imported.again), ['ten thousand', 0, 10_000]);
    assert.ok(imported.chunks.largest <= 60_000 && imported.chunks.count < 200, JSON.stringify(imported.chunks));
    await page.reload();
    await isReady(page);
    const found = await page.evaluate(async () => {
      const digest = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).join();
      const tail = (await lab.store().tail('ten thousand', 3)).map(({ input }) => input.id);
      const bytes = await lab.store().exportSession('ten thousand');
      const memory = lab.createInMemoryStore();
      await memory.importSession(bytes);
      const [session] = await lab.store().sessions();
      return {
        tail,
        same: (await digest(bytes)) === sessionStorage.getItem('digest'),
        memory: (await digest(await memory.exportSession('ten thousand'))) === sessionStorage.getItem('digest'),
        entries: session.entries,
        response: (await lab.store().getResponseById('ten thousand', 'm7000')).n,
      };
    });
    assert.deepEqual(found, { tail: ['m9997', 'm9998', 'm9999'], same: true, memory: true, entries: 10_000, response: 1000 });
  });

  test('lone surrogates, control characters and the key __proto__, across a reload', async () => {
    const page = await lab.fresh();
    await page.evaluate(async () => {
      const output = lab.oddities();
      const input = { ...lab.request('s', 'b'), payload: lab.oddities() };
      await lab.store().append('s', { ...lab.turn('s', 'a', output), metadata: lab.oddities() });
      await lab.store().append('s', { ...lab.turn('s', 'b'), input });
      await lab.store().append('s', { kind: 'injection', input: lab.injection('s', 'c', '\ud83d') });
    });
    await page.reload();
    await isReady(page);
    const found = await page.evaluate(async () => {
      const [a, b, c] = await lab.store().get('s');
      // JSON.stringify writes half a pair as an escape, so equal texts are equal to the code unit.
      const wanted = JSON.stringify(lab.oddities());
      const { userMessage, ...output } = a.output;
      const copy = lab.createInMemoryStore();
      await copy.importSession(await lab.store().exportSession('s'));
      return {
        userMessage,
        same: [output, a.metadata, b.input.payload].map((value) => JSON.stringify(value) === wanted),
        half: c.input.content === '\ud83d',
        own: Object.hasOwn(a.output.nested, '__proto__') && a.output.nested.polluted === undefined,
        clean: {}.polluted === undefined,
        copied: JSON.stringify(await copy.get('s')) === JSON.stringify([a, b, c]),
        deduped: await lab.store().append('s', { ...lab.turn('s', 'a', lab.oddities()), metadata: lab.oddities() }),
      };
    });
    assert.deepEqual(found, {
      userMessage: 'answered a', same: [true, true, true], half: true, own: true, clean: true, copied: true, deduped: 'deduped',
    });
  });

  test('sessions apart whose ids begin alike, sort oddly or name properties', async () => {
    const page = await lab.fresh();
    const ids = ['a', 'a ', 'aa', 'a,1', 'a\u0000', 'a\uffff', '__proto__', 'constructor', '[object Object]', '0', '1', '01', '😀', '\u{10ffff}', 'é', 'e\u0301', 'x'.repeat(511), 'x'.repeat(512)];
    const run = (list) => page.evaluate(async (sessions) => {
      const store = lab.store();
      const found = {};
      for (const session of sessions) found[`id ${session}`] = (await store.get(session)).map(({ input }) => [input.sessionId, input.id]);
      return { found, listed: (await store.sessions()).map(({ id }) => id) };
    }, list);
    await page.evaluate(async (sessions) => {
      for (const [index, session] of sessions.entries()) {
        await lab.store().append(session, lab.turn(session, `first of ${index}`));
        await lab.store().append(session, lab.turn(session, 'a'));
      }
    }, ids);
    await page.reload();
    await isReady(page);
    const wanted = (list) => Object.fromEntries(ids.map((id, index) => [`id ${id}`, list.includes(id) ? [[id, `first of ${index}`], [id, 'a']] : []]));
    const all = await run(ids);
    assert.deepEqual(all.found, wanted(ids));
    assert.deepEqual(all.listed.toSorted(), ids.toSorted());
    // What is deleted of one must not reach another.
    await page.evaluate(async () => {
      await lab.store().clear('a');
      await lab.store().replace('__proto__', []);
    });
    const left = ids.filter((id) => id !== 'a' && id !== '__proto__');
    const after = await run(ids);
    assert.deepEqual(after.found, wanted(left));
    assert.deepEqual(after.listed.toSorted(), left.toSorted());
  });

  test('two hundred calls at once on many sessions, through several stores and engines', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const stores = [lab.store(), lab.createIndexedDbStore()];
      const calls = Array.from({ length: 200 }, (_, number) => {
        const [store, session] = [stores[number % 2], `s${number % 10}`];
        switch (Math.floor(number / 10) % 5) {
          case 0:
          case 1: return store.append(session, lab.turn(session, `a${number}`));
          case 2: return store.get(session).then(() => 'read');
          case 3: return lab.engine(store).handle(lab.request(session, `e${number}`)).then((result) => result.ok);
          default: return store.tail(session, 2).then(() => 'read');
        }
      });
      const outcomes = await Promise.all(calls);
      const counts = await Promise.all(stores.map((store) => Promise.all(
        Array.from({ length: 10 }, async (_, number) => (await store.get(`s${number}`)).length))));
      await stores[1].close();
      return { outcomes: [...new Set(outcomes)], counts };
    });
    assert.deepEqual(found.outcomes.toSorted(), ['inserted', 'read', true].toSorted());
    assert.deepEqual(found.counts, Array(2).fill(Array(10).fill(12)));
  });

  test('strict durability, and a database name like any other', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createIndexedDbStore({ name: 'ünusual / name', durability: 'strict' });
      const outcomes = [await store.append('s', lab.turn('s', 'a')), await store.append('s', lab.turn('s', 'a'))];
      const names = (await indexedDB.databases()).map(({ name }) => name);
      const estimate = await store.estimate();
      return { kind: store.kind, outcomes, names, other: await lab.store().get('s'), persisted: await store.persisted(), usage: estimate.usage > 0, quota: estimate.quota > 0 };
    });
    assert.deepEqual(found, {
      kind: 'indexeddb', outcomes: ['inserted', 'deduped'], names: ['ünusual / name'], other: [], persisted: false, usage: true, quota: true,
    });
  });
});
