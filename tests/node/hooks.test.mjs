// transformEntry and deriveLLMContext: what they may change, how often they run, and what happens when they throw.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AssistantInjectionMessage, ChartRequestMessage, SessionId, createEngine, createInMemoryStore, isErr, isOk, isTurnlogError } from 'turnlog';
import { plainStore } from './plain_store.mjs';
import { refusedValues } from './refused_values.mjs';

const S = SessionId('s');
const ask = (text, more) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text }], ...more });
const note = (content, more) => AssistantInjectionMessage({ sessionId: S, content, ...more });
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const plain = (list) => list.map((item) => ({ ...item }));
const engineOn = (store, history, plan = (request) => ({ userMessage: `re: ${request.reasons[0]?.text}` })) => (
  createEngine({ planner: plan, history: { store, ...history } })
);

for (const [kind, makeStore] of [['the in-memory store', createInMemoryStore], ['a caller’s store', () => plainStore()]]) {
  describe(`transformEntry with ${kind}`, () => {
    test('adds metadata to turns and injections', async () => {
      const store = makeStore();
      const engine = engineOn(store, { transformEntry: (entry) => ({ ...entry, metadata: { tenant: 'acme', kind: entry.kind } }) });
      value(await engine.handle(ask('a')));
      value(await engine.handle(note('b')));
      assert.deepEqual((await store.get(S)).map((entry) => ({ ...entry.metadata })), [{ tenant: 'acme', kind: 'turn' }, { tenant: 'acme', kind: 'injection' }]);
    });
    test('may change the output of a turn, which is what later requests see', async () => {
      const store = makeStore();
      const engine = engineOn(store, { transformEntry: (entry) => ({ ...entry, output: { userMessage: 'redacted' } }) });
      const message = ask('a');
      value(await engine.handle(message));
      assert.equal(value(await engine.getLLMContext(S)).at(-1).content, 'redacted');
      assert.equal(value(await engine.handle(message)).output.userMessage, 'redacted', 'the replay');
    });
    test('runs once per entry, with the whole entry', async () => {
      const seen = [];
      const engine = engineOn(makeStore(), { transformEntry: (entry) => { seen.push(entry); return entry; } });
      const [request, injected] = [ask('a'), note('b')];
      value(await engine.handle(request));
      value(await engine.handle(injected));
      value(await engine.getLLMContext(S));
      value(await engine.getHistory(S));
      assert.deepEqual(seen, [{ kind: 'turn', input: request, output: { userMessage: 're: a' } }, { kind: 'injection', input: injected }]);
    });
    test('cannot change the identity of an entry, whatever it returns', async () => {
      const forged = fc.record({
        kind: fc.oneof(fc.constant('turn'), fc.constant('injection'), fc.jsonValue()),
        input: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), sessionId: fc.jsonValue(), timestamp: fc.jsonValue(), type: fc.jsonValue() }, { requiredKeys: [] })),
        output: fc.oneof(fc.jsonValue(), fc.constant({ userMessage: 'x' })),
        metadata: fc.jsonValue(),
      }, { requiredKeys: [] });
      await fc.assert(fc.asyncProperty(forged, fc.boolean(), fc.boolean(), async (change, isTurn, spread) => {
        const store = makeStore();
        const engine = engineOn(store, { transformEntry: (entry) => (spread ? { ...entry, ...change } : change) });
        const message = isTurn ? ask('a', { id: 'i', timestamp: 5 }) : note('a', { id: 'i', timestamp: 5 });
        const result = await engine.handle(message);
        const entries = await store.get(S);
        if (isErr(result)) {
          assert.ok(isTurnlogError(result.error));
          assert.deepEqual(entries, [], 'an entry that was refused');
        } else {
          assert.equal(entries.length, 1);
          const [{ kind: storedKind, input }] = entries;
          assert.deepEqual([storedKind, input.id, input.sessionId, input.timestamp], [isTurn ? 'turn' : 'injection', 'i', 's', 5]);
        }
      }), { numRuns: 300 });
    });
    test('with identity rewritten and the rest in order, the entry is stored with its identity restored', async () => {
      const store = makeStore();
      const engine = engineOn(store, { transformEntry: (entry) => ({
        ...entry, kind: 'other', metadata: 1, input: { ...entry.input, id: 'x', sessionId: 'y', timestamp: 0 },
      }) });
      const [request, injected] = [ask('a'), note('b')];
      value(await engine.handle(request));
      value(await engine.handle(injected));
      assert.deepEqual(await store.get(S), [
        { kind: 'turn', input: request, output: { userMessage: 're: a' }, metadata: 1 }, { kind: 'injection', input: injected, metadata: 1 },
      ]);
      assert.deepEqual(await store.get('y'), []);
    });
    test('that throws fails the write, and nothing is stored', async () => {
      const store = makeStore();
      const engine = engineOn(store, { transformEntry: () => { throw new Error('mine'); } });
      for (const message of [ask('a'), note('b')]) {
        const result = await engine.handle(message);
        assert.ok(isErr(result) && isTurnlogError(result.error));
      }
      assert.deepEqual(await store.get(S), []);
    });
    test('that returns what JSON cannot hold fails the write, and nothing is stored', async () => {
      for (const [what, make] of [...refusedValues, ['undefined in an array', () => [undefined]]]) {
        const store = makeStore();
        const engine = engineOn(store, { transformEntry: (entry) => ({ ...entry, metadata: { bad: make() } }) });
        for (const message of [ask('a'), note('b')]) assert.ok(isErr(await engine.handle(message)), what);
        assert.deepEqual(await store.get(S), [], what);
      }
    });
  });

  describe(`deriveLLMContext with ${kind}`, () => {
    test('replaces the projection; defaults() gives the default one', async () => {
      const engine = engineOn(makeStore(), { deriveLLMContext: (entry, defaults) => (
        entry.kind === 'turn' ? [{ role: 'assistant', content: '[redacted prior turn]' }] : [{ role: 'system', content: 'note:' }, ...defaults()]
      ) });
      value(await engine.handle(ask('secret')));
      value(await engine.handle(note('fact')));
      assert.deepEqual(plain(value(await engine.getLLMContext(S))), [
        { role: 'assistant', content: '[redacted prior turn]' }, { role: 'system', content: 'note:' }, { role: 'assistant', content: 'fact' },
      ]);
    });
    test('may give no message, and sees metadata', async () => {
      const engine = engineOn(makeStore(), {
        transformEntry: (entry) => ({ ...entry, metadata: { hidden: entry.kind === 'injection' } }),
        deriveLLMContext: (entry, defaults) => (entry.metadata.hidden ? [] : defaults()),
      });
      value(await engine.handle(note('fact')));
      value(await engine.handle(ask('a')));
      assert.deepEqual(value(await engine.getLLMContext(S)).map((message) => message.content), ['a', 're: a']);
    });
    test('runs once per retained entry per context read, in order, and not for the wire', async () => {
      const seen = [];
      const engine = engineOn(makeStore(), { deriveLLMContext: (entry, defaults) => { seen.push(entry.input.id); return defaults(); } });
      for (const id of ['a', 'b', 'c']) value(await engine.handle(note(id, { id })));
      for (const read of ['getLLMContext', 'getLLMContext', 'getLLMContextBytes']) {
        seen.length = 0;
        value(await engine[read](S));
        assert.deepEqual(seen, ['a', 'b', 'c'], read);
      }
      seen.length = 0;
      value(await engine.getHistory(S));
      assert.deepEqual(seen, []);
    });
    test('runs once per entry on every write for the estimate of maxChars', async () => {
      let calls = 0;
      const engine = engineOn(makeStore(), { maxChars: 1_000, deriveLLMContext: (_, defaults) => { calls += 1; return defaults(); } });
      const counts = [];
      for (const id of ['a', 'b', 'c']) {
        calls = 0;
        value(await engine.handle(note(id)));
        counts.push(calls);
      }
      assert.deepEqual(counts, [1, 2, 3], 'injections: the entries there and the new one');
      calls = 0;
      value(await engine.handle(ask('d')));
      assert.equal(calls, 3 + 4, 'a request reads three and writes the fourth');
    });
    test('decides what an entry counts for maxChars', async () => {
      const store = makeStore();
      const engine = engineOn(store, { maxChars: 20, deriveLLMContext: () => [{ role: 'assistant', content: '0123456789' }] });
      for (const id of ['a', 'b', 'c']) value(await engine.handle(note('x', { id })));
      assert.deepEqual((await store.get(S)).map((entry) => entry.input.id), ['b', 'c']);
    });
    test('that throws gives an error from reading, and the planner is not run', async () => {
      let planned = 0;
      const store = makeStore();
      value(await engineOn(store).handle(note('x')));
      const engine = engineOn(store, { deriveLLMContext: () => { throw new Error('mine'); } }, () => { planned += 1; return { userMessage: '' }; });
      for (const result of [await engine.getLLMContext(S), await engine.getLLMContextBytes(S), await engine.handle(ask('a'))]) {
        assert.ok(isErr(result) && isTurnlogError(result.error));
      }
      assert.equal(planned, 0);
      assert.equal((await store.get(S)).length, 1);
    });
    test('that returns no list of messages gives an error', async () => {
      const store = makeStore();
      value(await engineOn(store).handle(note('x')));
      for (const bad of [undefined, null, 'x', {}, [1], [{ role: 'assistant' }], [{ role: 'assistant', content: 1 }], [{ content: 'x' }], Promise.resolve([])]) {
        const result = await engineOn(store, { deriveLLMContext: () => bad }).getLLMContext(S);
        assert.ok(isErr(result) && isTurnlogError(result.error), JSON.stringify(bad));
      }
    });
  });
}

test('deriveLLMContext that throws while a write to the in-memory store is estimated fails the write, and nothing is stored', async () => {
  const store = createInMemoryStore();
  const engine = engineOn(store, { maxChars: 100, deriveLLMContext: () => { throw new Error('mine'); } });
  const result = await engine.handle(note('x'));
  assert.ok(isErr(result) && isTurnlogError(result.error));
  assert.deepEqual(await store.get(S), []);
});
