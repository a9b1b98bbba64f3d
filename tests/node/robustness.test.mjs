// Ten thousand bad inputs over all entry points, then normal use; and memory does not grow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  AssistantInjectionMessage, ChartRequestMessage, MessageId, SessionId, createEngine, createInMemoryStore, defaultLLMContext, deriveUserIntent,
  fromSessionHistoryEntry, isErr, isOk, isTurnlogError, llmPlanner, toSessionHistoryEntry,
} from 'turnlog';
import { refusedValues } from './refused_values.mjs';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const cycle = () => { const object = {}; object.self = object; return object; };
const deep = (levels) => { let value = 0; for (let n = 0; n < levels; n += 1) value = n % 2 ? [value] : { in: value }; return value; };
const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; };

/** `[what, make]`: values that no entry point takes, wherever they stand. */
const BAD = [
  ...refusedValues,
  ['a cycle', cycle],
  ['a hole', () => [1, , 2]], // eslint-disable-line no-sparse-arrays
  ['undefined in an array', () => [undefined]],
  ['a getter that throws', () => ({ get x() { throw new Error('mine'); } })],
  ['a getter that throws no Error', () => ({ get x() { throw undefined; } })], // eslint-disable-line no-throw-literal
  ['a proxy that throws', () => new Proxy({}, { get() { throw new Error('mine'); }, ownKeys() { throw new Error('mine'); } })],
  ['a revoked proxy', revoked],
  ['an object with a toJSON that throws', () => ({ toJSON() { throw new Error('mine'); } })],
  ['a WeakMap', () => new WeakMap()],
  ['a generator', () => (function* () {})()], // eslint-disable-line no-empty-function
];
const BAD_IDS = ['', 'a'.repeat(513), '\ud83d', '\ude00x', null, 5, true, {}, [], 1n, Symbol('x'), NaN];

const S = 's';
const ask = (more) => ({ type: 'chart_request', id: 'q', sessionId: S, timestamp: 1, reasons: [], ...more });
const note = (more) => ({ type: 'assistant_message', id: 'n', sessionId: S, timestamp: 1, content: 'x', ...more });
const wire = (more) => ({ kind: 'injection', id: 'w', sessionId: S, timestamp: 1, content: 'x', ...more });
const turn = (more) => ({ kind: 'turn', input: ask(), output: { userMessage: 'm' }, ...more });

const store = createInMemoryStore();
let planned = 0;
let output = () => ({ userMessage: 'fine' });
const engine = createEngine({ planner: () => { planned += 1; return output(); }, history: { store, maxEntries: 50, maxChars: 10_000 } });

/** One bad call: it must throw or reject with one of our errors, or resolve to an `err` that has one. */
const CALLS = [
  (bad) => AssistantInjectionMessage({ sessionId: S, content: 'x', extra: bad }),
  (bad) => AssistantInjectionMessage({ sessionId: S, content: bad }),
  (bad) => ChartRequestMessage({ sessionId: S, reasons: [], layout: { rows: [0, { width: bad }] } }),
  (bad) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text: bad }] }),
  (bad) => ChartRequestMessage({ sessionId: S, reasons: [], timestamp: [bad] }),
  (bad) => engine.handle(note({ extra: bad })),
  (bad) => engine.handle(ask({ reasons: [{ kind: 'x', bad }] })),
  (bad) => engine.handle(bad),
  (bad) => engine.importHistory(S, [wire(), wire({ content: bad })]),
  (bad) => engine.importHistory(S, bad),
  (bad) => engine.importHistory(S, [bad]),
  (bad) => engine.importHistory([bad], [wire()]),
  (bad) => engine.getHistory([bad]),
  (bad) => engine.getLLMContext([bad]),
  (bad) => engine.getLLMContextBytes([bad]),
  (bad) => store.append(S, turn({ metadata: bad })),
  (bad) => store.append(S, bad),
  (bad) => store.append(S, turn({ output: { userMessage: 'm', plan: [bad] } })),
  (bad) => store.replace(S, [turn(), turn({ input: ask({ id: 'r', layout: bad }) })]),
  (bad) => createEngine({ planner: [bad] }),
  (bad) => createEngine({ planner: () => 1, history: { store: [bad] } }),
  (bad) => createEngine({ planner: () => 1, history: { store, maxEntries: [bad] } }),
  (bad) => llmPlanner({ adapter: bad }).plan && createEngine({ planner: llmPlanner({ adapter: bad }) }).handle(ask()),
  (bad) => deriveUserIntent({ reasons: bad }),
  (bad) => defaultLLMContext({ kind: 'turn', input: bad }),
  (bad) => toSessionHistoryEntry([bad]),
  (bad) => fromSessionHistoryEntry(wire({ content: bad })),
  (bad) => { output = () => ({ userMessage: 'm', plan: bad }); return engine.handle(ask({ id: MessageId() })); },
];
const ID_CALLS = [
  (id) => SessionId(id),
  (id) => MessageId(id),
  (id) => AssistantInjectionMessage({ sessionId: id, content: 'x' }),
  (id) => ChartRequestMessage({ sessionId: S, id, reasons: [] }),
  (id) => engine.handle(note({ id })),
  (id) => engine.handle(ask({ sessionId: id })),
  (id) => engine.getHistory(id),
  (id) => engine.importHistory(S, [wire({ id })]),
  (id) => store.append(S, turn({ input: ask({ id }) })),
];

/** How the call refused; throws where it did not, or with an error that is not ours. */
async function refusal(call, bad, what) {
  let result;
  try {
    result = await call(bad);
  } catch (error) {
    assert.ok(isTurnlogError(error), `${call} with ${what} threw ${error?.stack ?? String(error)}`);
    return error;
  }
  assert.ok(result?.ok === false && isErr(result), `${call} took ${what}`);
  assert.ok(isTurnlogError(result.error), `${call} with ${what} gave ${result.error?.stack}`);
  return result.error;
}

async function everythingBad() {
  let count = 0;
  for (const call of CALLS) {
    for (const [what, make] of BAD) {
      await refusal(call, make(), what);
      count += 1;
    }
    output = () => ({ userMessage: 'fine' });
  }
  for (const call of ID_CALLS) {
    for (const id of BAD_IDS) {
      await refusal(call, id, `the id ${String(id).slice(0, 20)}`);
      count += 1;
    }
  }
  return count;
}

async function usedNormally() {
  const session = MessageId();
  for (let n = 0; n < 10; n += 1) {
    assert.ok(isOk(await engine.handle(ChartRequestMessage({ sessionId: session, reasons: [{ kind: 'user_intent', text: `${n}` }] }))));
    assert.ok(isOk(await engine.handle(AssistantInjectionMessage({ sessionId: session, content: `note ${n}` }))));
  }
  assert.equal((await engine.getHistory(session)).value.length, 20);
  assert.equal((await engine.getLLMContext(session)).value.length, 30);
  await store.clear(session);
}

/** Bytes in use: JavaScript's heap, and what lies outside of it, WebAssembly's memory among that. */
function memory() {
  for (let n = 0; n < 3; n += 1) collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

test('after ten thousand bad inputs of every kind everything works, and memory has not grown', { timeout: 300_000 }, async () => {
  await usedNormally();
  let count = 0;
  for (let round = 0; round < 3; round += 1) count += await everythingBad();
  assert.deepEqual([...await store.get(S)], [], 'nothing bad was stored');
  const plannedBefore = planned;
  const before = memory();
  while (count < 10_000) count += await everythingBad();
  await usedNormally();
  const grown = memory() - before;
  assert.ok(grown < 4_000_000, `${grown} bytes more after ${count} bad inputs`);
  assert.ok(planned > plannedBefore);
  assert.deepEqual([...await store.get(S)], []);
});

test('normal use of many short sessions does not grow memory', { timeout: 300_000 }, async () => {
  for (let n = 0; n < 50; n += 1) await usedNormally();
  const before = memory();
  for (let n = 0; n < 300; n += 1) await usedNormally();
  const grown = memory() - before;
  assert.ok(grown < 4_000_000, `${grown} bytes more after 6,000 entries in 300 sessions`);
});

test('a hundred thousand levels are taken or refused with a coded error, and the next call works', async () => {
  for (const levels of [1_000, 10_000, 100_000]) {
    let stored = 0;
    try {
      ChartRequestMessage({ sessionId: S, reasons: [], layout: deep(levels) });
    } catch (error) {
      assert.ok(isTurnlogError(error), String(error));
    }
    const result = await engine.handle(note({ id: MessageId(), sessionId: 'deep', extra: deep(levels) }));
    if (isOk(result)) stored += 1;
    else assert.ok(isTurnlogError(result.error), String(result.error));
    assert.equal((await store.get('deep')).length, stored);
    await store.clear('deep');
    await usedNormally();
  }
});

test('calls that re-enter the package from a getter do not break it', async () => {
  const inner = [];
  const message = AssistantInjectionMessage({ sessionId: S, content: 'outer', get extra() {
    inner.push(AssistantInjectionMessage({ sessionId: S, content: 'inner' }), engine.getHistory(S), MessageId());
    return 'read';
  } });
  assert.deepEqual([message.extra, message.content, inner[0].content], ['read', 'outer', 'inner']);
  assert.ok(isOk(await inner[1]));
  await usedNormally();
});
