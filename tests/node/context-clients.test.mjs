// The bodies of requests, sent by the providers' own clients to a local server that refuses what their APIs refuse, and
// checked against the types or the schema that the clients publish. The logs are random ones with all that goes wrong in logs,
// and some written by hand.
//
// TURNLOG_CONTEXT_LOGS says how many random logs there are; a failure names the log, by its seed or its title.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { modelMessageSchema } from 'ai';
import { buildContext, prepareRequest } from 'turnlog';
import { makeProviders, saidIn } from './context-clients/ai-sdk.mjs';
import { startApis } from './context-clients/api-server.mjs';
import { faultsOfBody } from './context-clients/body-laws.mjs';
import { makeClients } from './context-clients/clients.mjs';
import { costOf, faultsOfList, newestWord } from './context-clients/list-law.mjs';
import { MODEL, randomAsked, randomBudget, randomLog } from './context-clients/logs.mjs';
import { typeErrors } from './context-clients/types.mjs';
import { WRITTEN_LOGS } from './context-clients/written-logs.mjs';

const RANDOM_LOGS = Number(process.env.TURNLOG_CONTEXT_LOGS ?? 220);
const FEWEST = Math.min(RANDOM_LOGS, 200);
/** So many bodies of each API are given to the compiler. */
const TYPED = 120;
const PROVIDERS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ai-sdk'];
const ANSWER = 'ok';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Nothing may be changed in a log that is given away. */
function frozen(value) {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const written = Object.entries(WRITTEN_LOGS).flatMap(([name, log]) => [
  { name, log, budget: {}, asked: { model: MODEL } },
  { name: `${name}, cut`, log, budget: { maxChars: 40, maxMessages: 3 }, asked: { model: MODEL, system: 'Be brief.' } },
]);
const random = Array.from({ length: RANDOM_LOGS }, (_, seed) => ({
  name: seed, log: randomLog(seed), budget: randomBudget(seed), asked: randomAsked(seed),
}));
const logs = frozen([...written, ...random]);

const LEGAL = { unknownBlocks: 'drop', openingMessage: '(The conversation begins.)' };

const contextOf = (log, options, api) => buildContext(log, { ...LEGAL, ...options, ...(api && { api }) });

/**
 * The body for an API, parsed, and the report of it; undefined where there is none, which has to be for one of two reasons: there is
 * nothing to send, or the log ends on the assistant, which this API refuses.
 */
function requestFor(provider, { log, budget, asked, name }) {
  const options = { ...LEGAL, ...budget, ...asked, ...(provider === 'ai-sdk' && { provider: 'anthropic' }) };
  try {
    const { body, ...report } = prepareRequest(provider, log, options);
    return { body: JSON.parse(utf8.decode(body)), report };
  } catch (error) {
    // The context of no API keeps reasoning that a request may have to leave out.
    const spoken = contextOf(log, budget).messages.filter(({ role }) => role !== 'system');
    const isSilent = spoken.every(({ content }) => Array.isArray(content) && content.every(({ type }) => type === 'reasoning'));
    if (error.code === 'empty') assert.ok(isSilent, `${name}: ${error}`);
    else assert.ok(error.code === 'ends_on_assistant' && provider === 'gemini' && spoken.at(-1).role === 'assistant', `${name}: ${error}`);
    return undefined;
  }
}

/** Hands each log's request for an API to `check`, and fails if there were too few. */
async function eachRequest(provider, check) {
  let count = 0;
  for (const log of logs) {
    const request = requestFor(provider, log);
    if (request === undefined) continue;
    await check(request, log);
    count++;
  }
  assert.ok(count >= FEWEST, `${count} bodies for ${provider}`);
}

function mustBeLegal(faults, name) {
  assert.deepEqual(faults, [], `log ${name}`);
}

describe('contexts', () => {
  for (const api of [undefined, ...PROVIDERS]) {
    test(`are legal, within their budget or flagged, and stay as they are: ${api ?? 'no API'}`, () => {
      for (const { name, log, budget } of logs) {
        let context;
        try {
          context = contextOf(log, budget, api);
        } catch (error) {
          assert.equal(error.code, 'ends_on_assistant', `log ${name}`);
          assert.equal(api, 'gemini');
          continue;
        }
        const { messages, chars, overBudget, repairs } = context;
        if (messages.length > 0) mustBeLegal(faultsOfList(messages).filter(({ rule }) => rule !== 'empty'), name);
        mustKeepToBudget(messages, { budget, chars, overBudget, name });
        const word = newestWord(log);
        // Words of the user's that were merged with it stand before it.
        const kept = newestWord(messages);
        assert.deepEqual(word.length === 0 ? [] : kept.slice(-word.length), word, `the newest word of log ${name}`);
        // An opening message is the user's newest word the next time, so that what exceeds the budget with it may go.
        if (overBudget && repairs.some(({ rule }) => rule === 'opening')) continue;
        const again = contextOf(messages, budget, api);
        assert.deepEqual(again.messages, messages, `log ${name} again`);
        assert.deepEqual([again.dropped, again.clipped, again.repairs, again.overBudget], [[], [], [], overBudget], `log ${name} again`);
      }
    });
  }
});

function mustKeepToBudget(messages, { budget, chars, overBudget, name }) {
  const cost = costOf(messages);
  assert.equal(chars, cost.chars, `characters of log ${name}`);
  const { maxChars = Infinity, maxMessages = Infinity, maxInputTokens } = budget;
  const isWithin = cost.chars <= maxChars && cost.messages <= maxMessages;
  if (!isWithin) assert.equal(overBudget, true, `log ${name}`);
  // What the tokens say is the estimate's matter.
  else if (maxInputTokens === undefined) assert.equal(overBudget, false, `log ${name}`);
}

describe('requests', () => {
  let server;
  before(async () => { server = await startApis(); });
  after(() => server.close());

  for (const provider of PROVIDERS.filter((it) => it !== 'ai-sdk')) {
    test(`its client sends them, and the API takes them: ${provider}`, async () => {
      const { send, sent } = makeClients(server.url)[provider];
      await eachRequest(provider, async ({ body, report }, { name, budget }) => {
        mustBeLegal(faultsOfBody(provider, body), name);
        assert.ok(report.overBudget || report.chars <= (budget.maxChars ?? Infinity), `log ${name}`);
        const count = server.requests.length;
        assert.equal(await send(body), ANSWER, `log ${name}`);
        assert.equal(server.requests.length, count + 1);
        assert.deepEqual(server.requests.at(-1).body, sent(body), `log ${name}`);
      });
    });
  }

  test('the AI SDK takes model messages, by its schema, and the APIs behind its providers take what it makes of them', async () => {
    const providers = Object.entries(makeProviders(server.url));
    const counts = Object.fromEntries(providers.map(([of]) => [of, 0]));
    await eachRequest('ai-sdk', async ({ body }, { name }) => {
      mustBeLegal(faultsOfBody('ai-sdk', body), name);
      for (const message of body) assert.deepEqual(modelMessageSchema.parse(message), message, `log ${name}`);
      for (const [of, { send, fits, said }] of providers) {
        if (!fits(body)) continue;
        assert.equal(await send(body), ANSWER, `log ${name}`);
        assert.deepEqual(said(server.requests.at(-1).body), saidIn(body), `log ${name} for ${of}`);
        counts[of]++;
      }
    });
    for (const [of, count] of Object.entries(counts)) assert.ok(count >= FEWEST / 2, `${count} lists for ${of}`);
  });

  test('a client reports what the API refuses', async () => {
    const clients = makeClients(server.url);
    const halves = { role: 'user', content: '\ud83d' };
    const refused = {
      'openai-chat': { model: MODEL, messages: [halves] },
      'openai-responses': { model: MODEL, input: [{ type: 'message', ...halves }] },
      'anthropic-messages': { model: MODEL, max_tokens: 1, messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] },
      gemini: { contents: [{ role: 'model', parts: [{ text: 'a' }] }] },
    };
    for (const [provider, body] of Object.entries(refused)) {
      await assert.rejects(clients[provider].send(body), (error) => error.status === 400, provider);
    }
  });
});

describe('types', () => {
  test('bodies are of the types that the clients publish', async () => {
    const bodies = Object.fromEntries(
      PROVIDERS.map((provider) => [provider, logs.map((log) => requestFor(provider, log)?.body).filter(Boolean).slice(0, TYPED)]),
    );
    assert.equal(await typeErrors(bodies), '');
  });

  test('what is not of them is told', async () => {
    const wrong = {
      'openai-chat': { model: MODEL, messages: [{ role: 'tool', content: 'no call' }] },
      'openai-responses': { model: MODEL, input: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }] },
      'anthropic-messages': { model: MODEL, messages: [] },
      gemini: { contents: [{ role: 'user', parts: [{ words: 'a' }] }] },
      'ai-sdk': [{ role: 'tool', content: 'a' }],
    };
    const errors = await typeErrors(Object.fromEntries(Object.entries(wrong).map(([provider, body]) => [provider, [body]])));
    for (const provider of PROVIDERS) assert.match(errors, new RegExp(`^${provider}\\.ts\\(2,`, 'm'));
  });
});

describe('the checkers', () => {
  const call = { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' };
  const result = { type: 'tool-result', toolCallId: 'a', content: [] };
  const user = (...content) => ({ role: 'user', content });
  const assistant = (...content) => ({ role: 'assistant', content });
  const said = { type: 'text', text: 'q' };

  test('tell each fault of a list', () => {
    const faulty = {
      empty: [{ role: 'system', content: 's' }],
      system_first: [user(said), { role: 'system', content: 's' }],
      same_role: [user(said), user(said)],
      blank_text: [{ role: 'user', content: '\u00a0' }],
      empty_message: [user()],
      misplaced: [user(call), user(result)],
      arguments: [user(said), assistant({ ...call, arguments: undefined }), user(result)],
      unanswered_call: [user(said), assistant(call), user(said)],
      orphan_result: [user(said, result)],
      result_order: [user(said), assistant(call), user(said, result)],
      unknown_block: [user({ type: 'image' })],
    };
    for (const [rule, list] of Object.entries(faulty)) {
      assert.ok(faultsOfList(list).some((fault) => fault.rule === rule), `${rule}: ${JSON.stringify(faultsOfList(list))}`);
    }
    mustBeLegal(faultsOfList([user(said), assistant(call), user(result, said)]), 'a legal list');
  });

  test('tell each fault of a body', () => {
    const chatCall = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const chatUser = { role: 'user', content: 'q' };
    const chat = (...messages) => ['openai-chat', { model: MODEL, messages }];
    const item = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
    const responses = (...input) => ['openai-responses', { model: MODEL, input }];
    const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const anthropic = (...messages) => ['anthropic-messages', { model: MODEL, max_tokens: 1, messages }];
    const gemini = (...contents) => ['gemini', { contents }];
    const geminiCall = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] };
    const geminiUser = { role: 'user', parts: [{ text: 'q' }] };
    const faulty = [
      [chat(chatUser, { role: 'assistant', content: null, tool_calls: [chatCall] }), 'all calls answered'],
      [chat(chatUser, { role: 'assistant', content: null }), 'content unless there are calls'],
      [chat({ role: 'tool', tool_call_id: 'a', content: 'r' }), 'answers directly behind their calls, in their order'],
      [chat({ ...chatUser, content: '\udc00' }), 'well-formed strings'],
      [chat(chatUser, { role: 'assistant', content: 'a', tool_calls: [{ ...chatCall, id: 'x'.repeat(41) }] }), 'an id that the API takes'],
      [responses(item), 'all calls answered'],
      [responses({ type: 'reasoning', id: 'rs_1', summary: [] }), 'what reasoning led to behind it'],
      [responses({ ...item, id: 'fc_1' }), 'an item goes with its reasoning'],
      [responses({ ...item, id: 'x' }, { ...item, id: 'x' }), 'ids of items once'],
      [responses({ ...item, id: 'x' }, { ...item, id: 'x' }), 'an id of its own for each call'],
      [anthropic({ role: 'assistant', content: [said] }), 'begins with the user'],
      [anthropic(user(said), assistant(use), user(said)), 'each call answered in the very next message'],
      [anthropic(user(said), assistant(use), user(said, { type: 'tool_result', tool_use_id: 'a' })), 'results first'],
      [anthropic(user(said), assistant({ ...use, id: 'a.b' })), 'an id that the API takes'],
      [anthropic(user(said), assistant({ type: 'text', text: 'a ' })), 'no white space at the end'],
      [anthropic(user(said), assistant({ type: 'thinking', thinking: 't', signature: 'of anthropic/n' }, said)), "reasoning of this model's own"],
      [gemini(geminiCall, geminiUser), 'roles in turn, the user first'],
      [gemini(geminiUser, geminiCall, geminiUser), 'as many responses as calls, in their order'],
      [gemini(geminiUser, { role: 'model', parts: [{ text: 'a' }] }), 'ends on the user'],
      [gemini(geminiUser, { role: 'model', parts: [{ functionCall: { name: 'f', args: [] } }] }), 'a call with an object'],
      [['ai-sdk', [user(said), assistant({ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} })]], 'all calls answered'],
      [['ai-sdk', [user(said), user(said)]], 'one message a turn'],
    ];
    for (const [[provider, body], rule] of faulty) {
      const faults = faultsOfBody(provider, body);
      assert.ok(faults.some((fault) => fault.rule === rule), `${provider}, ${rule}: ${JSON.stringify(faults)}`);
    }
  });

  test('find faults in the logs as they are', () => {
    const legal = Object.entries(WRITTEN_LOGS).filter(([, log]) => faultsOfList(log).length === 0).map(([name]) => name);
    // A list may begin or end on the assistant; and ids, halves and sizes are of bodies and budgets.
    const others = [
      'a question', 'a result that is larger than any budget', 'an id twice in one message', 'an id that the next turn uses again', 'falsy results',
      'halves of emoji in texts, names, ids and results', 'ids that are too long, of wrong characters, and none',
      'reasoning with nothing behind it', 'the assistant first', 'the assistant last, with white space behind',
    ];
    assert.deepEqual(legal.filter((name) => !others.includes(name)), []);
    const faulty = random.filter(({ log }) => faultsOfList(log).length > 0).length;
    assert.ok(faulty > random.length / 2, `${faulty} of ${random.length}`);
  });
});
