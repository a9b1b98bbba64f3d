// Large, many and odd: entries of several megabytes, ten thousand at once, ids and texts that look like
// something else, and what all of it costs in memory.
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
      const bigTail = (await store.tail('s', 3))[0].output.text === big('a') || (await store.tail('s', 3))[0].input.id;
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
    assert.deepEqual(imported.report, { sessionId: 'ten thousand', inserted: 10_000, deduped: 0, conflicts: [] });
    assert.deepEqual(imported.again, { sessionId: 'ten thousand', inserted: 0, deduped: 10_000, conflicts: [] });
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
    const odd = () => ({
      texts: ['half \ud83d', '\ude00 half', '\u0000\u001f\u2028\u2029\ufeff', '\ufffd', '"\\u0041'],
      [String.fromCharCode(0xdc00)]: 'a key that is half a pair',
      nested: JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null}'),
    });
    const made = `globalThis.odd = ${odd}`;
    const page1 = await page.evaluate(async (source) => {
      (0, Function)('return 0');
      return source.length;
    }, made).catch(() => 0);
    assert.ok(page1 >= 0);
  });
});
