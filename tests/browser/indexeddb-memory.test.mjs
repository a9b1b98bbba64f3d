// Work that leaves nothing behind leaves no memory taken: the core's memory is watched over many rounds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('the core’s memory stays bounded', () => {
  const lab = useLab();

  test('over 10,000 appends and reads of sessions that are cleared again', async () => {
    const page = await lab.fresh();
    const sizes = await page.evaluate(async () => {
      const store = lab.store();
      const found = [];
      for (let round = 0; round < 10; round += 1) {
        // Ten sessions of a hundred entries, each written twice and read every way there is.
        await Promise.all(Array.from({ length: 10 }, async (_, number) => {
          const session = `session ${round} ${number}`;
          const entries = lab.turns(session, 100).map((entry) => ({ ...entry, metadata: 'm'.repeat(1_000) }));
          const outcomes = await Promise.all(entries.map((entry) => store.append(session, entry)));
          if (!outcomes.every((outcome) => outcome === 'inserted')) throw new Error(outcomes.join());
          for (const entry of entries.slice(0, 20)) await store.getResponseById(session, entry.input.id);
          if ((await store.get(session)).length !== 100) throw new Error('entries are missing');
          await store.tail(session, 10);
          await store.importSession(await store.exportSession(session));
          await lab.engine(store).getLLMContextBytes(session);
          await store.clear(session);
        }));
        found.push(await lab.coreMemory());
      }
      return found;
    });
    // The first rounds find the working size; after that 7,000 entries of 1.2 KB come and go.
    assert.ok(sizes.at(-1) - sizes[2] <= 512 * 1024, `grew from ${sizes[2]} to ${sizes.at(-1)}: ${sizes}`);
  });

  test('over 10,000 calls that are refused', async () => {
    const page = await lab.fresh();
    const sizes = await page.evaluate(async () => {
      const store = lab.store();
      const engine = lab.engine(store);
      const found = [];
      const text = 'x'.repeat(2_000);
      for (let round = 0; round < 5; round += 1) {
        for (let number = 0; number < 500; number += 1) {
          const bad = lab.turn('s', '', { text });
          const results = await Promise.allSettled([
            store.append('s', bad),
            store.append('\ud800', lab.turn('s', 'a')),
            store.replace('s', [lab.turn('s', 'a', { text }), lab.turn('s', 'a')]),
            store.importSession(new TextEncoder().encode(text)),
          ]);
          if (results.some(({ status }) => status !== 'rejected')) throw new Error(JSON.stringify(results));
          if ((await engine.handle({ ...lab.request('s', 'a'), timestamp: NaN })).ok) throw new Error('NaN was taken');
        }
        found.push(await lab.coreMemory());
      }
      if ((await store.get('s')).length !== 0) throw new Error('something refused was stored');
      if ((await store.append('s', lab.turn('s', 'a'))) !== 'inserted') throw new Error('not usable afterwards');
      return found;
    });
    assert.ok(sizes.at(-1) - sizes[0] <= 256 * 1024, `${sizes}`);
  });

  test('over sessions that are read, more than it keeps: the oldest are forgotten and read again', async () => {
    const context = await lab.newContext();
    // 280 sessions of 320 KB are 87 MB: more than the 64 MB that may stay resident, and more than 256 sessions.
    const writer = await lab.open(context);
    await writer.evaluate(async () => {
      const text = 't'.repeat(80_000);
      for (let session = 0; session < 280; session += 1) {
        await lab.store().replace(`s${session}`, [0, 1, 2, 3].map((n) => lab.turn(`s${session}`, `${n}`, { text })));
      }
    });
    await writer.close();
    const reader = await lab.open(context);
    const { sizes, wrong } = await reader.evaluate(async () => {
      const store = lab.store();
      const [found, bad] = [[], []];
      for (const pass of [0, 1, 2]) {
        for (let session = 0; session < 280; session += 8) {
          const lists = await Promise.all(Array.from({ length: 8 }, (_, index) => store.get(`s${session + index}`)));
          for (const [index, list] of lists.entries()) if (list.length !== 4) bad.push([pass, session + index, list.length]);
        }
        found.push(await lab.coreMemory());
      }
      const engine = lab.engine(store);
      for (let session = 0; session < 280; session += 40) {
        const { value } = await engine.getLLMContext(`s${session}`);
        if (value.length !== 8) bad.push(['engine', session, value.length]);
      }
      return { sizes: found, wrong: bad };
    });
    assert.deepEqual(wrong, []);
    assert.ok(sizes[0] < 176 * 2 ** 20, `${sizes}`);
    assert.ok(sizes[2] - sizes[0] <= 8 * 2 ** 20, `later passes took more: ${sizes}`);
  });
});
