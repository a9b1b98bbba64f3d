// A caller's own store is a first-class citizen: slow, failing, wrong, with a lock and without.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssistantInjectionMessage, ChartRequestMessage, SessionId, StoreError, createEngine, createInMemoryStore, isErr, isOk, isTurnlogError } from 'turnlog';
import { plainStore } from './plain_store.mjs';

const S = SessionId('s');
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const note = (content, more) => AssistantInjectionMessage({ sessionId: S, content, ...more });
const ask = (text, more) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text }], ...more });
const planner = async (request) => ({ userMessage: `re: ${request.reasons[0].text}` });
const engineOn = (store, history) => createEngine({ planner, history: { store, ...history } });
const ids = async (store) => (await store.get(S)).map((entry) => entry.input.id);

/** Waits a while that differs from call to call, the same in every run. */
function unevenPause() {
  let seed = 7;
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return new Promise((resolve) => { setTimeout(resolve, seed % 4); });
  };
}

/** The store, and the ids in the order in which they were inserted. */
function journaled(store) {
  const order = [];
  return { order, store: { ...store, async append(sessionId, entry) {
    const outcome = await store.append(sessionId, entry);
    if (outcome === 'inserted') order.push(entry.input.id);
    return outcome;
  } } };
}

describe('a slow store', () => {
  test('loses nothing to handles that overlap without bounds', async () => {
    const store = plainStore({ pause: unevenPause() });
    const engine = engineOn(store);
    const messages = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? note(`${n}`) : ask(`${n}`)));
    (await Promise.all(messages.map((message) => engine.handle(message)))).forEach(value);
    assert.deepEqual((await ids(store)).sort(), messages.map(({ id }) => id).sort());
  });
  for (const withLock of [false, true]) {
    test(`keeps exactly the newest where handles overlap and each cuts${withLock ? ', with a lock' : ''}`, async () => {
      const { order, store } = journaled(plainStore({ pause: unevenPause(), withLock }));
      const engine = engineOn(store, { maxEntries: 5 });
      const messages = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? note(`${n}`) : ask(`${n}`)));
      (await Promise.all(messages.map((message) => engine.handle(message)))).forEach(value);
      assert.equal(order.length, 40);
      assert.deepEqual(await ids(store), order.slice(-5), 'what a cut dropped is older than all that was kept');
    });
  }
  test('loses nothing to cuts where all fit', async () => {
    const store = plainStore({ pause: unevenPause() });
    const engine = engineOn(store, { maxEntries: 30, maxChars: 10_000 });
    const messages = Array.from({ length: 30 }, (_, n) => note(`${n}`));
    (await Promise.all(messages.map((message) => engine.handle(message)))).forEach(value);
    assert.equal((await ids(store)).length, 30);
  });
  test('an awaited injection is seen by the next request, others still being written', async () => {
    const contexts = [];
    const store = plainStore({ pause: unevenPause() });
    const engine = createEngine({ planner: (_, { messages }) => { contexts.push(messages.map(({ content }) => content)); return { userMessage: 'm' }; }, history: { store, maxEntries: 100 } });
    const others = Array.from({ length: 10 }, (_, n) => engine.handle(note(`other ${n}`)));
    value(await engine.handle(note('mine')));
    value(await engine.handle(ask('q')));
    (await Promise.all(others)).forEach(value);
    assert.ok(contexts[0].includes('mine'));
  });
  test('runs the planner once for one id at once', async () => {
    let planned = 0;
    const store = plainStore({ pause: unevenPause() });
    const engine = createEngine({ planner: async () => { planned += 1; return { userMessage: `${planned}` }; }, history: { store } });
    const message = ask('q');
    const results = (await Promise.all([engine.handle(message), engine.handle(message), engine.handle(message)])).map(value);
    assert.equal(planned, 1);
    assert.deepEqual(results.map((result) => result.replayed).sort(), [false, true, true]);
    assert.deepEqual(results.map((result) => result.output.userMessage), ['1', '1', '1']);
  });
  test('does not make one session wait for another', async () => {
    let release;
    const stuck = new Promise((resolve) => { release = resolve; });
    const store = plainStore();
    const { append } = store;
    store.append = async (sessionId, entry) => { if (sessionId === S) await stuck; return append(sessionId, entry); };
    const engine = engineOn(store, { maxEntries: 2 });
    const waiting = engine.handle(note('x'));
    assert.equal(value(await engine.handle(note('y', { sessionId: 'other' }))).outcome, 'inserted');
    release();
    value(await waiting);
  });
});

describe('withLock', () => {
  test('is what every cut happens inside of', async () => {
    let inside = 0;
    const store = plainStore({ withLock: true });
    const { withLock, replace } = store;
    const cuts = [];
    store.withLock = (sessionId, fn) => withLock(sessionId, async () => {
      inside += 1;
      try { return await fn(); } finally { inside -= 1; }
    });
    store.replace = (sessionId, entries) => { cuts.push(inside); return replace(sessionId, entries); };
    const engine = engineOn(store, { maxEntries: 2 });
    for (let n = 0; n < 4; n += 1) value(await engine.handle(note(`${n}`)));
    for (let n = 0; n < 2; n += 1) value(await engine.handle(ask(`${n}`)));
    assert.deepEqual(cuts, [1, 1, 1, 1]);
  });
  test('that rejects gives an error', async () => {
    const store = { ...plainStore(), withLock: async () => { throw new Error('mine'); } };
    const result = await engineOn(store, { maxEntries: 1 }).handle(note('x'));
    assert.ok(isErr(result) && isTurnlogError(result.error));
  });
  test('is not held while a planner runs', async () => {
    const store = plainStore({ withLock: true });
    const engine = createEngine({
      planner: async () => { value(await engine.handle(note('from the planner'))); return { userMessage: 'm' }; },
      history: { store, maxEntries: 10 },
    });
    value(await engine.handle(ask('q')));
    assert.equal((await ids(store)).length, 2);
  });
});

describe('a store that fails', () => {
  const failing = (method, fail) => ({ ...plainStore(), [method]: fail });
  const failures = [
    ['rejects', () => Promise.reject(new Error('disk on fire'))],
    ['throws', () => { throw new Error('disk on fire'); }],
    ['rejects with no Error', () => Promise.reject('on fire')], // eslint-disable-line prefer-promise-reject-errors
    ['rejects with undefined', () => Promise.reject()], // eslint-disable-line prefer-promise-reject-errors
  ];
  for (const [how, fail] of failures) {
    test(`and ${how} gives a StoreError from every method of the engine`, async () => {
      for (const [method, calls] of [
        ['get', (engine) => [engine.getHistory(S), engine.getLLMContext(S), engine.getLLMContextBytes(S), engine.handle(ask('q'))]],
        ['append', (engine) => [engine.handle(note('x')), engine.handle(ask('q')), engine.importHistory(S, [
          { kind: 'injection', id: 'i', sessionId: S, timestamp: 1, content: 'x' }])]],
        ['getResponseById', (engine) => [engine.handle(ask('q'))]],
      ]) {
        for (const result of await Promise.all(calls(engineOn(failing(method, fail))))) {
          assert.ok(isErr(result) && result.error instanceof StoreError, `${method}: ${result.error?.stack}`);
          assert.ok(result.error.message.length > 0);
        }
      }
    });
  }
  test('in a cut gives a StoreError, and what was appended is there', async () => {
    const store = failing('replace', () => Promise.reject(new Error('disk on fire')));
    const engine = engineOn(store, { maxEntries: 1 });
    value(await engine.handle(note('a')));
    const result = await engine.handle(note('b'));
    assert.ok(isErr(result) && result.error instanceof StoreError);
    assert.deepEqual((await store.get(S)).map((entry) => entry.input.content), ['a', 'b']);
  });
  test('once works again the next time, and the session is not locked', async () => {
    const store = plainStore();
    const { append } = store;
    let attempts = 0;
    store.append = async (...args) => { attempts += 1; if (attempts === 1) throw new Error('once'); return append(...args); };
    const engine = engineOn(store, { maxEntries: 5 });
    const message = note('x');
    assert.ok(isErr(await engine.handle(message)));
    assert.equal(value(await engine.handle(message)).outcome, 'inserted');
  });
  test('with an answer that is none gives an error, never a throw', async () => {
    for (const list of [undefined, null, 5, 'x', {}, [null], [5], [{}], [{ kind: 'turn' }]]) {
      const engine = engineOn(failing('get', async () => list));
      for (const call of ['getHistory', 'getLLMContext', 'getLLMContextBytes']) {
        const result = await engine[call](S);
        assert.ok(isErr(result) && isTurnlogError(result.error), `${call} on ${JSON.stringify(list)}`);
      }
    }
    for (const outcome of [undefined, null, true, 'yes', {}]) {
      const result = await engineOn(failing('append', async () => outcome)).handle(note('x'));
      assert.ok(isErr(result) && isTurnlogError(result.error), `append gave ${JSON.stringify(outcome)}`);
    }
  });
});

test('two engines on one store see each other’s entries', async () => {
  for (const store of [createInMemoryStore(), plainStore()]) {
    const [one, two] = [engineOn(store), engineOn(store)];
    value(await one.handle(note('a')));
    value(await two.handle(note('b')));
    assert.deepEqual(value(await one.getLLMContext(S)).map(({ content }) => content), ['a', 'b']);
    await store.clear(S);
    assert.equal(value(await two.getHistory(S)).length, 0);
  }
});
