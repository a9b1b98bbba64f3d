// Ids, messages, Result and errors: spec "Protocol and history", first half.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  AssistantInjectionMessage, ChartRequestMessage, MessageId, PlannerError, SessionId, StoreError, TurnlogError,
  ValidationError, createEngine, defaultLLMContext, deriveUserIntent, err, fromSessionHistoryEntry, init, isErr, isOk,
  isTurnlogError, ok, toSessionHistoryEntry, version,
} from 'turnlog';
import { refusedValues } from './refused_values.mjs';

const invalid = (path) => (error) => {
  assert.ok(error instanceof ValidationError, `a ValidationError, got ${error}`);
  assert.equal(error.name, 'ValidationError');
  if (path !== undefined) assert.equal(error.path, path);
  return true;
};
const request = (more) => ChartRequestMessage({ sessionId: 's', reasons: [], ...more });
const note = (more) => AssistantInjectionMessage({ sessionId: 's', content: 'x', ...more });

describe('loading', () => {
  test('init resolves to the API, again and again, and is not needed before in Node', async () => {
    assert.equal(SessionId('before init'), 'before init');
    const api = await init();
    for (const name of ['createEngine', 'SessionId', 'isOk', 'createInMemoryStore']) assert.equal(typeof api[name], 'function');
    assert.equal(await init(), api);
    assert.match(version, /^\d+\.\d+\.\d+/);
  });
});

describe('ids', () => {
  for (const [name, make] of [['SessionId', SessionId], ['MessageId', MessageId]]) {
    test(`${name} gives back 1 to 512 UTF-16 code units as they are`, () => {
      for (const id of ['a', ' ', '\0', '\u2028', '__proto__', '😀', 'é'.repeat(512), '😀'.repeat(256), '\ufeff', '\udbff\udfff']) {
        assert.equal(make(id), id);
      }
    });
    test(`${name} refuses what is empty, too long, no string or has a lone surrogate`, () => {
      const refused = ['', 'a'.repeat(513), '😀'.repeat(256) + 'a', '\ud83d', 'a\ude00', '\ude00\ud83d', 1, null, true, {}, ['a'],
        Symbol('a'), 1n, new String('a'), { toString: () => 'a' }];
      for (const id of refused) assert.throws(() => make(id), invalid(), String(id?.slice?.(0, 9) ?? typeof id));
    });
  }
  test('SessionId needs an argument', () => assert.throws(() => SessionId(), invalid()));
  test('MessageId without one makes a fresh UUIDv7 of the time that Date.now gives', (t) => {
    t.mock.method(Date, 'now', () => 0x0123_4567_89ab);
    assert.match(MessageId(), /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
  test('ten thousand fresh ids are different', () => {
    assert.equal(new Set(Array.from({ length: 10_000 }, () => MessageId())).size, 10_000);
  });
});

describe('messages', () => {
  test('id defaults to a fresh one and timestamp to Date.now, read at each use', (t) => {
    let now = 1000;
    t.mock.method(Date, 'now', () => now);
    for (const make of [request, note]) {
      const first = make();
      now += 5;
      const second = make();
      assert.equal(second.timestamp - first.timestamp, 5);
      assert.notEqual(first.id, second.id);
      assert.match(first.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
  });
  test('a field given as undefined counts as absent', () => {
    const message = request({ id: undefined, timestamp: undefined, layout: { a: undefined, b: 1 }, extra: undefined });
    assert.match(message.id, /-7/);
    assert.equal(typeof message.timestamp, 'number');
    assert.equal('extra' in message, false);
    assert.deepEqual(message.layout, { b: 1 });
  });
  test('the fields are those of the spec and nothing is added', () => {
    assert.deepEqual({ ...note({ id: 'i', timestamp: 7 }) },
      { type: 'assistant_message', id: 'i', sessionId: 's', timestamp: 7, content: 'x' });
    assert.deepEqual({ ...request({ id: 'i', timestamp: 7 }) },
      { type: 'chart_request', id: 'i', sessionId: 's', timestamp: 7, reasons: [] });
  });
  test('unknown fields are kept on every level', () => {
    const more = {
      vessels: [{ id: 1, deep: { deeper: [null, { x: 0.1 }] } }], instances: {}, layout: { rows: [] }, fromTheFuture: [1e21, 5e-324],
      reasons: [{ kind: 'user_intent', text: 'a', lang: 'de' }, { kind: 'resize', width: 3, why: { more: [] } }],
    };
    const message = request(more);
    for (const [name, value] of Object.entries(more)) assert.deepEqual(message[name], value);
    assert.deepEqual(note({ author: { name: 'n' } }).author, { name: 'n' });
  });
  test('any lossless JSON is kept to the digit and code unit', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), (text) => {
      const value = JSON.parse(text); // fc.json writes -0 as 0
      assert.equal(JSON.stringify(request({ layout: value }).layout), JSON.stringify(value));
    }), { numRuns: 1000 });
  });
  test('text is never altered', () => {
    for (const content of ['', '\ud83d', '\ude00', 'a\0b', '\u2028\u2029', '\u202e\u200f', 'e\u0301', '\ufeff', 'x'.repeat(10_000_000)]) {
      assert.ok(note({ content }).content === content);
      assert.ok(request({ reasons: [{ kind: 'user_intent', text: content }] }).reasons[0].text === content);
    }
  });
  test('a key named __proto__ is data', () => {
    const message = request({ layout: JSON.parse('{"__proto__":{"polluted":1}}') });
    assert.equal(JSON.stringify(message.layout), '{"__proto__":{"polluted":1}}');
    assert.equal({}.polluted, undefined);
  });
  test('the message is a frozen copy and the caller keeps its own objects', () => {
    const layout = { rows: [{ width: 1 }] };
    const message = request({ layout });
    assert.ok(Object.isFrozen(message) && Object.isFrozen(message.layout) && Object.isFrozen(message.layout.rows[0]));
    layout.rows[0].width = 2;
    assert.equal(message.layout.rows[0].width, 1);
  });
  test('a property is read once', () => {
    let reads = 0;
    const layout = { get width() { reads += 1; return reads; } };
    assert.equal(request({ layout }).layout.width, 1);
    assert.equal(reads, 1);
    let contents = 0;
    assert.equal(AssistantInjectionMessage({ sessionId: 's', get content() { contents += 1; return `read ${contents}`; } }).content, 'read 1');
    assert.equal(contents, 1);
  });
  test('a getter that throws is refused with its path', () => {
    const layout = { rows: [{ get width() { throw new Error('mine'); } }] };
    assert.throws(() => request({ layout }), invalid('layout.rows[0].width'));
  });
  test('an object that is met twice is no cycle', () => {
    const shared = { a: [1] };
    assert.deepEqual(request({ layout: [shared, shared] }).layout, [{ a: [1] }, { a: [1] }]);
  });
  for (const [what, make] of refusedValues) {
    test(`${what} is refused with the path of the first offender`, () => {
      assert.throws(() => request({ layout: { rows: [0, 1, 2, { width: make() }, { width: make() }] } }), invalid('layout.rows[3].width'));
      assert.throws(() => note({ extra: make() }), invalid('extra'));
      assert.throws(() => request({ reasons: [{ kind: 'resize', to: make() }] }), invalid('reasons[0].to'));
    });
  }
  test('undefined and holes inside arrays are refused with their index', () => {
    assert.throws(() => request({ layout: [1, undefined] }), invalid('layout[1]'));
    assert.throws(() => request({ layout: [1, , 3] }), invalid('layout[1]')); // eslint-disable-line no-sparse-arrays
    assert.throws(() => request({ layout: new Array(2) }), invalid('layout[0]'));
  });
  test('a cycle is refused, through objects, arrays and itself', () => {
    const [object, array] = [{}, []];
    object.self = object;
    array.push({ back: array });
    assert.throws(() => request({ layout: object }), invalid('layout.self'));
    assert.throws(() => request({ layout: array }), invalid('layout[0].back'));
  });
  test('the code of what JSON cannot hold is not_json', () => {
    assert.throws(() => request({ layout: 1n }), { code: 'not_json' });
  });
  test('a timestamp that is no finite number is refused with its path', () => {
    for (const timestamp of [NaN, Infinity, -Infinity, '1', null, {}, 1n, new Date()]) {
      for (const make of [request, note]) assert.throws(() => make({ timestamp }), invalid('timestamp'));
    }
    for (const timestamp of [0, -1, 1.5, 8.64e15]) assert.equal(note({ timestamp }).timestamp, timestamp);
  });
  test('what is missing or of another type is named by its path', () => {
    assert.throws(() => AssistantInjectionMessage({ sessionId: 's' }), invalid('content'));
    assert.throws(() => note({ content: 1 }), invalid('content'));
    assert.throws(() => AssistantInjectionMessage({ content: 'x' }), invalid('sessionId'));
    assert.throws(() => note({ sessionId: '\ud83d' }), invalid('sessionId'));
    assert.throws(() => note({ id: '' }), invalid('id'));
    assert.throws(() => note({ id: null }), invalid('id'));
    assert.throws(() => ChartRequestMessage({ sessionId: 's' }), invalid('reasons'));
    assert.throws(() => request({ reasons: 'x' }), invalid('reasons'));
    for (const reason of [1, null, 'x', {}, { kind: 1 }, { kind: 'user_intent' }, { kind: 'user_intent', text: 5 }]) {
      assert.throws(() => request({ reasons: [{ kind: 'ok' }, reason] }), (error) => invalid()(error) && error.path.startsWith('reasons[1]'));
    }
  });
  test('fields that are no object are refused', () => {
    for (const fields of [undefined, null, 1, 'x', [], () => {}, new Map()]) {
      for (const make of [AssistantInjectionMessage, ChartRequestMessage]) assert.throws(() => make(fields), invalid());
    }
  });
});

describe('Result', () => {
  test('is a plain object', () => {
    assert.deepEqual(ok(1), { ok: true, value: 1 });
    assert.deepEqual(err('e'), { ok: false, error: 'e' });
    assert.deepEqual(JSON.parse(JSON.stringify(ok({ a: 1 }))), { ok: true, value: { a: 1 } });
  });
  test('isOk and isErr tell the two apart', () => {
    assert.deepEqual([isOk(ok(0)), isErr(ok(0)), isOk(err(0)), isErr(err(0))], [true, false, false, true]);
    assert.deepEqual([isOk({ ok: true, value: 1 }), isErr({ ok: false, error: 1 })], [true, true]);
  });
});

describe('errors', () => {
  const caught = (call) => { try { call(); } catch (error) { return error; } throw new Error('nothing was thrown'); };
  test('are Errors with name, code, message and path', () => {
    const error = caught(() => request({ timestamp: NaN }));
    assert.ok(error instanceof ValidationError && error instanceof TurnlogError && error instanceof Error);
    assert.ok(!(error instanceof StoreError) && !(error instanceof PlannerError));
    assert.deepEqual([error.name, typeof error.code, error.path], ['ValidationError', 'string', 'timestamp']);
    assert.ok(error.message.length > 0 && error.stack.includes(error.message));
  });
  test('are told by isTurnlogError, others are not', () => {
    assert.ok(isTurnlogError(caught(() => SessionId(''))));
    for (const other of [new Error('x'), null, undefined, 1, 'ValidationError', {}, []]) assert.equal(isTurnlogError(other), false);
  });
  test('survive structuredClone as an Error does', () => {
    const error = caught(() => request({ timestamp: NaN }));
    const clone = structuredClone(error);
    assert.ok(clone instanceof Error);
    assert.equal(clone.message, error.message);
  });
  test('of an engine are the same classes', async () => {
    const result = await createEngine({ planner: () => { throw new TypeError('mine'); } }).handle(request());
    assert.ok(isErr(result) && result.error instanceof PlannerError && isTurnlogError(result.error));
    assert.deepEqual([result.error.name, result.error.code, result.error.cause.message], ['PlannerError', 'planner_failed', 'mine']);
  });
});

describe('projections', () => {
  const turn = (texts, userMessage, more = []) => ({
    kind: 'turn', output: { userMessage, plan: [1] },
    input: request({ id: 't', timestamp: 5, reasons: [...texts.map((text) => ({ kind: 'user_intent', text })), ...more] }),
  });
  const injected = (content) => ({ kind: 'injection', input: note({ id: 'i', timestamp: 6, content }) });

  test('the user intent is all user_intent texts joined by one space', () => {
    assert.equal(deriveUserIntent(request()), '');
    assert.equal(deriveUserIntent(request({ reasons: [{ kind: 'a', text: 'no' }, { kind: 'user_intent', text: 'x' }, { kind: 'user_intent', text: 'y' }] })), 'x y');
    fc.assert(fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      assert.equal(deriveUserIntent(turn(texts, '').input), texts.join(' '));
    }));
  });
  test('a turn gives a user and an assistant message, an injection an assistant message', () => {
    assert.deepEqual(defaultLLMContext(turn(['a', 'b'], 'c')), [{ role: 'user', content: 'a b' }, { role: 'assistant', content: 'c' }]);
    assert.deepEqual(defaultLLMContext(injected('x')), [{ role: 'assistant', content: 'x' }]);
  });
  test('no message is empty', () => {
    assert.deepEqual(defaultLLMContext(turn([], 'c', [{ kind: 'resize' }])), [{ role: 'assistant', content: 'c' }]);
    assert.deepEqual(defaultLLMContext(turn(['a'], '')), [{ role: 'user', content: 'a' }]);
    assert.deepEqual(defaultLLMContext(turn([], '')), []);
  });
  test('the wire entry is the union of seed 000 and nothing more', () => {
    assert.deepEqual({ ...toSessionHistoryEntry({ ...turn(['a', 'b'], 'c'), metadata: 1 }) },
      { kind: 'turn', id: 't', sessionId: 's', timestamp: 5, userIntent: 'a b', assistantMessage: 'c' });
    assert.deepEqual({ ...toSessionHistoryEntry(turn([], '')) },
      { kind: 'turn', id: 't', sessionId: 's', timestamp: 5, userIntent: '', assistantMessage: '' });
    assert.deepEqual({ ...toSessionHistoryEntry(injected('x')) }, { kind: 'injection', id: 'i', sessionId: 's', timestamp: 6, content: 'x' });
  });
  test('a wire entry comes back from the history entry made of it', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\ud83d'));
    const envelope = { id: fc.uuid(), sessionId: fc.constant('s'), timestamp: fc.integer() };
    const wire = fc.oneof(
      fc.record({ kind: fc.constant('turn'), ...envelope, userIntent: text, assistantMessage: text }),
      fc.record({ kind: fc.constant('injection'), ...envelope, content: text }),
    );
    fc.assert(fc.property(wire, (entry) => {
      assert.deepEqual({ ...toSessionHistoryEntry(fromSessionHistoryEntry(entry)) }, { ...entry });
    }), { numRuns: 500 });
  });
});
