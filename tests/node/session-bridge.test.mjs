// The bridges from event-sourced sessions to the history: a log as entries, and a history store on sessions.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  AssistantInjectionMessage, ChartRequestMessage, Session, SessionError, SessionId, createEngine, createInMemoryStore,
  createSessionHistoryStore, createSessionStore, checkInvariants, defaultLLMContext, fromSessionHistoryEntry, interruptedTurnClosers,
  isOk, readSessionLog, sessionHistory, toSessionHistoryEntry, writeSessionLog,
} from 'turnlog';
import { testHistoryStore } from 'turnlog/testing';

const S = SessionId('s');
const model = { provider: 'p', model: 'm' };
const text = (words) => [{ type: 'text', text: words }];
const append = { surfaceOp: 'append' };
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const strictly = () => createSessionStore({ strict: true, invariants: true });
const spoken = (session) => session.deriveMessages().map(({ role, content }) => ({ role, content: content[0].text }));

/** One turn: what each of `says` appends, between its start and its end. */
function turn(session, says, { trigger = 'message', end = { kind: 'completed' } } = {}) {
  const number = session.events.filter(({ type }) => type === 'turn/start').length + 1;
  session.append('turn/start', { turn: number, trigger: { kind: trigger, source: { kind: 'user' } } });
  let steps = 0;
  for (const say of says) say(session, number, () => (steps += 1));
  return session.append('turn/end', { turn: number, reason: end });
}
const asks = (...contents) => (session) => session.append('user/message', { content: contents.flat(), source: { kind: 'user' } }, append);
const answers = (...contents) => (session, number, nextStep) => {
  const step = nextStep();
  session.append('step/start', { turn: number, step });
  session.append('assistant/message', { turn: number, step, content: contents.flat(), provenance: model }, append);
  session.append('step/end', { turn: number, step });
};

describe('a log as entries', () => {
  test('has one for each complete turn, with the texts of users and the last text of the assistant', () => {
    const session = new Session('chat');
    const call = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' };
    turn(session, [asks(text('one'), text('two')), asks(text('three')), answers(text('let me see'), [call]), answers([{ type: 'reasoning', text: 'hm' }], text('so'), text('it is'))]);
    turn(session, [answers(text('by the way'))], { trigger: 'injection' });
    turn(session, [answers(text('unasked'))]);
    turn(session, []);
    turn(session, [], { trigger: 'injection' });
    turn(session, [asks(text('stop')), answers(text('half'))], { end: { kind: 'aborted' } });
    session.append('turn/start', { turn: 7, trigger: { kind: 'message', source: { kind: 'user' } } });
    asks(text('still open'))(session);
    const times = session.events.filter(({ type }) => type === 'turn/start').map(({ time }) => time);
    const envelope = (n) => ({ id: `chat:${n}`, sessionId: 'chat', timestamp: times[n - 1] });
    assert.deepEqual(sessionHistory(session), [
      { kind: 'turn', ...envelope(1), userIntent: 'one\ntwo\n\nthree', assistantMessage: 'so\nit is' },
      { kind: 'injection', ...envelope(2), content: 'by the way' },
      { kind: 'injection', ...envelope(3), content: 'unasked' },
      { kind: 'turn', ...envelope(4), userIntent: '', assistantMessage: '' },
      { kind: 'injection', ...envelope(5), content: '' },
      { kind: 'turn', ...envelope(6), userIntent: 'stop', assistantMessage: 'half' },
    ]);
  });

  test('leaves out what a replacement says again, and turns of nothing else', () => {
    const session = new Session('chat');
    turn(session, [asks(text('long question')), answers(text('long answer'))]);
    const { nodes } = session.surface;
    const summary = (of) => of.append('user/message', { content: text('in short'), source: { kind: 'plugin', plugin: 'compact' } },
      { surfaceOp: { op: 'replace', start: nodes[0], end: nodes[1] }, sourceEventSeqs: nodes });
    turn(session, [summary]);
    turn(session, [asks(text('and now?')), answers(text('now'))]);
    assert.deepEqual(sessionHistory(session).map(({ id, userIntent }) => [id, userIntent]), [['chat:1', 'long question'], ['chat:3', 'and now?']]);
    assert.deepEqual(sessionHistory(session.events), sessionHistory(session, { sessionId: 'session' }));
  });

  test('names sessions whose ids the history cannot carry only by another one', () => {
    for (const id of ['', 'x'.repeat(513), 'half \ud83d']) {
      const session = new Session(id);
      turn(session, [asks(text('hi'))]);
      assert.throws(() => sessionHistory(session), { name: 'ValidationError', code: 'invalid' }, JSON.stringify(id));
      assert.equal(sessionHistory(session, { sessionId: 'other' })[0].id, 'other:1');
    }
    assert.throws(() => sessionHistory('chat'), { code: 'invalid', path: 'source' });
    assert.throws(() => sessionHistory([{ type: 'turn/start', seq: 0n }]), { code: 'seed_json' });
    assert.deepEqual(sessionHistory([null, 5]), []);
  });

  test('gives entries that a store takes, whatever the log', () => {
    const anything = fc.anything({ withNullPrototype: false, maxDepth: 2 }).filter((data) => JSON.stringify(data) !== undefined)
      .map((data) => JSON.parse(JSON.stringify(data)));
    const block = fc.oneof(fc.string({ unit: 'binary' }).map((words) => ({ type: 'text', text: words })), fc.constant({ type: 'text', text: '\ud83d' }), anything);
    const says = fc.array(fc.oneof(
      fc.array(block).map((content) => asks(content)),
      fc.array(block).map((content) => answers(content)),
      anything.map((data) => (session) => session.append('user/message', data, append)),
      anything.map((data) => (session) => session.append('turn/aside', data)),
    ), { maxLength: 5 });
    const turns = fc.array(fc.tuple(says, fc.constantFrom('message', 'injection', 'other')), { maxLength: 6 });
    const ids = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.constant('x'.repeat(512)), fc.constant('😀'.repeat(256)), fc.constant(`x${'😀'.repeat(255)}`));
    fc.assert(fc.property(ids, turns, fc.boolean(), (id, program, isOpen) => {
      const session = new Session(id);
      for (const [all, trigger] of program) turn(session, all, { trigger });
      if (isOpen) session.append('turn/start', { turn: 99 });
      const history = sessionHistory(session);
      assert.equal(history.length, program.length);
      assert.equal(new Set(history.map((entry) => entry.id)).size, history.length);
      for (const entry of history) assert.deepEqual(toSessionHistoryEntry(fromSessionHistoryEntry(entry)), entry);
    }), { numRuns: 300 });
  });

  test('can be imported into any history', async () => {
    const session = strictly().create('chat');
    turn(session, [asks(text('hi')), answers(text('hello'))]);
    const engine = createEngine({ planner: () => ({ userMessage: '' }), history: { store: createInMemoryStore() } });
    assert.deepEqual(value(await engine.importHistory(SessionId('chat'), sessionHistory(session))).inserted, 1);
    assert.deepEqual(value(await engine.getHistory(SessionId('chat'))), sessionHistory(session));
  });
});

testHistoryStore(() => createSessionHistoryStore(createSessionStore()), { test, name: 'a history store on sessions' });
testHistoryStore(() => {
  const sessions = strictly();
  return { store: createSessionHistoryStore(sessions), another: () => createSessionHistoryStore(sessions, model) };
}, { test, name: 'two history stores on strict sessions with invariants' });
testHistoryStore(() => {
  const sessions = createSessionStore({ storage: createInMemoryStore(), invariants: true });
  return { store: createSessionHistoryStore(sessions), another: () => createSessionHistoryStore(sessions) };
}, { test, name: 'a history store on sessions that are stored' });

const ask = (words, more) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text: words }], ...more });
const note = (content, more) => AssistantInjectionMessage({ sessionId: S, content, ...more });
const planner = (request, { messages }) => ({ userMessage: `re: ${request.reasons[0].text} (${messages.length})`, plan: { rows: [1] } });

/** An engine on sessions that hold what they are given to the rules. */
function engineOnSessions(history = {}, sessions = strictly()) {
  const store = createSessionHistoryStore(sessions, model);
  return { sessions, store, engine: createEngine({ planner, history: { store, ...history } }) };
}

/** A session read back from its lines, in a store of its own. */
function restarted(session, cut = (lines) => lines) {
  const { header, events } = readSessionLog(cut(writeSessionLog(session.header, session.events)));
  const sessions = strictly();
  return [sessions, sessions.create(session.id, { seed: [...events, ...interruptedTurnClosers(events)], meta: header })];
}

/** What the session derives is what its entries say. */
async function agrees(store, session) {
  const entries = await store.get(session.id);
  assert.deepEqual(spoken(session), entries.flatMap((entry) => defaultLLMContext(entry)));
  assert.deepEqual(sessionHistory(session), entries.map((entry) => toSessionHistoryEntry(entry)));
  checkInvariants(session.events);
}

describe('an engine on sessions', () => {
  test('remembers what was said, as events and as entries', async () => {
    const { engine, sessions, store } = engineOnSessions();
    value(await engine.handle(note('You are welcome.')));
    const first = ask('Hi', { layout: { rows: [640] } });
    assert.equal(value(await engine.handle(first)).output.userMessage, 're: Hi (1)');
    assert.equal(value(await engine.handle(ask('And?'))).output.userMessage, 're: And? (3)');
    assert.equal(value(await engine.handle(first)).replayed, true);
    const session = sessions.get(S);
    assert.deepEqual(session.events.slice(4).map(({ type }) => type).slice(0, 9), [
      'step/end', 'turn/end', 'turn/start', 'history/entry', 'user/message', 'step/start', 'assistant/message', 'step/end', 'turn/end',
    ]);
    assert.deepEqual(session.deriveMessages().map(({ provenance }) => provenance?.model), ['injection', undefined, 'm', undefined, 'm']);
    assert.deepEqual(value(await engine.getLLMContext(S)), spoken(session));
    assert.deepEqual((await store.get(S))[1].input, first);
    await agrees(store, session);
  });

  test('has the turns that others logged in its context, and they have its', async () => {
    const { engine, sessions, store } = engineOnSessions();
    const session = sessions.create(S);
    turn(session, [asks(text('logged')), answers(text('by an agent'))]);
    assert.equal(value(await engine.handle(ask('Hi'))).output.userMessage, 're: Hi (2)');
    turn(session, [asks(text('more')), answers(text('of it'))]);
    assert.deepEqual((await store.get(S)).map(({ input }) => input.id).filter((id) => id.startsWith('s:')), ['s:1', 's:3']);
    assert.deepEqual(await store.getResponseById(S, 's:3'), { userMessage: 'of it' });
    await agrees(store, session);
  });

  test('writes nothing into a turn that is open', async () => {
    const { engine, sessions } = engineOnSessions();
    const session = sessions.create(S);
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
    const { ok, error } = await engine.handle(ask('Hi'));
    assert.deepEqual([ok, error.cause instanceof SessionError && error.cause.code, session.seq], [false, 'open_turn', 1]);
  });

  test('truncates the history and what is derived, not the log', async () => {
    const { engine, sessions, store } = engineOnSessions({ maxEntries: 3, maxChars: 200 });
    for (let n = 0; n < 12; n += 1) {
      value(await engine.handle(n % 3 === 0 ? note(`note ${n}`) : ask(`${n}`)));
      await agrees(store, sessions.get(S));
    }
    const session = sessions.get(S);
    assert.equal((await store.get(S)).length, 3);
    assert.equal(session.surface.nodes.length, 6, 'one node stands for all that was dropped');
    assert.equal(session.events.filter(({ type }) => type === 'history/entry').length, 12);
  });

  test('goes on after a restart with the same entries', async () => {
    const { engine, sessions, store } = engineOnSessions({ maxEntries: 4 });
    for (let n = 0; n < 6; n += 1) value(await engine.handle(ask(`${n}`)));
    const [again, session] = restarted(sessions.get(S));
    const next = engineOnSessions({ maxEntries: 4 }, again);
    assert.deepEqual(await next.store.get(S), await store.get(S));
    value(await next.engine.handle(ask('after')));
    assert.equal((await next.store.get(S)).length, 4);
    await agrees(next.store, session);
  });
});

describe('a history store on sessions', () => {
  const entry = (id, words = id) => ({ kind: 'turn', input: ask(words, { id }), output: { userMessage: `re: ${words}` } });

  test('acknowledges when the session is flushed; what could not be is flushed by the next call', async () => {
    const { sessions, store } = engineOnSessions();
    let [failures, flushes] = [1, 0];
    sessions.on('session/flush', async () => {
      flushes += 1;
      if (failures-- > 0) throw new Error('disk full');
    });
    await assert.rejects(store.append(S, entry('a')), /disk full/);
    assert.equal(await store.append(S, entry('a')), 'deduped');
    assert.equal(await store.append(S, entry('a')), 'deduped');
    assert.equal(flushes, 2);
  });

  test('opens the sessions that are stored, once at a time, and makes those that are not', async () => {
    const stored = strictly();
    await createSessionHistoryStore(stored).append(S, entry('a'));
    const sessions = strictly();
    let opened = 0;
    sessions.open = async (id) => {
      opened += 1;
      await null;
      if (id !== S) throw new SessionError('session_not_found', 'not stored');
      return sessions.create(id, { seed: stored.get(S).events });
    };
    const store = createSessionHistoryStore(sessions);
    const [entries, outcome] = await Promise.all([store.get(S), store.append(S, entry('a'))]);
    assert.deepEqual([entries.length, outcome, opened], [1, 'deduped', 1]);
    assert.deepEqual([await store.get('other'), sessions.get('other')], [[], undefined], 'a read makes no session');
    await store.clear('other');
    assert.equal(sessions.get('other'), undefined);
    assert.equal(await store.append('other', entry('a')), 'inserted');
    sessions.open = async () => {
      throw new Error('no disk');
    };
    await assert.rejects(store.get('third'), /no disk/);
  });

  test('has what it acknowledged in the storage, whoever opens it next', async () => {
    const storage = createInMemoryStore();
    const on = () => createSessionStore({ storage, invariants: true, window: 60_000 });
    const first = createSessionHistoryStore(on());
    for (const id of ['a', 'b', 'c']) await first.append(S, entry(id));
    await first.replace(S, (await first.get(S)).slice(1));
    const sessions = on();
    const next = createSessionHistoryStore(sessions);
    assert.deepEqual(await next.get(S), await first.get(S));
    assert.equal(await next.append(S, entry('a')), 'inserted');
    await agrees(next, sessions.get(S));
    await assert.rejects(first.append(S, entry('d')), { name: 'SessionError', code: 'conflict' });
    assert.deepEqual((await createSessionHistoryStore(on()).get(S)).map(({ input }) => input.id), ['b', 'c', 'a']);
    assert.deepEqual(await next.get('other'), []);
  });

  test('derives what counts after any writes, and again from the log', async () => {
    const writes = fc.array(fc.oneof(
      fc.record({ kind: fc.constant('append'), id: fc.nat(12), words: fc.constantFrom('', 'x', 'y') }),
      fc.record({ kind: fc.constant('replace'), pick: fc.array(fc.nat(12), { maxLength: 8 }), edit: fc.boolean() }),
      fc.record({ kind: fc.constant('cut'), keep: fc.nat(4) }),
      fc.record({ kind: fc.constant('logged') }),
      fc.record({ kind: fc.constant('clear') }),
    ), { maxLength: 14 });
    await fc.assert(fc.asyncProperty(writes, fc.nat(10_000), async (program, at) => {
      const { sessions, store } = engineOnSessions();
      const session = sessions.create(S);
      const states = [[]];
      for (const write of program) {
        const now = await store.get(S);
        const byId = new Map(now.map((each) => [each.input.id, each]));
        if (write.kind === 'append') await store.append(S, entry(`m${write.id}`, write.words));
        if (write.kind === 'replace') {
          const ids = [...new Set(write.pick.map((n) => `m${n}`))];
          await store.replace(S, ids.map((id) => (write.edit ? undefined : byId.get(id)) ?? entry(id, `${id} again`)));
        }
        if (write.kind === 'cut') await store.replace(S, now.slice(-write.keep || now.length));
        if (write.kind === 'logged') turn(session, [asks(text('logged')), answers(text('reply'))]);
        if (write.kind === 'clear') await store.clear(S);
        await agrees(store, session);
        states.push(await store.get(S));
      }
      const [again, copy] = restarted(session);
      const reread = createSessionHistoryStore(again);
      assert.deepEqual(await reread.get(S), states.at(-1));
      await agrees(reread, copy);
      // Cut off anywhere: one of the states it went through, and the next write mends what is derived.
      const [torn, rest] = restarted(session, (lines) => {
        const header = lines.indexOf('\n') + 1;
        return lines.slice(0, header + Math.floor((at / 10_000) * (lines.length - header)));
      });
      const mended = createSessionHistoryStore(torn);
      const left = JSON.stringify(await mended.get(S));
      const isLogged = (state) => JSON.stringify(state) === left;
      if (!program.some(({ kind }) => kind === 'logged')) assert.ok(states.some(isLogged), `${left} is none of its states`);
      await mended.append(S, entry('next'));
      await agrees(mended, rest);
    }), { numRuns: 150 });
  });

  test('gives a fork the entries up to there as its own', async () => {
    const { sessions, store } = engineOnSessions();
    await store.append(S, entry('a'));
    turn(sessions.get(S), [asks(text('logged')), answers(text('reply'))]);
    const { seq } = sessions.get(S);
    await store.append(S, entry('b'));
    const fork = sessions.fork(S, seq - 1, 'fork');
    const entries = await store.get('fork');
    assert.deepEqual(entries.map(({ input }) => [input.id, input.sessionId]), [['a', 'fork'], ['fork:2', 'fork']]);
    assert.equal(await store.append('fork', { ...entry('c'), input: ask('c', { id: 'c', sessionId: 'fork' }) }), 'inserted');
    assert.deepEqual((await store.get(S)).map(({ input }) => input.id), ['a', 's:2', 'b']);
    await agrees(store, fork);
  });

  test('drops a summary with the last of the entries that it stands for', async () => {
    const { sessions, store } = engineOnSessions();
    for (const id of ['a', 'b', 'c']) await store.append(S, entry(id));
    const session = sessions.get(S);
    const nodes = session.surface.nodes.slice(0, 4);
    turn(session, [(of) => of.append('user/message', { content: text('a and b'), source: { kind: 'plugin', plugin: 'compact' } },
      { surfaceOp: { op: 'replace', start: nodes[0], end: nodes[3] }, sourceEventSeqs: nodes })]);
    assert.equal((await store.get(S)).length, 3, 'a summary is no entry');
    await store.replace(S, (await store.get(S)).slice(1));
    assert.deepEqual(spoken(session).map(({ content }) => content), ['a and b', 'c', 're: c']);
    await store.replace(S, (await store.get(S)).slice(1));
    assert.deepEqual(spoken(session).map(({ content }) => content), ['c', 're: c']);
  });

  test('refuses lists, entries and options that are none, and logs that carry none', async () => {
    const { sessions, store } = engineOnSessions();
    await assert.rejects(store.replace(S, [entry('a'), { kind: 'turn' }]), { code: 'invalid', path: '[1].input' });
    await assert.rejects(store.replace(S, [entry('a'), entry('a')]), { code: 'invalid' });
    await assert.rejects(store.replace(S, 'all'), { code: 'invalid', path: 'entries' });
    await assert.rejects(store.append(S, { kind: 'turn' }), { code: 'invalid', path: 'input' });
    await assert.rejects(store.append('', entry('a')), { code: 'invalid' });
    assert.deepEqual(sessions.list(), []);
    assert.throws(() => createSessionHistoryStore({}), { code: 'invalid', path: 'sessions' });
    assert.throws(() => createSessionHistoryStore(sessions, { model: '' }), { code: 'invalid', path: 'model' });
    for (const [type, data] of [['history/entry', { entry: 5 }], ['history/entry', null], ['history/kept', { ranges: [[0, 9]], added: 0 }], ['history/kept', null]]) {
      const session = sessions.create();
      turn(session, [() => session.append(type, data)]);
      await assert.rejects(store.get(session.id), (error) => error.code === 'corrupt' && error.details.seq === 1);
      assert.throws(() => sessionHistory(session), { name: 'SessionError', code: 'corrupt' });
    }
  });
});
