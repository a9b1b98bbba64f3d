// The engine on the IndexedDB store: answers, replays, bounds, hooks, and what of it a reload finds again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

describe('the engine on the IndexedDB store', () => {
  const lab = useLab();
  const reload = async (page) => {
    await page.reload();
    await isReady(page);
  };

  test('answers, replays after a reload without the planner, and says when an id comes with other content', async () => {
    const page = await lab.fresh();
    const answered = await page.evaluate(async () => {
      const engine = lab.engine(lab.store());
      const first = await engine.handle(lab.request('s', 'a', 'Hello'));
      const injected = await engine.handle(lab.injection('s', 'b', 'By the way'));
      const again = await engine.handle(lab.injection('s', 'b', 'By the way'));
      return { first, injected, again, planned: engine.planned };
    });
    assert.deepEqual(answered.first, { ok: true, value: { type: 'chart_response', output: { userMessage: 'answered a' }, replayed: false } });
    assert.deepEqual(answered.injected, { ok: true, value: { type: 'assistant_message_result', outcome: 'inserted' } });
    assert.deepEqual(answered.again, { ok: true, value: { type: 'assistant_message_result', outcome: 'deduped' } });
    await reload(page);
    const after = await page.evaluate(async () => {
      const engine = lab.engine(lab.store(), {}, () => 'another answer');
      const replayed = await engine.handle(lab.request('s', 'a', 'Hello'));
      const other = await engine.handle(lab.request('s', 'a', 'Something else'));
      const injected = await engine.handle(lab.injection('s', 'b', 'Not that'));
      return {
        replayed, other, injected, planned: engine.planned,
        history: (await engine.getHistory('s')).value,
        context: (await engine.getLLMContext('s')).value,
        bytes: new TextDecoder().decode((await engine.getLLMContextBytes('s')).value),
      };
    });
    assert.deepEqual(after.replayed.value, { type: 'chart_response', output: { userMessage: 'answered a' }, replayed: true });
    assert.deepEqual(after.other.value, { type: 'chart_response', output: { userMessage: 'answered a' }, replayed: true, conflict: true });
    assert.deepEqual(after.injected.value, { type: 'assistant_message_result', outcome: 'deduped', conflict: true });
    assert.deepEqual(after.planned, []);
    assert.deepEqual(after.history.map((entry) => [entry.kind, entry.id]), [['turn', 'a'], ['injection', 'b']]);
    assert.deepEqual(after.context, [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'answered a' },
      { role: 'assistant', content: 'By the way' },
    ]);
    assert.deepEqual(JSON.parse(after.bytes), after.context);
  });

  test('what an engine records is in the next request’s context, also of an engine in another tab', async () => {
    const context = await lab.newContext();
    const [one, two] = [await lab.open(context), await lab.open(context)];
    await two.evaluate(() => lab.engine(lab.store()).getLLMContext('s'));
    await one.evaluate(() => lab.engine(lab.store()).handle(lab.request('s', 'a', 'Hello')));
    await one.evaluate(() => lab.engine(lab.store()).handle(lab.injection('s', 'b', 'By the way')));
    const reply = await two.evaluate(async () => {
      const engine = lab.engine(lab.store(), {}, (_, { messages }) => messages.map(({ content }) => content).join('|'));
      return (await engine.handle(lab.request('s', 'c', 'So?'))).value.output.userMessage;
    });
    assert.equal(reply, 'Hello|answered a|By the way');
  });

  test('maxEntries over 300 turns: always the newest, with few and small records in the database, reloads between', async () => {
    const page = await lab.fresh();
    for (const from of [0, 100, 200]) {
      await page.evaluate(async (start) => {
        const engine = lab.engine(lab.store(), { maxEntries: 10 });
        for (let number = start; number < start + 100; number += 1) {
          const result = await engine.handle(lab.request('s', `m${number}`));
          if (!result.ok) throw result.error;
          const ids = await lab.ids(lab.store(), 's');
          const oldest = Math.max(0, number - 9);
          const wanted = Array.from({ length: number - oldest + 1 }, (_, index) => `m${oldest + index}`);
          if (ids.join() !== wanted.join()) throw new Error(`after ${number}: ${ids}`);
        }
      }, from);
      await reload(page);
      const found = await page.evaluate(async () => ({
        ids: await lab.ids(lab.store(), 's'),
        chunks: await lab.chunkSizes('turnlog'),
        sessions: await lab.store().sessions(),
        tail: (await lab.store().tail('s', 3)).map(({ input }) => input.id),
        dropped: await lab.store().has('s', 'm0'),
      }));
      const wanted = Array.from({ length: 10 }, (_, index) => `m${from + 90 + index}`);
      assert.deepEqual(found.ids, wanted);
      assert.deepEqual(found.tail, wanted.slice(-3));
      assert.equal(found.sessions[0].entries, 10);
      assert.equal(found.dropped, false);
      // 64 dropped ones may wait to be deleted, and 64 appended ones to be packed.
      assert.ok(found.chunks.count <= 130, `${found.chunks.count} records are stored for 10 entries`);
    }
  });

  test('without bounds 300 single appends are packed: a few large records, none over 60,000 bytes', async () => {
    const page = await lab.fresh();
    const { chunks, session, exact } = await page.evaluate(async () => {
      const store = lab.store();
      for (let number = 0; number < 300; number += 1) {
        await store.append('s', lab.turn('s', `m${number}`, { padding: 'y'.repeat(number % 50 === 0 ? 50_000 : 400) }));
      }
      const entries = await store.get('s');
      return {
        chunks: await lab.chunkSizes('turnlog'),
        session: (await store.sessions())[0],
        exact: entries.reduce((sum, entry) => sum + new TextEncoder().encode(JSON.stringify(entry)).length, 0),
      };
    });
    assert.ok(chunks.count < 64 + 20, `${chunks.count} records`);
    assert.ok(chunks.largest <= 60_000, `${chunks.largest} bytes`);
    assert.equal(session.entries, 300);
    assert.equal(session.bytes, exact, 'bytes is the size of the retained JSON text');
  });

  test('maxChars over 300 turns with a reload between: within the budget, the newest stays however long', async () => {
    const page = await lab.fresh();
    for (const from of [0, 150]) {
      await page.evaluate(async (start) => {
        const engine = lab.engine(lab.store(), { maxChars: 1_000 }, (request) => 'é'.repeat(Number(request.id) % 97));
        for (let number = start; number < start + 150; number += 1) {
          const result = await engine.handle(lab.request('s', String(number), '😀'.repeat(number % 31)));
          if (!result.ok) throw result.error;
          const lengths = (await lab.store().get('s')).map((entry) =>
            lab.defaultLLMContext(entry).reduce((sum, message) => sum + message.content.length, 0));
          const sum = lengths.reduce((a, b) => a + b, 0);
          if (sum > 1_000 && lengths.length > 1) throw new Error(`${sum} characters after ${number}`);
        }
      }, from);
      await reload(page);
      const ids = await page.evaluate(() => lab.ids(lab.store(), 's'));
      const last = from + 149;
      assert.deepEqual(ids, Array.from({ length: ids.length }, (_, index) => String(last - ids.length + 1 + index)));
      // What was dropped last did not fit: the list could not be one entry longer.
      const units = (number) => 2 * (number % 31) + (number % 97);
      const held = ids.reduce((sum, id) => sum + units(Number(id)), 0);
      assert.ok(held <= 1_000 && held + units(last - ids.length) > 1_000, `${ids.length} entries, ${held} characters`);
    }
    const sticky = await page.evaluate(async () => {
      const store = lab.store();
      let overBudget;
      const engine = lab.engine(store, { maxChars: 1_000 }, (_, context) => {
        overBudget = context.overBudget;
        return 'z'.repeat(5_000);
      });
      await engine.handle(lab.request('s', 'huge'));
      const alone = await lab.ids(store, 's');
      await engine.handle(lab.request('s', 'next'));
      const injected = await engine.handle(lab.injection('s', 'i', 'w'.repeat(1_001)));
      return { alone, overBudget, refused: { ok: injected.ok, path: injected.error?.path }, ids: await lab.ids(store, 's') };
    });
    assert.deepEqual(sticky, { alone: ['huge'], overBudget: true, refused: { ok: false, path: 'content' }, ids: ['next'] });
  });

  test('retention keep: the log stays whole across a reload, the model is sent what fits', async () => {
    const page = await lab.fresh();
    await page.evaluate(async () => {
      const engine = lab.engine(lab.store(), { maxEntries: 3, retention: 'keep' });
      for (let number = 0; number < 20; number += 1) await engine.handle(lab.request('s', `m${number}`));
    });
    await reload(page);
    const found = await page.evaluate(async () => {
      const engine = lab.engine(lab.store(), { maxEntries: 3, retention: 'keep' });
      return { history: (await engine.getHistory('s')).value, context: (await engine.getLLMContext('s')).value };
    });
    assert.equal(found.history.length, 20);
    assert.deepEqual(found.context.map(({ content }) => content), [17, 18, 19].flatMap((n) => [`asked in m${n}`, `answered m${n}`]));
  });

  test('deriveLLMContext shapes the context and the estimate; transformEntry what is stored', async () => {
    const page = await lab.fresh();
    const run = () => page.evaluate(async () => {
      const engine = lab.engine(lab.store(), {
        maxChars: 40,
        transformEntry: (entry) => ({ ...entry, metadata: { note: `about ${entry.input.id}` } }),
        deriveLLMContext: (entry, defaults) => [{ role: 'system', content: entry.metadata.note }, ...defaults().slice(0, 1)],
      });
      const start = (await lab.store().get('s')).length;
      for (let number = start; number < start + 4; number += 1) await engine.handle(lab.request('s', `m${number}`, `t${number}`));
      return { context: (await engine.getLLMContext('s')).value, stored: await lab.store().get('s') };
    });
    // 'about m0' and 't0' are 10 characters: four entries fit.
    const wanted = (numbers) => numbers.flatMap((n) => [{ role: 'system', content: `about m${n}` }, { role: 'user', content: `t${n}` }]);
    const first = await run();
    assert.deepEqual(first.context, wanted([0, 1, 2, 3]));
    await reload(page);
    const second = await run();
    assert.deepEqual(second.context, wanted([4, 5, 6, 7]));
    assert.deepEqual(second.stored.map(({ metadata }) => metadata.note), [4, 5, 6, 7].map((n) => `about m${n}`));
  });

  test('a hook that throws is an error result, nothing is stored, and the next request works', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      let fail = true;
      const hook = (value) => {
        if (fail) throw new Error('the hook’s own');
        return value;
      };
      const results = [];
      for (const hooks of [{ transformEntry: hook }, { maxChars: 100, deriveLLMContext: (_, defaults) => hook(defaults()) }]) {
        fail = true;
        const engine = lab.engine(lab.store(), hooks);
        const result = await engine.handle(lab.request('s', 'a'));
        fail = false;
        const stored = await lab.ids(lab.store(), 's');
        const next = await engine.handle(lab.request('s', 'b'));
        results.push([result.ok, result.error?.name, stored, next.ok, await lab.ids(lab.store(), 's')]);
        await lab.store().clear('s');
      }
      return results;
    });
    assert.deepEqual(found, Array(2).fill([false, 'ValidationError', [], true, ['b']]));
  });

  test('importHistory merges what a server kept, once, across a reload', async () => {
    const page = await lab.fresh();
    const wire = Array.from({ length: 120 }, (_, n) => ({
      kind: 'turn', id: `m${n}`, sessionId: 's', timestamp: n, userIntent: `u${n}`, assistantMessage: `a${n}`,
    }));
    const load = (entries) => page.evaluate((list) => lab.engine(lab.store()).importHistory('s', list), entries);
    assert.deepEqual(await load(wire.slice(0, 80)), { ok: true, value: { inserted: 80, deduped: 0, conflicts: [] } });
    await reload(page);
    const changed = wire.map((entry) => (entry.id === 'm5' ? { ...entry, assistantMessage: 'other' } : entry));
    assert.deepEqual(await load(changed), { ok: true, value: { inserted: 40, deduped: 80, conflicts: ['m5'] } });
    assert.deepEqual((await page.evaluate(() => lab.engine(lab.store()).getHistory('s'))).value, wire);
  });
});
