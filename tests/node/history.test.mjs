// The engine: stateless and stateful requests, injections, replay, reading, importing, and requests that overlap.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AssistantInjectionMessage, ChartRequestMessage, PlannerError, SessionId, ValidationError, createEngine,
  createInMemoryStore, isErr, isOk, toSessionHistoryEntry,
} from 'turnlog';
import { refusedValues } from './refused_values.mjs';

const S = SessionId('s');
const ask = (text, more) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text }], ...more });
const note = (content, more) => AssistantInjectionMessage({ sessionId: S, content, ...more });
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const failure = (result, type) => {
  assert.ok(isErr(result), `an error, got ${JSON.stringify(result)}`);
  assert.ok(result.error instanceof type, `a ${type.name}, got ${result.error?.stack}`);
  assert.equal(result.error.name, type.name);
  return result.error;
};
const plain = (list) => list.map((item) => ({ ...item }));

/** An engine whose planner keeps what it was called with; and its store. */
function recording({ plan = (request) => ({ userMessage: `re: ${request.reasons[0]?.text}` }), ...history } = {}) {
  const calls = [];
  const store = createInMemoryStore();
  const planner = (request, context) => {
    calls.push({ request, ...context, messages: plain(context.messages) });
    return plan(request, context);
  };
  return { calls, store, engine: createEngine({ planner, history: { store, ...history } }) };
}

/** A promise with its resolve and reject. */
function gate() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

describe('without history', () => {
  test('a request runs with no prior messages and the result has the response', async () => {
    const contexts = [];
    const engine = createEngine({ planner: async (request, context) => { contexts.push(context); return { userMessage: 'hi', plan: [1] }; } });
    for (let n = 0; n < 2; n += 1) {
      const result = value(await engine.handle(ask('a')));
      assert.deepEqual([result.type, { ...result.output }, result.replayed], ['chart_response', { userMessage: 'hi', plan: [1] }, false]);
    }
    assert.deepEqual(contexts.map((context) => [...context.messages]), [[], []]);
    assert.ok(contexts[0].signal instanceof AbortSignal);
    assert.equal(contexts[0].sessionId, S);
  });
  test('an injection is a ValidationError', async () => {
    failure(await createEngine({ planner: () => ({ userMessage: '' }) }).handle(note('x')), ValidationError);
  });
  test('importHistory is a ValidationError', async () => {
    failure(await createEngine({ planner: () => ({ userMessage: '' }) }).importHistory(S, []), ValidationError);
  });
});

describe('createEngine', () => {
  test('refuses a planner that is none', () => {
    for (const planner of [undefined, null, 1, 'x', {}, { plan: 1 }]) {
      assert.throws(() => createEngine({ planner }), ValidationError, String(planner));
    }
    for (const options of [undefined, null, 1]) assert.throws(() => createEngine(options), ValidationError);
  });
  test('refuses history without a store that has the five methods', () => {
    const planner = () => ({ userMessage: '' });
    for (const store of [undefined, null, {}, { append: async () => 'inserted' }, { ...createInMemoryStore(), get: 1 }]) {
      assert.throws(() => createEngine({ planner, history: { store } }), ValidationError);
    }
  });
  test('takes a planner object and calls its method on it', async () => {
    class Planner { word = 'mine'; plan() { return { userMessage: this.word }; } }
    const result = value(await createEngine({ planner: new Planner() }).handle(ask('a')));
    assert.equal(result.output.userMessage, 'mine');
  });
});

describe('a conversation', () => {
  test('the second request sees the first as prior context', async () => {
    const { calls, engine, store } = recording();
    value(await engine.handle(ask('one')));
    value(await engine.handle(ask('two')));
    assert.deepEqual(calls.map((call) => call.messages), [[], [{ role: 'user', content: 'one' }, { role: 'assistant', content: 're: one' }]]);
    assert.equal((await store.get(S)).length, 2);
  });
  test('the planner is given the request as it was, with unknown fields', async () => {
    const { calls, engine } = recording();
    const message = ask('one', { vessels: [{ a: 1 }], fromTheFuture: { x: [null] } });
    value(await engine.handle(message));
    assert.deepEqual(calls[0].request, message);
  });
  test('the stored entry is the whole request and the whole response', async () => {
    const { engine, store } = recording({ plan: () => ({ userMessage: 'm', plan: { steps: [0.1] }, layout: null }) });
    const message = ask('one', { id: 'i', timestamp: 3, layout: { rows: [] } });
    value(await engine.handle(message));
    assert.deepEqual(await store.get(S), [{ kind: 'turn', input: message, output: { userMessage: 'm', plan: { steps: [0.1] }, layout: null } }]);
  });
  test('an awaited injection is seen by the next request and the planner is not run for it', async () => {
    const { calls, engine } = recording();
    const result = value(await engine.handle(note('fact')));
    assert.deepEqual({ ...result }, { type: 'assistant_message_result', outcome: 'inserted' });
    assert.equal(calls.length, 0);
    value(await engine.handle(ask('one')));
    assert.deepEqual(calls[0].messages, [{ role: 'assistant', content: 'fact' }]);
  });
  test('sessions do not see each other', async () => {
    const { calls, engine } = recording();
    value(await engine.handle(ask('one')));
    value(await engine.handle(ask('two', { sessionId: 's2' })));
    assert.deepEqual(calls[1].messages, []);
  });
  test('getHistory gives the wire entries oldest first, getLLMContext what the model is sent', async () => {
    const { engine, store } = recording();
    value(await engine.handle(ask('one', { timestamp: 9 })));
    value(await engine.handle(note('fact', { timestamp: 1 })));
    value(await engine.handle(ChartRequestMessage({ sessionId: S, reasons: [] })));
    const history = value(await engine.getHistory(S));
    assert.deepEqual(plain(history), (await store.get(S)).map((entry) => ({ ...toSessionHistoryEntry(entry) })));
    assert.deepEqual(history.map((entry) => entry.kind), ['turn', 'injection', 'turn']);
    assert.equal(history[2].userIntent, '');
    const context = value(await engine.getLLMContext(S));
    assert.deepEqual(plain(context), [
      { role: 'user', content: 'one' }, { role: 'assistant', content: 're: one' }, { role: 'assistant', content: 'fact' },
      { role: 'assistant', content: 're: undefined' },
    ]);
    const bytes = value(await engine.getLLMContextBytes(S));
    assert.deepEqual(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), plain(context));
  });
  test('an unknown session is empty everywhere', async () => {
    const { engine } = recording();
    assert.deepEqual([...value(await engine.getHistory(S))], []);
    assert.deepEqual([...value(await engine.getLLMContext(S))], []);
    assert.equal(new TextDecoder().decode(value(await engine.getLLMContextBytes(S))), '[]');
  });
  test('lone surrogates and other strange text reach the planner and the reader unaltered', async () => {
    const { calls, engine } = recording();
    for (const text of ['half \ud83d', '\ude00', 'a\0\u2028', '😀\u202e']) value(await engine.handle(note(text)));
    value(await engine.handle(ask('x')));
    assert.deepEqual(calls[0].messages.map((message) => message.content), ['half \ud83d', '\ude00', 'a\0\u2028', '😀\u202e']);
    assert.equal(value(await engine.getHistory(S))[0].content, 'half \ud83d');
    assert.deepEqual(JSON.parse(new TextDecoder().decode(value(await engine.getLLMContextBytes(S))))[0].content, 'half \ud83d');
  });
});

describe('the same id again', () => {
  test('a request gets the stored response and the planner is not run', async () => {
    const { calls, engine, store } = recording({ plan: () => ({ userMessage: 'm', plan: [1] }) });
    const message = ask('one');
    value(await engine.handle(message));
    const again = value(await engine.handle(message));
    assert.deepEqual([{ ...again.output }, again.replayed, again.conflict], [{ userMessage: 'm', plan: [1] }, true, undefined]);
    assert.deepEqual([calls.length, (await store.get(S)).length], [1, 1]);
  });
  test('a request with other content gets it too, with conflict: true, and the first stays', async () => {
    const { calls, engine, store } = recording();
    value(await engine.handle(ask('one', { id: 'i' })));
    const again = value(await engine.handle(ask('other', { id: 'i' })));
    assert.deepEqual([again.output.userMessage, again.replayed, again.conflict], ['re: one', true, true]);
    assert.deepEqual([calls.length, (await store.get(S))[0].input.reasons[0].text], [1, 'one']);
  });
  test('an injection is deduped; with other content it says conflict', async () => {
    const { engine, store } = recording();
    const message = note('x', { id: 'i' });
    value(await engine.handle(message));
    assert.deepEqual({ ...value(await engine.handle(message)) }, { type: 'assistant_message_result', outcome: 'deduped' });
    const other = value(await engine.handle(note('y', { id: 'i' })));
    assert.deepEqual([other.outcome, other.conflict], ['deduped', true]);
    assert.equal((await store.get(S))[0].input.content, 'x');
  });
  test('one id in two sessions is two requests', async () => {
    const { calls, engine } = recording();
    value(await engine.handle(ask('one', { id: 'i' })));
    const other = value(await engine.handle(ask('one', { id: 'i', sessionId: 's2' })));
    assert.deepEqual([calls.length, other.replayed], [2, false]);
  });
  test('an id that truncation dropped is unknown again', async () => {
    const { calls, engine } = recording({ maxEntries: 1 });
    const first = ask('one');
    for (const message of [first, ask('two')]) value(await engine.handle(message));
    assert.equal(value(await engine.handle(first)).replayed, false);
    assert.equal(calls.length, 3);
  });
  test('at once, the planner runs once and one of the two is a replay', async () => {
    const answer = gate();
    const { calls, engine, store } = recording({ plan: () => answer.promise });
    const message = ask('one');
    const both = Promise.all([engine.handle(message), engine.handle(message)]);
    setTimeout(() => answer.resolve({ userMessage: 'm' }), 10);
    const results = (await both).map(value);
    assert.deepEqual(results.map((result) => result.output.userMessage), ['m', 'm']);
    assert.deepEqual(results.map((result) => result.replayed).sort(), [false, true]);
    assert.deepEqual([calls.length, (await store.get(S)).length], [1, 1]);
  });
});

describe('two requests of one session at once', () => {
  test('both read what was durable when they began, and are recorded as their responses came', async () => {
    const gates = { slow: gate(), fast: gate() };
    const { calls, engine, store } = recording({ plan: (request) => gates[request.reasons[0].text].promise });
    value(await engine.handle(note('before')));
    const slow = engine.handle(ask('slow', { id: 'slow' }));
    const fast = engine.handle(ask('fast', { id: 'fast' }));
    gates.fast.resolve({ userMessage: 'f' });
    value(await fast);
    gates.slow.resolve({ userMessage: 's' });
    value(await slow);
    for (const call of calls) assert.deepEqual(call.messages, [{ role: 'assistant', content: 'before' }]);
    assert.deepEqual((await store.get(S)).map((entry) => entry.input.id).slice(1), ['fast', 'slow']);
  });
  test('reading does not wait for a planner', async () => {
    const answer = gate();
    const { engine } = recording({ plan: () => answer.promise });
    value(await engine.handle(note('before')));
    const running = engine.handle(ask('one'));
    assert.equal(value(await engine.getLLMContext(S)).length, 1);
    assert.equal(value(await engine.handle(note('meanwhile'))).outcome, 'inserted');
    answer.resolve({ userMessage: 'm' });
    value(await running);
    assert.equal(value(await engine.getHistory(S)).length, 3);
  });
  test('a planner may call the engine that runs it', async () => {
    const { engine } = recording({ plan: async (request) => {
      if (request.reasons[0].text === 'outer') value(await engine.handle(ask('inner')));
      value(await engine.handle(note(`from ${request.reasons[0].text}`)));
      return { userMessage: `${value(await engine.getHistory(S)).length} entries` };
    } });
    assert.equal(value(await engine.handle(ask('outer'))).output.userMessage, '3 entries');
  });
  test('a hundred overlapping calls all settle', async () => {
    const { engine } = recording();
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? engine.handle(ask(`${n}`)) : engine.handle(note(`${n}`)))));
    for (const result of results) value(result);
    assert.equal(value(await engine.getHistory(S)).length, 100);
  });
});

describe('a planner that fails', () => {
  test('gives a PlannerError with what it threw as the cause, and nothing is stored', async () => {
    for (const thrown of [new TypeError('mine'), 'text', undefined, null, { code: 5 }, 0]) {
      for (const plan of [() => { throw thrown; }, () => Promise.reject(thrown)]) {
        const { engine, store } = recording({ plan });
        const error = failure(await engine.handle(ask('one')), PlannerError);
        assert.deepEqual([error.code, error.cause], ['planner_failed', thrown]);
        assert.deepEqual(await store.get(S), []);
      }
    }
  });
  test('is asked again by the next request of the same id', async () => {
    let attempts = 0;
    const { engine } = recording({ plan: () => { attempts += 1; if (attempts === 1) throw new Error('x'); return { userMessage: 'm' }; } });
    const message = ask('one');
    failure(await engine.handle(message), PlannerError);
    assert.equal(value(await engine.handle(message)).replayed, false);
  });
  test('with a response that is none gives an error, and nothing is stored', async () => {
    const outputs = [undefined, null, 1, 'text', [], {}, { userMessage: 1 }, { userMessage: null }, { text: 'x' },
      ...refusedValues.map(([, make]) => ({ userMessage: 'm', plan: [make()] }))];
    for (const output of outputs) {
      const { engine, store } = recording({ plan: () => output });
      const result = await engine.handle(ask('one'));
      assert.ok(isErr(result), `an error, got ${JSON.stringify(result)}`);
      assert.ok(result.error instanceof PlannerError || result.error instanceof ValidationError, result.error.stack);
      assert.deepEqual(await store.get(S), []);
    }
  });
  test('that was aborted gives a PlannerError of code aborted, and nothing is stored', async () => {
    const { calls, engine, store } = recording({ plan: (_, { signal }) => new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }) });
    const controller = new AbortController();
    const running = engine.handle(ask('one'), { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    const error = failure(await running, PlannerError);
    assert.equal(error.code, 'aborted');
    assert.equal(calls[0].signal.aborted, true);
    assert.deepEqual(await store.get(S), []);
  });
});

describe('a bad message', () => {
  const bad = [undefined, null, 1, 'x', [], {}, { type: 'other' }, { ...ask('a'), type: 'chart' }, { ...ask('a'), reasons: undefined },
    { ...note('a'), id: '' }, { ...note('a'), content: 5 }, { ...note('a'), sessionId: '\ud83d' }, { ...note('a'), timestamp: NaN },
    { ...ask('a'), layout: 1n }, new Map(), () => 1, Symbol('x'), { get type() { throw new Error('mine'); } },
    new Proxy({}, { ownKeys() { throw new Error('mine'); }, get() { throw new Error('mine'); } })];
  test('resolves to a ValidationError, and nothing is stored or planned', async () => {
    const { calls, engine, store } = recording();
    for (const message of bad) failure(await engine.handle(message), ValidationError);
    assert.equal(calls.length, 0);
    assert.deepEqual(await store.get(S), []);
    value(await engine.handle(ask('fine')));
  });
  test('a plain object that is as a constructor makes it is a message', async () => {
    const { engine } = recording();
    assert.equal(value(await engine.handle(JSON.parse(JSON.stringify(note('x'))))).outcome, 'inserted');
  });
  test('a session id that is none resolves to an error', async () => {
    const { engine } = recording();
    for (const id of [undefined, null, 1, '', '\ud83d', 'a'.repeat(513), {}]) {
      for (const call of ['getHistory', 'getLLMContext', 'getLLMContextBytes']) failure(await engine[call](id), ValidationError);
      failure(await engine.importHistory(id, []), ValidationError);
    }
  });
});
