// importHistory: how a client merges what it fetched elsewhere.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AssistantInjectionMessage, ChartRequestMessage, SessionId, ValidationError, createEngine, createInMemoryStore, isErr, isOk } from 'turnlog';
import { plainStore } from './plain_store.mjs';

const S = SessionId('s');
const turn = (id, more) => ({ kind: 'turn', id, sessionId: S, timestamp: 5, userIntent: `ask ${id}`, assistantMessage: `re ${id}`, ...more });
const injection = (id, more) => ({ kind: 'injection', id, sessionId: S, timestamp: 6, content: `note ${id}`, ...more });
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const plain = (list) => list.map((item) => ({ ...item }));
const counts = ({ inserted, deduped, conflicts }) => ({ inserted, deduped, conflicts: [...conflicts] });
const engineOn = (store, history) => createEngine({ planner: (request) => ({ userMessage: `re ${request.id}` }), history: { store, ...history } });

for (const [kind, makeStore] of [['the in-memory store', createInMemoryStore], ['a caller’s store', () => plainStore()]]) {
  describe(`importHistory with ${kind}`, () => {
    test('into an empty session keeps the order and the content', async () => {
      const engine = engineOn(makeStore());
      const list = [turn('b', { timestamp: 9 }), injection('a', { timestamp: 1 }), turn('c', { userIntent: '', assistantMessage: '' })];
      assert.deepEqual(counts(value(await engine.importHistory(S, list))), { inserted: 3, deduped: 0, conflicts: [] });
      assert.deepEqual(plain(value(await engine.getHistory(S))), list);
      assert.deepEqual(plain(value(await engine.getLLMContext(S))), [
        { role: 'user', content: 'ask b' }, { role: 'assistant', content: 're b' }, { role: 'assistant', content: 'note a' },
      ]);
    });
    test('of an empty list changes nothing', async () => {
      assert.deepEqual(counts(value(await engineOn(makeStore()).importHistory(S, []))), { inserted: 0, deduped: 0, conflicts: [] });
    });
    test('adds what is new at the end and dedupes what is known', async () => {
      const engine = engineOn(makeStore());
      value(await engine.importHistory(S, [turn('a'), injection('b')]));
      assert.deepEqual(counts(value(await engine.importHistory(S, [injection('c'), turn('a'), turn('d')]))), { inserted: 2, deduped: 1, conflicts: [] });
      assert.deepEqual(value(await engine.getHistory(S)).map((entry) => entry.id), ['a', 'b', 'c', 'd']);
    });
    test('of one id twice inserts it once', async () => {
      const engine = engineOn(makeStore());
      assert.deepEqual(counts(value(await engine.importHistory(S, [turn('a'), turn('a')]))), { inserted: 1, deduped: 1, conflicts: [] });
    });
    test('of what getHistory gave changes nothing, though the stored entries hold more', async () => {
      const engine = engineOn(makeStore());
      value(await engine.handle(ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text: 'x' }, { kind: 'user_intent', text: 'y' }], layout: { rows: [] } })));
      value(await engine.handle(AssistantInjectionMessage({ sessionId: S, content: 'z', author: 'me' })));
      const before = value(await engine.getHistory(S));
      assert.deepEqual(counts(value(await engine.importHistory(S, before))), { inserted: 0, deduped: 2, conflicts: [] });
      assert.deepEqual(plain(value(await engine.getHistory(S))), plain(before));
    });
    test('replays an imported turn to a request with its id', async () => {
      const engine = engineOn(makeStore());
      value(await engine.importHistory(S, [turn('a', { assistantMessage: 'from elsewhere' })]));
      const result = value(await engine.handle(ChartRequestMessage({ sessionId: S, id: 'a', timestamp: 5, reasons: [{ kind: 'user_intent', text: 'ask a' }] })));
      assert.deepEqual([result.replayed, result.output.userMessage], [true, 'from elsewhere']);
    });
    test('with an entry that is none, or of another session, imports nothing and names it', async () => {
      const bad = [
        [turn('x', { sessionId: 'other' }), '[1].sessionId'], [turn('x', { id: '' }), '[1].id'], [turn('x', { timestamp: NaN }), '[1].timestamp'],
        [turn('x', { userIntent: 1 }), '[1].userIntent'], [turn('x', { assistantMessage: undefined }), '[1].assistantMessage'],
        [injection('x', { content: null }), '[1].content'], [injection('x', { kind: 'other' }), '[1].kind'], [null, '[1]'], ['x', '[1]'], [undefined, '[1]'],
      ];
      for (const [entry, path] of bad) {
        const engine = engineOn(makeStore());
        const result = await engine.importHistory(S, [turn('a'), entry, turn('b')]);
        assert.ok(isErr(result) && result.error instanceof ValidationError, path);
        assert.equal(result.error.path, path);
        assert.deepEqual([...value(await engine.getHistory(S))], []);
      }
    });
    test('of what is no list is a ValidationError', async () => {
      for (const list of [undefined, null, {}, 'x', 1, new Map()]) {
        const result = await engineOn(makeStore()).importHistory(S, list);
        assert.ok(isErr(result) && result.error instanceof ValidationError, String(list));
      }
    });
    test('keeps within the bounds, as any write', async () => {
      const engine = engineOn(makeStore(), { maxEntries: 3 });
      value(await engine.importHistory(S, Array.from({ length: 10 }, (_, n) => injection(`i${n}`))));
      assert.deepEqual(value(await engine.getHistory(S)).map((entry) => entry.id), ['i7', 'i8', 'i9']);
    });
    test('runs transformEntry on every entry that is imported', async () => {
      const store = makeStore();
      const engine = engineOn(store, { transformEntry: (entry) => ({ ...entry, metadata: { imported: true } }) });
      value(await engine.importHistory(S, [turn('a'), injection('b')]));
      assert.deepEqual((await store.get(S)).map((entry) => ({ ...entry.metadata })), [{ imported: true }, { imported: true }]);
    });
    test('in pieces gives the same as at once', async () => {
      await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 30 }), fc.nat(30), async (numbers, at) => {
        const list = numbers.map((n) => (n % 3 === 0 ? injection(`${n}`) : turn(`${n}`)));
        const [whole, pieces] = [engineOn(makeStore()), engineOn(makeStore())];
        const all = value(await whole.importHistory(S, list));
        const [first, second] = [value(await pieces.importHistory(S, list.slice(0, at))), value(await pieces.importHistory(S, list.slice(at)))];
        assert.deepEqual(plain(value(await pieces.getHistory(S))), plain(value(await whole.getHistory(S))));
        assert.equal(first.inserted + second.inserted, all.inserted);
        assert.equal(all.inserted, new Set(numbers).size);
      }), { numRuns: 100 });
    });
  });
}

test('with the in-memory store, an id that is known with other content is listed as a conflict and the first stays', async () => {
  const engine = engineOn(createInMemoryStore());
  value(await engine.importHistory(S, [turn('a'), injection('b'), turn('c')]));
  const result = value(await engine.importHistory(S, [turn('a', { assistantMessage: 'other' }), injection('b', { content: 'other' }), turn('c')]));
  assert.deepEqual(counts(result), { inserted: 0, deduped: 3, conflicts: ['a', 'b'] });
  assert.deepEqual(value(await engine.getHistory(S)).map((entry) => entry.assistantMessage ?? entry.content), ['re a', 'note b', 're c']);
});
