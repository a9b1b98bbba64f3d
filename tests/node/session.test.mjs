// The event-sourced session beyond the reference's own values: hostile data, what is ours, and what holds for any program.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import {
  Session, canonicalHeader, checkInvariants, createSessionStore, deriveEventMessage, foldRequestHeader, foldSurface, headerEquals,
  interruptedTurnClosers, isJsonValue, isSurfaceEvent, isTurnlogError, readSessionLog, snapshotJsonValue, toolPairing,
  traceEvents, writeSessionLog,
} from 'turnlog';
import { deepFrozen } from '../session/codec.mjs';

const text = (words) => [{ type: 'text', text: words }];
const user = (words) => ['user/message', { content: text(words), source: { kind: 'user' } }, { surfaceOp: 'append' }];
const model = { provider: 'p', model: 'm' };
const code = (expected, more = {}) => (error) => {
  assert.ok(isTurnlogError(error) && error.name === 'SessionError', `${error}`);
  assert.equal(error.code, expected);
  for (const [key, value] of Object.entries(more)) assert.deepEqual(error.details[key], value);
  return true;
};

describe('what a session keeps', () => {
  test('halves of surrogate pairs, NUL, keys like __proto__ and numbers, in order', () => {
    const data = JSON.parse('{"__proto__":{"x":1},"b":"\\ud83d","a":"\\u0000","7":-1e-7,"constructor":null}');
    const event = new Session('s').append('x/y', data);
    assert.deepEqual(Object.keys(event.data), Object.keys(data));
    assert.equal(JSON.stringify(event.data), JSON.stringify(data));
    assert.ok(Object.hasOwn(event.data, '__proto__') && deepFrozen(event));
  });

  test('20,000 levels of nesting, through a replay too', () => {
    let deep = 0;
    for (let level = 0; level < 20_000; level += 1) deep = level % 2 === 0 ? [deep] : { d: deep };
    const session = new Session('s');
    session.append('x/y', deep);
    assert.equal(new Session('t', session.events).seq, 1);
  });

  test('refuses what is not lossless, wherever it is, with the path, and stays as it was', () => {
    const session = new Session('s');
    const { events } = session;
    const named = Object.assign([1], { extra: 1 });
    const hidden = Object.defineProperty({}, 'x', { value: 1, enumerable: false });
    for (const value of [undefined, -0, NaN, 1n, () => 1, Symbol('x'), new Date(0), named, { [Symbol('x')]: 1 }, hidden]) {
      assert.throws(() => session.append('x/y', { a: [value] }), code('data_json'), String(value));
      assert.equal(isJsonValue([value]), false);
      assert.equal(snapshotJsonValue([value]), undefined);
    }
    assert.throws(() => session.append('x/y', { a: [1, undefined] }), (error) => error.path === 'a[1]');
    const [type, data] = user('x');
    assert.throws(() => session.append(type, data, { surfaceOp: () => 1 }), code('meta_json'));
    assert.equal(session.seq, 0);
    assert.equal(session.events, events);
  });

  test('plain values of another realm, and none that only look so', () => {
    const foreign = runInNewContext('({ a: [1, { b: [] }] })');
    assert.equal(JSON.stringify(new Session('s').append('x/y', foreign).data), '{"a":[1,{"b":[]}]}');
    const { prototype } = { Object: class Object { isPrototypeOf() {} } }.Object; // eslint-disable-line no-empty-function
    const others = [
      Object.create(Object.setPrototypeOf(prototype, null)), Object.create(Object.assign(Object.create(null), { constructor: Object })),
      Object.setPrototypeOf([1], null), Object.setPrototypeOf([1], Object.create(Array.prototype)),
      runInNewContext('new (class Array extends globalThis.Array {})()'), runInNewContext('new Map()'),
    ];
    assert.deepEqual(others.map(isJsonValue), others.map(() => false));
  });

  test("a getter's own error is thrown as it is; one that appends comes first", () => {
    const session = new Session('s');
    const thrown = new RangeError('mine');
    assert.throws(() => session.append('x/y', { get a() { throw thrown; } }), thrown);
    const outer = session.append('x/outer', { get a() { return session.append('x/inner', 1).seq; } });
    assert.deepEqual([outer.seq, outer.data.a, session.events[0].type], [1, 0, 'x/inner']);
  });
});

describe('what is read from a session', () => {
  test('cannot be changed by whoever reads it', () => {
    const session = new Session('s');
    session.append(...user('a'));
    session.surface.nodes.push(7);
    const messages = session.deriveMessages();
    messages.push('more');
    assert.deepEqual(session.surface.nodes, [0]);
    assert.equal(session.deriveMessages().length, 1);
    assert.equal(session.deriveMessages()[0], messages[0]);
    assert.ok(deepFrozen(messages[0]) && deepFrozen(session.header));
    const alone = deriveEventMessage(session.events[0]);
    assert.equal(alone.content, session.events[0].data.content);
    assert.ok(!Object.isFrozen(alone));
  });

  test('framed messages are frozen with their frame', () => {
    const session = new Session('s');
    session.append('steering/message', { turn: 1, content: text('x'), source: { kind: 'plugin', plugin: 'p' } }, { surfaceOp: 'append' });
    const [message] = session.deriveMessages();
    assert.deepEqual(message.content.map((block) => block.text), ['<steering source="plugin">', 'x', '</steering>']);
    assert.ok(deepFrozen(message));
  });

  test('the request header is the newest one, the same object until the next; one that is none is an error', () => {
    const session = new Session('s');
    session.append('request/header', { header: { config: model, system: '', tools: [] }, reason: 'initial' });
    const header = session.requestHeader();
    assert.deepEqual(header, { config: model });
    assert.equal(session.requestHeader(), header);
    session.append('request/header', { header: 'none', reason: 'change' });
    assert.throws(() => session.requestHeader(), code('malformed_header'));
    assert.throws(() => canonicalHeader(null), code('malformed_header'));
    assert.ok(headerEquals({ config: model }, { config: { ...model }, tools: [] }));
    assert.ok(!headerEquals({ config: model }, { config: { ...model, stop: [] } }));
    assert.equal(foldRequestHeader([], undefined), undefined);
  });
});

describe('where events stand', () => {
  test('is told with what replaced them and what they were made from', () => {
    const session = new Session('s');
    for (const words of ['a', 'b', 'c']) session.append(...user(words));
    const replace = (start, end, sourceEventSeqs) =>
      session.append('user/message', user('sum')[1], { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs });
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    replace(0, 1, [1, 0]);
    replace(4, 2, [4, 2, 3]);
    const traces = traceEvents(session.events);
    assert.deepEqual(session.events.map(({ seq }) => traces.placement(seq)), ['shadowed', 'shadowed', 'shadowed', 'log-only', 'shadowed', 'current']);
    assert.deepEqual(traces.trace(0), { placement: 'shadowed', replacers: [4, 5], replaced: [], citedBy: [4] });
    assert.deepEqual(traces.trace(5), { placement: 'current', replacers: [], replaced: [4, 2], sources: [4, 2, 3], citedBy: [] });
    for (const seq of [6, -1, 0.5, NaN]) assert.throws(() => traces.trace(seq), code('not_on_surface'));
  });

  test('tool calls and their results are not to be parted', () => {
    const session = new Session('s');
    session.append(...user('a'));
    const call = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' };
    session.append('assistant/message', { turn: 1, step: 1, content: [call], provenance: model }, { surfaceOp: 'append' });
    assert.deepEqual(toolPairing(session.events).balances, [0, 0, 1]);
    const result = { turn: 1, step: 1, callId: 'c', content: [], isError: false };
    session.append('tool/result', result, { surfaceOp: 'append' });
    const pairing = toolPairing(session.events);
    assert.deepEqual([1, 2].map(pairing.isBalancedBefore), [true, false]);
    assert.deepEqual([1, 2].map(pairing.isBalancedAfter), [false, true]);
    session.append('tool/result', result, { surfaceOp: 'append' });
    assert.throws(() => toolPairing(session.events), code('unpaired', { seq: 3 }));
  });
});

describe('a store of sessions', () => {
  test('with `strict` has appends name their model', () => {
    const session = createSessionStore({ strict: true }).create('s');
    assert.throws(() => session.append('request/header', { header: {} }), code('seed_header'));
    assert.throws(() => session.append('assistant/message', { content: [] }, { surfaceOp: 'append' }), code('seed_prov'));
    session.append('assistant/message', { content: [], provenance: model }, { surfaceOp: 'append' });
    assert.equal(session.seq, 1);
  });

  test('with `invariants` vetoes what breaks a turn, and goes on', () => {
    const session = createSessionStore({ invariants: true }).create('s');
    assert.throws(() => session.append(...user('early')), code('invariant'));
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
    session.append(...user('in time'));
    assert.throws(() => session.append('turn/end', { turn: 2, reason: { kind: 'completed' } }), code('invariant'));
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    assert.equal(session.seq, 3);
    checkInvariants(session.events);
  });

  test('takes a session back that a listener vetoes', () => {
    const store = createSessionStore();
    const disposed = [];
    store.on('session/disposed', ({ id }) => disposed.push(id));
    const stop = store.on('session/created', () => {
      throw new Error('no');
    });
    assert.throws(() => store.create('s'), /no/);
    stop();
    assert.deepEqual([store.list(), disposed], [[], ['s']]);
    assert.equal(store.create('s').id, 's');
  });

  test('flushes with all listeners, and then fails as the first of them', async () => {
    const store = createSessionStore();
    const session = store.create();
    const called = [];
    store.on('session/flush', async () => {
      await null;
      throw new Error('first');
    });
    store.on('session/flush', () => {
      throw new Error('second');
    });
    store.on('session/flush', () => called.push('third'));
    await assert.rejects(store.flush(session), /first/);
    assert.deepEqual(called, ['third']);
    await assert.rejects(store.flush(new Session('other')), code('session_not_live'));
    assert.throws(() => store.on('session/flushed', () => {}), { name: 'ValidationError', code: 'invalid' });
  });

  test('refuses an append from inside a listener, and tells of it', () => {
    const warnings = [];
    const store = createSessionStore({ warn: (warning) => warnings.push(warning) });
    const session = store.create('s');
    store.on('session/event', () => session.append('x/y', 1));
    session.append('x/first', 1);
    assert.equal(session.seq, 1);
    assert.match(warnings.join(), /session "s": session\/event listener threw/);
  });
});

/** Programs of appends and replacements; each number decides one step by what is there then. */
const programs = fc.array(fc.tuple(fc.nat(9), fc.nat(1_000), fc.nat(1_000)), { maxLength: 60 });

function play(session, program) {
  for (const [kind, a, b] of program) {
    const { nodes } = session.surface;
    if (kind < 2 && nodes.length > 0) {
      const [from, to] = [a % nodes.length, b % nodes.length].toSorted((x, y) => x - y);
      const intent = { surfaceOp: { op: 'replace', start: nodes[from], end: nodes[to] }, sourceEventSeqs: nodes.slice(from, to + 1) };
      session.append('user/message', { content: text(`summary ${a}`), source: { kind: 'user' } }, intent);
    } else if (kind < 5) {
      session.append(...user(`u${a}`));
    } else if (kind < 7) {
      const content = a % 3 === 0 ? [] : text(`a${b}`);
      session.append('assistant/message', { turn: 1, step: 1, content, provenance: model }, { surfaceOp: 'append' });
    } else if (kind < 8) {
      session.append('request/header', { header: { config: { ...model, temperature: a } }, reason: 'change' });
    } else {
      session.append('turn/end', { turn: a, reason: { kind: 'completed' } });
    }
    if (b % 3 === 0) session.deriveMessages();
  }
}

describe('for any program of appends', () => {
  const stateOf = (session) => ({
    events: session.events, messages: session.deriveMessages(), nodes: session.surface.nodes,
    generation: session.surface.replaceGeneration, header: session.requestHeader(),
  });

  test('a replay, a fold and the lines of the log give the live state', () => {
    fc.assert(fc.property(programs, (program) => {
      const session = new Session('s');
      play(session, program);
      assert.deepEqual(stateOf(new Session('s', session.events)), stateOf(session));
      const fold = foldSurface(session.events);
      assert.deepEqual(fold.nodes, session.surface.nodes);
      assert.equal(fold.replacements.length, session.surface.replaceGeneration);
      assert.deepEqual(foldRequestHeader(session.events), session.requestHeader());
      const scratch = fold.nodes.map((seq) => deriveEventMessage(session.events[seq])).filter((message) => message !== null);
      assert.deepEqual(session.deriveMessages(), scratch);
      assert.equal(session.events.filter(isSurfaceEvent).length, new Set([...fold.nodes, ...fold.replacements.flatMap((each) => each.shadowedSeqs)]).size);
      const lines = writeSessionLog(session.header, session.events);
      const read = readSessionLog(lines);
      assert.deepEqual(read.events, session.events);
      assert.equal(writeSessionLog(read.header, read.events), lines);
      assert.equal(read.committedBytes, Buffer.byteLength(lines));
    }), { numRuns: 300 });
  });

  test('a fork is a prefix, and closing what is open leaves nothing open', () => {
    fc.assert(fc.property(programs, fc.nat(1_000), (program, pick) => {
      const store = createSessionStore();
      const session = store.create('s');
      play(session, program);
      const ends = session.events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq);
      if (ends.length > 0) {
        const boundary = ends[pick % ends.length];
        const child = store.fork(session, boundary);
        assert.deepEqual(child.events, session.events.slice(0, boundary + 1));
        assert.deepEqual([child.header.parentSession, child.header.seedLength], ['s', boundary + 1]);
      }
      const closers = interruptedTurnClosers(session.events);
      assert.deepEqual(interruptedTurnClosers([...session.events, ...closers]), []);
    }), { numRuns: 200 });
  });
});

describe('a session of JSON lines', () => {
  const stateOf = (session) => ({
    header: session.header, events: session.events, messages: session.deriveMessages(), nodes: session.surface.nodes,
    generation: session.surface.replaceGeneration, request: session.requestHeader(),
  });

  test('is what a seed of its events is, and goes on', () => {
    fc.assert(fc.property(programs, programs, (program, more) => {
      const session = new Session('s', undefined, { version: 0, id: 's', createdAt: 5, cwd: '/w' });
      play(session, program);
      const lines = writeSessionLog(session.header, session.events);
      for (const log of [lines, new TextEncoder().encode(lines)]) {
        const read = Session.fromLog(log);
        if (more.length % 2 === 0) read.deriveMessages();
        assert.deepEqual(stateOf(read), stateOf(session));
      }
      const read = Session.fromLog(lines);
      for (const each of [session, read]) play(each, more);
      const timeless = ({ events, ...state }) => ({ ...state, events: events.map((event) => ({ ...event, time: 0 })) });
      assert.deepEqual(timeless(stateOf(read)), timeless(stateOf(session)));
      assert.equal(read.events[0], read.events[0]);
    }), { numRuns: 200 });
  });

  test('of another version, of an old format, or against the rules is refused', () => {
    const header = (version) => `{"type":"session","version":${version},"id":"s","createdAt":5}\n`;
    const event = (type, seq, data) => `${JSON.stringify({ type, seq, time: 5, data })}\n`;
    const end = event('turn/end', 1, {});
    for (const [code, log] of [
      ['corrupt', ''],
      ['corrupt', `${header(0)}{"type":\n${end}`],
      ['unsupported_version', header(1)],
      ['seed_delta', header(0) + event('request/header-delta', 0, {})],
      ['seed_fallback', header(0) + event('request/header', 0, { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' })],
      ['seed_prov', header(0) + event('assistant/message', 0, {})],
      ['marker', header(0) + event('user/message', 0, {})],
    ]) assert.throws(() => Session.fromLog(log), { name: 'SessionError', code }, log);
  });
});
