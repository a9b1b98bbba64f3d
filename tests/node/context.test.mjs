// Contexts and requests as JavaScript calls them: every kind of source, options, reports and errors. The rules themselves are
// tested beside the core.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AssistantInjectionMessage, ChartRequestMessage, ContextError, Session, SessionId, buildContext, buildRequest, createEngine,
  createInMemoryStore, createSessionStore, estimateTokens, fromSessionHistoryEntry, isTurnlogError, prepareRequest, writeSessionLog,
} from 'turnlog';
import { deepFrozen } from '../session/codec.mjs';

const PROVIDERS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ai-sdk'];
const user = (content) => ({ role: 'user', content });
const assistant = (content) => ({ role: 'assistant', content });
const text = (words) => [{ type: 'text', text: words }];
const call = (id, more) => ({ type: 'tool-call', id, name: 'look', arguments: '{}', ...more });
const result = (toolCallId, content = text('seen')) => ({ type: 'tool-result', toolCallId, content });
const parsed = (body) => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
const rules = ({ repairs }) => repairs.map(({ rule }) => rule);
const refusal = (code, path) => (error) => {
  assert.deepEqual([error.name, error.code, error.path], ['ContextError', code, path], error.stack);
  assert.ok(error instanceof ContextError && isTurnlogError(error));
  return true;
};

function frozen(value) {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

/** A session, and short ways to append to it. */
function logged(session = new Session('s')) {
  const provenance = { provider: 'p', model: 'm' };
  const append = { surfaceOp: 'append' };
  return {
    session,
    user: (words, intent = append) => session.append('user/message', { content: text(words), source: { kind: 'user' } }, intent),
    assistant: (content, from = provenance) =>
      session.append('assistant/message', { turn: 1, step: 1, content, provenance: from }, append),
    result: (callId, content = text('seen')) =>
      session.append('tool/result', { turn: 1, step: 1, callId, content, isError: false }, append),
    header: (header) => session.append('request/header', { header: { config: { provider: 'openai', model: 'm' }, ...header }, reason: 'initial' }),
  };
}

const replacing = ({ seq: first }, { seq: last } = { seq: first }, all = [first]) => ({
  surfaceOp: { op: 'replace', start: first, end: last },
  sourceEventSeqs: all,
});

describe('a list of messages', () => {
  const list = frozen([
    { role: 'system', content: 'Be brief.' },
    user('Look.'),
    { ...assistant([call('1')]), mine: [1, { kept: true }] },
    user([result('1')]),
    assistant('Done.'),
  ]);

  test('that is legal and fits comes out as it went in, frozen', () => {
    const context = buildContext(list, { maxMessages: 4, maxChars: 1_000 });
    assert.deepEqual(context.messages, list);
    assert.ok(deepFrozen(context.messages));
    assert.deepEqual({ ...context, messages: [] }, {
      messages: [], droppedEntries: 0, dropped: [], clipped: [], chars: 20, overBudget: false, repairs: [],
    });
    assert.deepEqual(buildContext(context.messages).messages, list);
  });

  test('is made legal, with a record of each change, and is itself not changed', () => {
    const broken = frozen([
      user('One.'), user('Two.'), assistant([call('1'), call('2', { arguments: null })]), user([result('2', 0), result('9')]), assistant('  '),
    ]);
    const before = JSON.stringify(broken);
    const { messages, repairs } = buildContext(broken);
    assert.equal(JSON.stringify(broken), before);
    assert.deepEqual(messages.map(({ role }) => role), ['user', 'assistant', 'user']);
    assert.deepEqual(messages[1].content, [call('1'), call('2')]);
    assert.deepEqual(messages[2].content, [{ ...result('1', text('interrupted')), isError: true }, result('2', 0)]);
    assert.deepEqual(repairs.map(({ rule, message, callId }) => [rule, message, callId]).sort(), [
      ['arguments', 2, '2'], ['blank_text', 4, undefined], ['missing_result', 2, '1'], ['orphan_result', 3, '9'], ['same_role', 1, undefined],
    ]);
    assert.deepEqual(buildContext(messages).repairs, []);
  });

  test('may have members that are undefined, as where they are absent; items may not', () => {
    const messages = [{ ...user([{ type: 'text', text: 'Hi', replayState: undefined }]), provenance: undefined }];
    assert.deepEqual(buildContext(messages).messages, [user(text('Hi'))]);
    assert.throws(() => buildContext([user('Hi'), undefined]), refusal('not_json', '[1]'));
    assert.throws(() => buildContext([user([undefined])]), refusal('not_json', '[0].content[0]'));
  });

  test('keeps its lone surrogates, which only bodies replace', () => {
    const half = [user('a\ud83d'), assistant([call('\udc00')])];
    const context = buildContext(half);
    assert.equal(context.messages[0].content, 'a\ud83d');
    assert.equal(context.repairs[0].callId, '\ufffd');
    for (const provider of PROVIDERS) {
      const { body, repairs } = prepareRequest(provider, half, { model: 'm', system: '\udc00' });
      assert.ok(JSON.stringify(parsed(body)).isWellFormed(), provider);
      assert.ok(repairs.some(({ rule, message }) => rule === 'lone_surrogate' && message === 0), provider);
    }
  });

  test('is read once, each property once; what a getter throws is thrown', () => {
    let reads = 0;
    const message = { role: 'user', get content() { reads += 1; return 'Hi'; } };
    buildContext([message]);
    assert.equal(reads, 1);
    const thrown = new RangeError('no');
    assert.throws(() => buildContext([{ role: 'user', get content() { throw thrown; } }]), (error) => error === thrown);
  });

  test('of 10,000 messages is cut newest first', () => {
    const long = Array.from({ length: 5_000 }, (_, turn) => [user(`Question ${turn}`), assistant(`Answer ${turn}`)]).flat();
    const context = buildContext(long, { maxMessages: 100 });
    assert.deepEqual(context.messages, long.slice(-100));
    assert.deepEqual([context.droppedEntries, context.dropped[0], context.dropped.at(-1)], [9_900, 0, 9_899]);
    assert.equal(buildContext(long).messages.length, 10_000);
    assert.equal(parsed(buildRequest('openai-chat', long, { model: 'm', maxMessages: 2 })).messages.length, 2);
  });
});

describe('history entries', () => {
  const wire = [
    { kind: 'turn', id: '1', sessionId: 's', timestamp: 1, userIntent: 'Hi', assistantMessage: 'Hello' },
    { kind: 'injection', id: '2', sessionId: 's', timestamp: 2, content: 'More' },
  ];
  const said = [user('Hi'), assistant([...text('Hello'), ...text('More')])];

  test('say in either form what they say to the model', () => {
    for (const list of [wire, wire.map(fromSessionHistoryEntry)]) {
      const context = buildContext(frozen(list));
      assert.deepEqual(context.messages, said);
      assert.deepEqual(context.repairs, [{ rule: 'same_role', message: 1 }]);
    }
    assert.equal(buildContext([...wire, user('And?')]).messages.length, 3);
    assert.throws(() => buildContext([wire[0], { kind: 'turn' }]), refusal('invalid', '[1]'));
  });

  test('are counted by entry where they are dropped', () => {
    const { messages, droppedEntries, dropped } = buildContext([wire[0], { ...wire[0], id: '3', userIntent: 'So?' }], { maxMessages: 2 });
    assert.deepEqual([messages[0].content, droppedEntries, dropped], ['So?', 1, [0]]);
  });
});

describe('an engine', () => {
  const sessionId = SessionId('s');
  const withHistory = async () => {
    const engine = createEngine({ planner: () => ({ userMessage: 'Hello' }), history: { store: createInMemoryStore() } });
    await engine.handle(ChartRequestMessage({ sessionId, reasons: [{ kind: 'user_intent', text: 'Hi' }] }));
    await engine.handle(AssistantInjectionMessage({ sessionId, content: 'More' }));
    return engine;
  };

  test('gives what its next request would send, in a promise', async () => {
    const engine = await withHistory();
    const { messages } = await buildContext({ engine, sessionId });
    assert.deepEqual(messages, buildContext((await engine.getLLMContext(sessionId)).value).messages);
    const { body } = await prepareRequest('openai-chat', { engine, sessionId }, { model: 'm' });
    assert.deepEqual(await buildRequest('openai-chat', { engine, sessionId }, { model: 'm' }), body);
    assert.deepEqual(parsed(body).messages.map(({ role }) => role), ['user', 'assistant']);
  });

  test('rejects, and never throws: with its own errors and with those of options', async () => {
    const engine = await withHistory();
    await assert.rejects(buildContext({ engine, sessionId: '' }), (error) => error.name === 'ValidationError' && error.code === 'invalid');
    await assert.rejects(buildContext({ engine, sessionId }, { maxChars: -1 }), refusal('invalid', 'maxChars'));
    await assert.rejects(buildContext({ engine, sessionId }, { countTokens: 5 }), refusal('invalid', 'countTokens'));
    await assert.rejects(buildRequest('openai-chat', { engine, sessionId }), refusal('invalid', 'model'));
    await assert.rejects(buildRequest('gemini', { engine, sessionId }), refusal('ends_on_assistant', undefined));
  });
});

describe('a session', () => {
  test('is read on from where it was, whatever becomes of it', () => {
    const log = logged();
    const { session } = log;
    // The same events, read anew, are what every context has to be like.
    const check = (options) => {
      const context = buildContext(session, options);
      assert.deepEqual(context, buildContext(new Session('s', session.events), options));
      return context;
    };
    assert.deepEqual(check().messages, []);
    const first = log.user('One.');
    assert.deepEqual(check().messages, [user(text('One.'))]);
    log.assistant([call('1')]);
    assert.deepEqual(check().repairs, [{ rule: 'missing_result', callId: '1', message: 1 }]);
    log.result('1');
    log.assistant(text('Done.'));
    assert.equal(check().messages.length, 4);
    const last = log.user('Two.');
    check({ maxTokens: 3, countTokens: (words) => words.length });
    log.user('2.', replacing(last));
    assert.deepEqual(check().messages.at(-1), user(text('2.')));
    log.user('1.', replacing(first));
    assert.deepEqual([check().messages[0], check().messages.length], [user(text('1.')), 5]);
    log.user('More.');
    assert.deepEqual(check({ maxMessages: 1 }).dropped, [1, 2, 3, 6]);
  });

  test('gives the body of a list that is read anew, whatever was asked before, and a view of it is the same bytes', () => {
    const log = logged();
    const same = (options) => {
      for (const provider of ['openai-chat', 'anthropic-messages']) {
        const anew = Buffer.from(buildRequest(provider, new Session('s', log.session.events), options));
        const view = buildRequest(provider, log.session, { ...options, view: true });
        assert.equal(Buffer.compare(view, anew), 0, `${provider} ${JSON.stringify(options)}`);
        const copy = buildRequest(provider, log.session, options);
        assert.equal(Buffer.compare(copy, anew), 0);
        buildRequest(provider, log.session, { ...options, system: 'Another beginning.', view: true });
        assert.equal(Buffer.compare(copy, anew), 0, 'a copy stays');
        const { body, ...report } = prepareRequest(provider, log.session, options);
        const { body: _, ...whole } = prepareRequest(provider, new Session('s', log.session.events), options);
        assert.deepEqual([Buffer.compare(body, anew), report], [0, whole]);
      }
    };
    for (let turn = 0; turn < 60; turn++) {
      log.user(`Question ${turn} \ud83d`);
      if (turn % 7 === 3) {
        log.assistant([call('1'), call('1')]);
        if (turn % 2 === 0) log.result('1');
      }
      log.assistant(text(`Answer ${turn} 😀 `));
      same({ model: 'm' });
      same({ model: 'm', maxChars: 200 });
      same({ model: 'm', maxMessages: 10, dropInSteps: 30, system: 'Be brief.' });
    }
    assert.throws(() => buildRequest('openai-chat', log.session, { model: 5, view: true }), refusal('invalid', 'model'));
    same({ model: 'm' });
  });

  test('has its header, system text, tools and settings in requests, and the newest ones', () => {
    const log = logged();
    log.header({ system: 'Be brief.', tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }] });
    log.user('Hi');
    const body = parsed(buildRequest('openai-chat', log.session));
    assert.deepEqual([body.model, body.messages], ['m', [{ role: 'system', content: 'Be brief.' }, user('Hi')]]);
    assert.equal(body.tools[0].function.name, 'look');
    log.header({ config: { provider: 'openai', model: 'other', temperature: 0.5, maxTokens: 9 } });
    const next = parsed(buildRequest('openai-chat', log.session, { temperature: 1 }));
    assert.deepEqual(next, { model: 'other', max_completion_tokens: 9, temperature: 1, messages: [user('Hi')] });
    log.session.append('request/header', { header: 5, reason: 'change' });
    assert.throws(() => buildRequest('openai-chat', log.session), (error) => error.name === 'SessionError' && error.code === 'malformed_header');
  });

  test('has the messages that its header puts in front before its own in requests, and nowhere else', () => {
    const log = logged();
    log.user('Hi');
    const sent = () => parsed(buildRequest('openai-chat', log.session, { model: 'm' })).messages.map(({ content }) => content);
    assert.deepEqual(sent(), ['Hi']);
    const prefix = [user(text('Is it?')), assistant(text('It is.'))];
    const { seq } = log.header({ messagePrefix: prefix });
    assert.deepEqual(sent(), ['Is it?', 'It is.', 'Hi']);
    log.assistant(text('Yes.'));
    const last = log.user('And now?');
    assert.deepEqual(sent(), ['Is it?', 'It is.', 'Hi', 'Yes.', 'And now?']);
    assert.equal(buildContext(log.session).messages.length, 3);
    log.user('Now?', replacing(last));
    assert.deepEqual(sent(), ['Is it?', 'It is.', 'Hi', 'Yes.', 'Now?']);
    assert.deepEqual(prepareRequest('openai-chat', log.session, { maxMessages: 3 }).dropped, [seq]);
    log.header({ messagePrefix: [user(text('What?')), { role: 'system', content: text('Be brief.') }] });
    assert.deepEqual(sent(), ['Be brief.', [...text('What?'), ...text('Hi')], 'Yes.', 'Now?']);
    const bad = log.header({ messagePrefix: [user(text('What?')), { role: 'tool', content: [] }] });
    for (let times = 0; times < 2; times += 1) assert.throws(sent, refusal('invalid', `[${bad.seq}].role`));
    log.header({});
    assert.deepEqual(sent(), ['Hi', 'Yes.', 'Now?']);
  });

  test('that was forked, read from a log or taken from a storage gives the same, and goes its own way', async () => {
    const store = createSessionStore({ storage: createInMemoryStore() });
    const log = logged(store.create('chat'));
    const { session } = log;
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
    log.user('Hi');
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    const before = buildContext(session).messages;
    const fork = logged(store.fork(session));
    fork.user('In the fork.');
    log.user('Here.');
    assert.deepEqual(buildContext(fork.session).messages, [user([...before[0].content, ...text('In the fork.')])]);
    assert.deepEqual(buildContext(session).messages, [user([...before[0].content, ...text('Here.')])]);
    const read = Session.fromLog(writeSessionLog(session.header, session.events));
    assert.deepEqual(buildContext(read), buildContext(session));
    await store.close(session);
    const opened = logged(await store.open('chat'));
    assert.deepEqual(buildContext(opened.session), buildContext(session));
    opened.user('Again.');
    assert.equal(buildContext(opened.session).messages[0].content.length, 3);
  });

  test('names events by their number, in reports and in errors', () => {
    const log = logged();
    log.session.append('todo/write', { todos: [] });
    log.user(' ');
    log.user('Hi');
    assert.deepEqual(buildContext(log.session).repairs, [{ rule: 'blank_text', message: 1 }]);
    log.session.append('user/message', { content: [{ type: 'image' }], source: { kind: 'user' } }, { surfaceOp: 'append' });
    assert.throws(() => buildContext(log.session), refusal('unknown_block', '[3].content[0]'));
    assert.deepEqual(rules(buildContext(log.session, { unknownBlocks: 'drop' })).sort(), ['blank_text', 'unknown_block']);
    log.session.append('user/message', { content: 5, source: { kind: 'user' } }, { surfaceOp: 'append' });
    assert.throws(() => buildContext(log.session), refusal('invalid', '[4].content'));
  });
});

describe('counting tokens', () => {
  const counter = (calls) => (words) => {
    calls.push(words);
    return 1.5;
  };

  test('asks once for each step and each word of the user, and remembers', () => {
    const log = logged();
    const calls = [];
    const countTokens = counter(calls);
    log.user('Look.');
    log.assistant([...text('Well.'), call('1')]);
    log.result('1');
    const options = { maxTokens: 100, countTokens };
    assert.equal(buildContext(log.session, options).tokens, 4);
    assert.deepEqual(calls.splice(0).sort(), ['Look.', 'Well.\nlook\n{}\nseen']);
    log.user('Thanks.');
    assert.equal(buildContext(log.session, options).tokens, 6);
    prepareRequest('openai-chat', log.session, { model: 'm', maxInputTokens: 50, countTokens });
    assert.deepEqual(calls.splice(0), ['Thanks.']);
    buildContext(log.session, { ...options, countTokens: counter(calls) });
    assert.equal(calls.splice(0).length, 3, 'another function counts anew');
    assert.equal(buildContext(log.session, { countTokens }).tokens, undefined);
    assert.deepEqual(calls, [], 'without a limit nothing is counted');
  });

  test('that throws or says no number is an error, and nothing of it is remembered', () => {
    const log = logged();
    log.user('One.');
    log.assistant(text('Two.'));
    let calls = 0;
    const thrown = { no: 'error' };
    let answer = () => 1;
    const countTokens = () => {
      calls += 1;
      return answer();
    };
    const build = () => buildContext(log.session, { maxTokens: 9, countTokens });
    answer = () => {
      if (calls === 2) throw thrown;
      return 1;
    };
    assert.throws(build, (error) => error === thrown);
    for (const bad of [-1, NaN, Infinity, '1', undefined, null, 5n, Promise.resolve(1)]) {
      answer = () => bad;
      assert.throws(build, refusal('invalid', 'countTokens'), String(bad));
    }
    calls = 0;
    answer = () => 1;
    assert.equal(build().tokens, 2);
    assert.equal(calls, 2);
  });

  test('may come back into the same session meanwhile', () => {
    const log = logged();
    log.user('One.');
    let inner;
    const countTokens = (words) => {
      inner ??= buildContext(log.session, { maxTokens: 9 });
      if (log.session.seq < 3) log.assistant(text('Meanwhile.'));
      return words.length;
    };
    const outer = buildContext(log.session, { maxTokens: 99, countTokens });
    assert.deepEqual([outer.tokens, outer.messages.length, inner.messages], [4, 1, outer.messages]);
    assert.equal(buildContext(log.session).messages.length, 2);
  });

  test('has an estimate of our own', () => {
    assert.deepEqual(['', 'Hello, world', '漢'.repeat(10)].map(estimateTokens), [0, 2, 8]);
    assert.ok(estimateTokens('\ud83d') > 0);
    assert.equal(buildContext([user('Hello, world')], { maxTokens: 10 }).tokens, 2);
    for (const value of [undefined, 5, null, ['a']]) assert.throws(() => estimateTokens(value), refusal('invalid', 'text'));
  });
});

describe('options', () => {
  test('that are no such thing are refused by name, and do nothing', () => {
    const integers = [-1, 1.5, '5', 2 ** 53, true, [], {}];
    const bad = {
      maxMessages: integers, maxChars: integers, maxInputTokens: integers, maxTokens: integers, dropInSteps: [...integers, 100],
      countTokens: [5, 'f', {}], missingResults: ['keep', 5, true], unknownBlocks: ['ignore', []], openingMessage: ['', ' \n', 5, 'a\ud83d'],
      api: ['openai', 5, 'toString', 'Gemini'],
    };
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) assert.throws(() => buildContext([user('Hi')], { [name]: value }), refusal('invalid', name), `${name}: ${value}`);
    }
    for (const options of [5, 'maxChars', true, () => 1]) assert.throws(() => buildContext([user('Hi')], options), refusal('invalid', 'options'));
    assert.throws(() => buildContext([user('Hi')], { maxChars: NaN }), refusal('not_json', 'maxChars'));
    const thrown = new Error('no');
    assert.throws(() => buildContext([user('Hi')], { get maxChars() { throw thrown; } }), (error) => error === thrown);
  });

  test('of requests that are no such thing are refused too', () => {
    const numbers = ['1', true, [1], {}];
    const bad = {
      model: [5, {}], provider: [5], system: [5, ['x']], tools: [{}, 'x'], maxTokens: [0, -1, 1.5, '5'], temperature: numbers, topP: numbers,
      topK: numbers, frequencyPenalty: numbers, presencePenalty: numbers, seed: numbers, stop: [5, [5], {}], extra: [5, [], 'x'], view: [0, 'yes', {}],
    };
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        assert.throws(() => buildRequest('openai-chat', [user('Hi')], { model: 'm', [name]: value }), refusal('invalid', name), `${name}: ${value}`);
      }
    }
    for (const tools of [[{ description: 'd' }], [null], [{ name: 5 }]]) {
      assert.throws(() => buildRequest('gemini', [user('Hi')], { tools: [{ name: 'f' }, ...tools] }), refusal('invalid', 'tools[1].name'));
    }
    for (const provider of ['openai', '', undefined, 5, null]) {
      assert.throws(() => buildRequest(provider, [user('Hi')], { model: 'm' }), refusal('invalid', 'provider'), String(provider));
    }
  });

  test('that are null are as absent', () => {
    const names = [
      'maxMessages', 'maxChars', 'maxInputTokens', 'maxTokens', 'dropInSteps', 'countTokens', 'missingResults', 'unknownBlocks', 'openingMessage',
      'api', 'provider', 'system', 'tools', 'temperature', 'topP', 'topK', 'frequencyPenalty', 'presencePenalty', 'seed', 'stop', 'extra', 'view',
    ];
    const options = Object.fromEntries(names.map((name) => [name, null]));
    assert.deepEqual(buildContext([user('Hi')], options), buildContext([user('Hi')]));
    assert.deepEqual(parsed(buildRequest('openai-chat', [user('Hi')], { ...options, model: 'm' })), { model: 'm', messages: [user('Hi')] });
    assert.deepEqual(buildContext([user('Hi')], null), buildContext([user('Hi')]));
  });

  test('say what becomes of calls without results, of unknown blocks, and of a list that begins with the assistant', () => {
    const open = [user('Look.'), assistant([call('1')]), user('Well?')];
    assert.deepEqual(buildContext(open, { missingResults: 'drop' }).messages, [user([...text('Look.'), ...text('Well?')])]);
    const image = { type: 'image_url', image_url: { url: 'data:' } };
    assert.deepEqual(buildContext([user([image])], { unknownBlocks: 'keep' }).messages, [user([image])]);
    const late = [assistant('Welcome.'), user('Hi')];
    assert.deepEqual(buildContext(late).messages, late);
    assert.throws(() => buildContext(late, { api: 'anthropic-messages' }), refusal('begins_with_assistant', undefined));
    const opened = buildContext(late, { api: 'gemini', openingMessage: 'Begin.' });
    assert.deepEqual(opened.messages[0], user(text('Begin.')));
    assert.deepEqual(opened.repairs, [{ rule: 'opening', message: 0 }]);
    assert.throws(() => buildContext([user('Hi'), assistant('Hello')], { api: 'gemini' }), refusal('ends_on_assistant', undefined));
  });

  test('tell a budget of tokens from those of the answer', () => {
    const list = [user('a'), assistant('b'), user('c')];
    const options = { model: 'm', maxTokens: 1, countTokens: (words) => words.length };
    assert.equal(buildContext(list, options).messages.length, 1);
    assert.equal(buildContext(list, { ...options, maxInputTokens: 3 }).messages.length, 3);
    const body = parsed(buildRequest('openai-chat', list, options));
    assert.deepEqual([body.messages.length, body.max_completion_tokens], [3, 1]);
    assert.equal(parsed(buildRequest('openai-chat', list, { ...options, maxInputTokens: 1 })).messages.length, 1);
  });

  test('may drop in steps, so that the next requests begin alike', () => {
    const list = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? user(`Question ${index}`) : assistant(`Answer ${index}`)));
    const firsts = (options) => new Set([20, 22, 24, 26].map((count) => buildContext(list.slice(0, count), options).messages[0].content)).size;
    assert.equal(firsts({ maxMessages: 12 }), 4);
    assert.ok(firsts({ maxMessages: 12, dropInSteps: 50 }) <= 2);
  });

  test('keep the newest word of the user whatever it costs, and clip the results it led to', () => {
    const list = [user('Before.'), assistant('Yes.'), user('Look.'), assistant([call('1')]), user([result('1', text('x'.repeat(5_000)))])];
    const context = buildContext(list, { maxChars: 500 });
    assert.deepEqual([context.messages.length, context.dropped, context.clipped, context.overBudget], [5, [], [4], false]);
    assert.match(context.messages[4].content[0].content[0].text, /^x+\[\.\.\. \d+ characters omitted \.\.\.\]x+$/);
    assert.ok(context.chars <= 500);
    const none = buildContext([user('Before.'), assistant('Yes.'), user('Look.')], { maxChars: 0 });
    assert.deepEqual([none.messages, none.overBudget], [[user('Look.')], true]);
  });
});

describe('requests', () => {
  const list = [user('Look.'), assistant([call('1')]), user([result('1'), ...text('Well?')])];

  test('are bodies of every API, as bytes of their own', () => {
    for (const provider of PROVIDERS) {
      const body = buildRequest(provider, list, { model: 'm', system: 'Be brief.' });
      assert.ok(body instanceof Uint8Array && body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength, provider);
      const { input, contents, messages } = Array.isArray(parsed(body)) ? { messages: parsed(body) } : parsed(body);
      assert.ok((input ?? contents ?? messages).length >= 3, provider);
    }
  });

  test('carry settings under the names of their API, and what is extra', () => {
    const options = { model: 'm', maxTokens: 9, stop: 'END', temperature: 0, topK: 5, tools: [{ name: 'look', description: 'Looks.', parameters: {} }] };
    assert.deepEqual(parsed(buildRequest('gemini', [user('Hi')], options)), {
      generationConfig: { maxOutputTokens: 9, temperature: 0, topK: 5, stopSequences: ['END'] },
      tools: [{ functionDeclarations: [{ name: 'look', description: 'Looks.', parametersJsonSchema: {} }] }],
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    });
    const extra = { stream: true, max_tokens: 7, messages: 'no', metadata: undefined };
    const body = parsed(buildRequest('anthropic-messages', [user('Hi')], { ...options, extra }));
    assert.deepEqual([body.stream, body.max_tokens, body.messages.length, 'metadata' in body], [true, 7, 1, false]);
  });

  test('are refused where nothing is left, the model is missing, or the API refuses the ends', () => {
    for (const provider of PROVIDERS) assert.throws(() => buildRequest(provider, [user(' ')], { model: 'm' }), refusal('empty', undefined), provider);
    for (const provider of PROVIDERS.slice(0, 3)) assert.throws(() => buildRequest(provider, list), refusal('invalid', 'model'), provider);
    assert.throws(() => buildRequest('gemini', [...list, assistant('Hm.')]), refusal('ends_on_assistant', undefined));
    assert.throws(() => buildRequest('gemini', [assistant('Hm.'), ...list]), refusal('begins_with_assistant', undefined));
    assert.throws(() => buildRequest('ai-sdk', [user([{ type: 'image' }])]), refusal('unknown_block', '[0].content[0]'));
  });

  test('give opaque reasoning back to the model that it came from', () => {
    const replayState = [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }];
    const thought = { ...assistant([{ type: 'reasoning', text: 'Hm.' }, ...text('Yes.')]), provenance: { provider: 'anthropic', model: 'c', replayState } };
    const sent = (options) => prepareRequest('anthropic-messages', [user('Is it?'), thought, user('Sure?')], options);
    const own = sent({ model: 'c' });
    assert.deepEqual([parsed(own.body).messages[1].content[0], own.repairs], [replayState[0], []]);
    assert.deepEqual(rules(sent({ model: 'other' })), ['reasoning']);
    assert.deepEqual(rules(sent({ model: 'c', provider: 'other' })), ['reasoning']);
  });
});

test('what is no source is refused', () => {
  for (const source of [undefined, null, 5, 'Hi', {}, { engine: {} }, new Uint8Array(2), new Map(), { role: 'user', content: 'Hi' }]) {
    assert.throws(() => buildContext(source), refusal('invalid', 'source'), String(source));
    assert.throws(() => buildRequest('gemini', source), refusal('invalid', 'source'), String(source));
  }
  for (const [item, path] of [[5, '[1]'], [{}, '[1].role'], [{ role: 'tool' }, '[1].role'], [user(5), '[1].content'], [user([{}]), '[1].content[0].type'], [user([{ type: 'text' }]), '[1].content[0].text']]) {
    assert.throws(() => buildContext([user('Hi'), item]), refusal('invalid', path));
  }
  assert.throws(() => buildContext([user(new Date())]), refusal('not_json', '[0].content'));
});
