// Summaries in the place of what they sum up: planned, applied, refused, and what the log says of each.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Session, applyCompaction, buildContext, checkInvariants, createInMemoryStore, createSessionStore, deriveEventMessage,
  estimateTokens, isTurnlogError, planCompaction, sessionHistory, toolPairing,
} from 'turnlog';
import { deepFrozen } from '../session/codec.mjs';

const text = (words) => [{ type: 'text', text: words }];
const append = { surfaceOp: 'append' };
const COMPACT = { kind: 'plugin', plugin: 'compact' };
const refusal = (name, code, path) => (error) => {
  assert.deepEqual([error.name, error.code, error.path], [name, code, path], error.stack);
  assert.ok(isTurnlogError(error));
  return true;
};

/** Turns of a question, a call with its result, and an answer, by the rules of turns and steps. */
function turns(session, count, { isLastOpen = false } = {}) {
  for (let turn = 1; turn <= count; turn += 1) {
    const at = { turn, step: 1 };
    const provenance = { provider: 'p', model: 'm' };
    session.append('turn/start', { turn, trigger: { kind: 'message', source: { kind: 'user' } } });
    session.append('user/message', { content: text(`Question ${turn}`), source: { kind: 'user' } }, append);
    if (isLastOpen && turn === count) return session;
    session.append('step/start', at);
    const content = [...text('Let me see.'), { type: 'tool-call', id: 'c', name: 'look', arguments: '{}' }];
    session.append('assistant/message', { ...at, content, provenance }, append);
    session.append('tool/call', { ...at, callId: 'c', name: 'look', arguments: '{}' });
    session.append('tool/result', { ...at, callId: 'c', content: text('Seen.'), isError: false }, append);
    session.append('step/end', at);
    session.append('step/start', { turn, step: 2 });
    session.append('assistant/message', { turn, step: 2, content: text(`Answer ${turn}`), provenance }, append);
    session.append('step/end', { turn, step: 2 });
    session.append('turn/end', { turn, reason: { kind: 'completed' } });
  }
  return session;
}

const PER_TURN = 11;
const said = (session) => session.deriveMessages().map(({ content }) => content[0].text ?? content[0].type);
const types = (session, from) => session.events.slice(from).map(({ type }) => type);
const OWN_TURN = ['turn/start', 'compact/start', 'compact/summary', 'user/message', 'compact/end', 'turn/end'];

describe('a plan', () => {
  test('is the shortest balanced range that leaves the target, or nothing', () => {
    const session = turns(new Session('s'), 3);
    const { chars } = buildContext(session);
    assert.equal(planCompaction(session, { targetChars: chars }), undefined);
    const plan = planCompaction(session, { targetChars: chars - 1 });
    assert.deepEqual(plan, { start: 1, end: 1, shadowed: [1], chars: 10, reachesTarget: true });
    assert.ok(deepFrozen(plan));
    const further = planCompaction(session, { targetChars: chars - 11 });
    assert.deepEqual(further.shadowed, [1, 3, 5], 'a call and its result go together');
    assert.equal(planCompaction(new Session('empty')), undefined);
  });

  test('never parts a call from its result, and never takes the newest word of the user', () => {
    const session = turns(new Session('s'), 3);
    const pairing = toolPairing(session.events);
    for (let targetChars = 0; targetChars < buildContext(session).chars; targetChars += 1) {
      const { start, end, shadowed, reachesTarget } = planCompaction(session, { targetChars });
      assert.ok(pairing.isBalancedBefore(start) && pairing.isBalancedAfter(end));
      assert.deepEqual([shadowed[0], shadowed.at(-1)], [start, end]);
      assert.ok(end < 1 + 2 * PER_TURN && (reachesTarget || end === 2 * PER_TURN - 3));
    }
    assert.equal(planCompaction(session, { targetChars: 0 }).reachesTarget, false);
    assert.deepEqual(planCompaction(session).shadowed, planCompaction(session, { targetChars: 0 }).shadowed);
    assert.equal(planCompaction(session).reachesTarget, true);
    assert.equal(planCompaction(turns(new Session('s'), 1)), undefined, 'there is nothing before the newest word');
  });

  test('counts tokens by the estimate or by a function, once for each event that says something', () => {
    const session = turns(new Session('s'), 2);
    const calls = [];
    const countTokens = (words) => calls.push(words) && 1;
    assert.equal(planCompaction(session, { targetTokens: 5, countTokens }).tokens, 3);
    assert.deepEqual(calls.slice(0, 4), ['Question 1', 'Let me see.\nlook\n{}', 'Seen.', 'Answer 1']);
    assert.equal(calls.length, 8);
    assert.ok(planCompaction(session, { targetTokens: 1 }).tokens > 3);
    const thrown = new Error('no');
    assert.throws(() => planCompaction(session, { targetTokens: 1, countTokens: () => { throw thrown; } }), (error) => error === thrown);
    assert.throws(() => planCompaction(session, { targetTokens: 1, countTokens: () => 'x' }), refusal('ContextError', 'invalid', 'countTokens'));
  });

  test('of what is no session or no target is refused', () => {
    const session = turns(new Session('s'), 1);
    for (const other of [undefined, null, {}, session.events, 's']) assert.throws(() => planCompaction(other), refusal('ContextError', 'invalid', 'session'));
    for (const name of ['targetChars', 'targetTokens']) {
      for (const value of [-1, 1.5, '5', {}]) assert.throws(() => planCompaction(session, { [name]: value }), refusal('ContextError', 'invalid', name));
    }
    assert.throws(() => planCompaction(session, { countTokens: 5 }), refusal('ContextError', 'invalid', 'countTokens'));
    assert.throws(() => planCompaction(session, 100), refusal('ContextError', 'invalid', 'options'));
  });

  test('of a surface with a result without its call is refused by the event’s number', () => {
    const session = turns(new Session('s'), 1);
    const { seq } = session.append('tool/result', { turn: 1, step: 1, callId: 'x', content: [], isError: false }, append);
    const before = session.seq;
    for (const call of [() => planCompaction(session), () => applyCompaction(session, { start: 1, end: 1 }, 'Sum.')]) {
      assert.throws(call, (error) => refusal('SessionError', 'unpaired', undefined)(error) && error.details.seq === seq);
    }
    assert.equal(session.seq, before);
  });
});

describe('a compaction', () => {
  test('has a turn of its own where none is open, and the model gets the summary', () => {
    const session = turns(new Session('s'), 2);
    const before = session.seq;
    const plan = planCompaction(session, { targetChars: 40 });
    const event = applyCompaction(session, plan, { text: 'They looked.', provider: 'p', model: 'small', maxTokens: 50 });
    assert.deepEqual(types(session, before), OWN_TURN);
    const [started, compact, summary, message, ended, over] = session.events.slice(before);
    assert.equal(event, message);
    assert.deepEqual(started.data, { turn: 3, trigger: { kind: 'injection', source: COMPACT } });
    assert.deepEqual([compact.data, ended.data, over.data], [{ turn: 3 }, { turn: 3 }, { turn: 3, reason: { kind: 'completed' } }]);
    const { start, end, shadowed } = plan;
    assert.deepEqual({ ...summary.data, shadowedTokenCount: 0 }, {
      summary: 'They looked.', shadowedRange: { start, end }, shadowedSeqs: shadowed, shadowedTokenCount: 0, provider: 'p', model: 'small', maxTokens: 50,
    });
    assert.deepEqual(message.data, { content: text('They looked.'), source: COMPACT });
    assert.deepEqual(message.surfaceOp, { op: 'replace', start, end });
    assert.deepEqual(message.sourceEventSeqs, [compact.seq, summary.seq, ...shadowed]);
    assert.deepEqual(said(session), ['They looked.', 'Question 2', 'Let me see.', 'tool-result', 'Answer 2']);
    assert.equal(buildContext(session).messages[0].content[0].text, 'They looked.');
    assert.equal(sessionHistory(session).length, 2, 'its turn is no entry of the history');
    checkInvariants(session.events);
  });

  test('goes into the turn that is open, and leaves it open', () => {
    const session = turns(new Session('s'), 2, { isLastOpen: true });
    const before = session.seq;
    applyCompaction(session, planCompaction(session), 'They looked.');
    assert.deepEqual(types(session, before), OWN_TURN.slice(1, -1));
    assert.deepEqual(session.events.slice(before).map(({ data }) => data.turn ?? 2), [2, 2, 2, 2]);
    assert.deepEqual(said(session), ['They looked.', 'Question 2']);
    session.append('turn/end', { turn: 2, reason: { kind: 'completed' } });
    checkInvariants(session.events);
  });

  test('logs the tokens of the plan, or an estimate', () => {
    const session = turns(new Session('s'), 2);
    const tokens = () => session.events.findLast(({ type }) => type === 'compact/summary').data.shadowedTokenCount;
    applyCompaction(session, planCompaction(session, { targetTokens: 0, countTokens: () => 100 }), 'Sum.');
    assert.equal(tokens(), 400);
    applyCompaction(session, { start: session.surface.nodes[0], end: session.surface.nodes[0] }, 'Sum of sums.');
    assert.equal(tokens(), estimateTokens('Sum.'));
    assert.equal(session.events.findLast(({ type }) => type === 'compact/summary').data.model, 'unknown');
  });

  test('takes a range by hand; after an earlier one its start may exceed its end', () => {
    const session = turns(new Session('s'), 3);
    const first = applyCompaction(session, { start: 1, end: 1 + 7 }, 'First.');
    assert.deepEqual(said(session).slice(0, 2), ['First.', 'Question 2']);
    const plan = planCompaction(session);
    assert.ok(plan.start === first.seq && plan.start > plan.end);
    applyCompaction(session, { start: first.seq, end: plan.end }, 'Both.');
    assert.deepEqual(said(session)[0], 'Both.');
    const middle = session.surface.nodes.slice(1, 2)[0];
    applyCompaction(session, { start: middle, end: middle }, 'Third?');
    assert.deepEqual(said(session).slice(0, 3), ['Both.', 'Third?', 'Let me see.']);
    checkInvariants(session.events);
  });

  test('that is not allowed leaves no trace', () => {
    const session = turns(new Session('s'), 2);
    const before = session.seq;
    const plan = planCompaction(session);
    for (const summary of ['', ' \n', undefined, null, 5, {}, { text: ' ' }, { text: 5 }]) {
      assert.throws(() => applyCompaction(session, plan, summary), refusal('ContextError', 'invalid', 'summary'));
    }
    const [question, called, result, answer] = session.surface.nodes;
    for (const range of [undefined, null, {}, { start: 0, end: 1 }, { start: question }, { start: answer, end: question }, { start: `${question}`, end: question }]) {
      assert.throws(() => applyCompaction(session, range, 'Sum.'), refusal('ContextError', 'invalid', 'range'));
    }
    for (const [start, end] of [[question, called], [result, answer], [called, called], [result, result]]) {
      assert.throws(() => applyCompaction(session, { start, end }, 'Sum.'), refusal('ContextError', 'unbalanced', 'range'));
    }
    assert.throws(() => applyCompaction(session.events, plan, 'Sum.'), refusal('ContextError', 'invalid', 'session'));
    assert.equal(session.seq, before);
  });

  test('waits for another one that is not over, in the turn that is open', () => {
    const session = turns(new Session('s'), 2, { isLastOpen: true });
    const plan = planCompaction(session);
    session.append('compact/start', { turn: 2 });
    const before = session.seq;
    assert.throws(() => applyCompaction(session, plan, 'Sum.'), refusal('ContextError', 'compacting', undefined));
    assert.equal(session.seq, before);
    session.append('compact/end', { turn: 2, error: 'the model is away' });
    applyCompaction(session, plan, 'Sum.');
    session.append('compact/start', { turn: 2 });
    session.append('turn/end', { turn: 2, reason: { kind: 'interrupted' } });
    applyCompaction(session, { start: session.surface.nodes[0], end: session.surface.nodes[0] }, 'One that a crash cut off bars nothing.');
    assert.equal(session.events.at(-1).type, 'turn/end');
  });

  test('whose replacement fails ends with the error, and the surface is as it was', () => {
    for (const isLastOpen of [false, true]) {
      const session = turns(new Session('s'), 2, { isLastOpen });
      const [before, surface] = [session.seq, session.surface.nodes];
      const plan = planCompaction(session);
      let message;
      assert.throws(() => applyCompaction(session, plan, { text: 'Sum.', model: 1n }), (error) => {
        message = error.message;
        return refusal('SessionError', 'data_json', 'model')(error);
      });
      assert.deepEqual(session.surface.nodes, surface);
      const [first, ...others] = session.events.slice(before).filter(({ type }) => type.startsWith('compact/'));
      const turn = isLastOpen ? 2 : 3;
      assert.deepEqual([first.type, others.map(({ type, data }) => [type, data])], ['compact/start', [['compact/end', { turn, error: message }]]]);
      if (!isLastOpen) assert.deepEqual(session.events.at(-1).data, { turn, reason: { kind: 'error', step: 0, message } });
      checkInvariants(session.events);
      applyCompaction(session, plan, 'Sum.');
      assert.equal(said(session)[0], 'Sum.');
    }
  });
});

describe('in a store', () => {
  test('that is strict and keeps to turns, every event is taken and told of', () => {
    const store = createSessionStore({ strict: true, invariants: true });
    const session = turns(store.create('s'), 2);
    const told = [];
    store.on('session/event', (_, { type }) => told.push(type));
    applyCompaction(session, planCompaction(session), 'Sum.');
    assert.deepEqual(told, OWN_TURN);
    assert.throws(() => applyCompaction(session, { start: session.surface.nodes[0], end: session.surface.nodes[0] }, { text: 'Sum.', provider: () => 1 }), refusal('SessionError', 'data_json', 'provider'));
    assert.deepEqual(told.slice(OWN_TURN.length), ['turn/start', 'compact/start', 'compact/end', 'turn/end']);
    session.append('turn/start', { turn: 5, trigger: { kind: 'message', source: { kind: 'user' } } });
  });

  test('a listener can start none from inside of an append, and what it throws stops none', () => {
    const warnings = [];
    const store = createSessionStore({ warn: (words) => warnings.push(words) });
    const session = turns(store.create('s'), 2);
    const plan = planCompaction(session);
    const before = session.seq;
    const failures = [];
    const off = store.on('session/event', () => {
      try {
        applyCompaction(session, plan, 'From inside.');
      } catch (error) {
        failures.push(error.code);
        throw error;
      }
    });
    applyCompaction(session, plan, 'Sum.');
    off();
    assert.deepEqual(types(session, before), OWN_TURN);
    assert.equal(failures.length, OWN_TURN.length);
    assert.ok(failures.includes('reenter'));
    assert.equal(warnings.length, OWN_TURN.length);
  });

  test('that lasts, it is there after reopening, in a fork too, and stored events need not be objects for a plan', async () => {
    const storage = createInMemoryStore();
    const store = createSessionStore({ storage, invariants: true });
    await store.close(turns(store.create('chat'), 3));
    const session = await store.open('chat');
    const plan = planCompaction(session, { targetChars: 60 });
    applyCompaction(session, plan, 'Sum.');
    await store.flush(session);
    const messages = session.deriveMessages();
    const fork = store.fork(session);
    assert.deepEqual(fork.deriveMessages(), messages);
    await store.close(session);
    const again = await createSessionStore({ storage }).open('chat');
    assert.deepEqual(again.deriveMessages(), messages);
    assert.deepEqual(buildContext(again), buildContext(session));
    assert.deepEqual(plan.shadowed.map((seq) => deriveEventMessage(again.events[seq]).role).slice(0, 2), ['user', 'assistant']);
    applyCompaction(again, planCompaction(again), 'All.');
    assert.equal(said(again)[0], 'All.');
    checkInvariants(again.events);
  });
});
