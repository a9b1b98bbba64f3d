// What a model is sent: how many lists come out that an API refuses, and how long a cut to a budget takes.

import { buildContext, buildRequest, prepareRequest } from '/pkg/index.js';
import * as aiSdk from '/target/bench-peers/ai-sdk.js';
import * as langchain from '/target/bench-peers/langchain.js';
import { stringsIn } from '/tests/node/context-clients/faults.mjs';
import { faultsOfList } from '/tests/node/context-clients/list-law.mjs';
import { Dice, MODEL as ANY_MODEL, randomLog } from '/tests/node/context-clients/logs.mjs';
import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { MODEL, chatBody } from '../peers/chat-body.mjs';
import { cutByHand, legalByHand } from '../peers/cut-by-hand.mjs';
import { newSession, payloads } from '../peers/turnlog-session.mjs';
import { makeToolTurns } from '../session-payload.mjs';

const LOGS = 1_000;
const BUDGETS = [100, 500, 2_000, 10_000];
/** What only some APIs refuse, or LangChain has a function of its own for (`mergeMessageRuns`). */
const NOT_COUNTED = ['same_role', 'system_first'];

/** One message more than these, which is the newest question. */
const LENGTHS = [1_000, 10_000, 100_000];
const MAX_CHARS = 100_000;
/** LangChain counts what is left again for each message that it drops: seconds of 10,000, minutes of more. */
const LANGCHAIN_UP_TO = 10_000;
const MOST_ROUNDS = 5;
const WARM_UP = 1;
/** What takes less than the clock tells apart. */
const CUTS = 20;
const CUTS_BY_HAND = 100;

const OF_AN_ARRAY = 'of an array';
const AS_A_BODY = 'as a body';
const BY_HAND_AS_A_BODY = `${NAMES.byHand}, ${AS_A_BODY}`;
const LANGCHAIN = NAMES.langchain;
const AI_SDK = 'AI SDK, convertToModelMessages, pruneMessages';
const AI_SDK_COMPLETE = `${AI_SDK}, ignoreIncompleteToolCalls`;

const decoder = new TextDecoder();
const short = (number) => number.toLocaleString('en');

export async function contextRows({ rounds }) {
  const illegal = [await counted('logs with all that goes wrong in logs', randomLog), await counted('such logs made legal before', legalLog)];
  const rows = illegal.map(({ which, logs, counts }) => ({
    id: 'cut-refused',
    what: `lists that APIs refuse, of ${short(logs)} cut from ${which}`,
    unit: 'lists',
    values: Object.fromEntries(Object.entries(counts).map(([name, { count }]) => [name, count])),
  }));
  rows[0].note = `${illegal.map(({ which, counts }) => `Cut from ${which}: ${spelled(counts)}`).join('. ')}. ${ABOUT_COUNTS}`;
  for (const length of LENGTHS) rows.push(...(await cuts(length, Math.min(rounds, MOST_ROUNDS))));
  rows.at(-1).note = ABOUT_TIMES;
  return rows;
}

const legalLog = (seed) => buildContext(randomLog(seed), { unknownBlocks: 'drop' }).messages;

/** Counts the lists that an API refuses, of those that each makes of the same logs. */
async function counted(which, logOf) {
  const counts = {};
  let logs = 0;
  for (let seed = 0; seed < LOGS; seed++) {
    const log = logOf(seed);
    // Of nothing there is nothing to send.
    if (buildContext(log, { unknownBlocks: 'drop' }).messages.every(({ role, content }) => role === 'system' || isThought(content))) continue;
    logs++;
    for (const [name, list] of Object.entries(await listsOf(log, new Dice(seed).pick(BUDGETS)))) {
      const count = (counts[name] ??= { count: 0, rules: {} });
      const rules = rulesBrokenBy(list);
      if (rules.size > 0) count.count++;
      for (const rule of rules) count.rules[rule] = (count.rules[rule] ?? 0) + 1;
    }
  }
  mustEqual(counts.turnlog.rules, {}, 'rules that turnlog breaks');
  return { which, logs, counts };
}

const isThought = (content) => Array.isArray(content) && content.every(({ type }) => type === 'reasoning');

function spelled(counts) {
  const ofOne = ([name, { rules }]) => {
    const all = Object.entries(rules).map(([rule, count]) => `${rule} ${short(count)}`);
    return `${name}: ${all.length === 0 ? 'none' : all.join(', ')}`;
  };
  return Object.entries(counts).map(ofOne).join('; ');
}

const ABOUT_COUNTS =
  `Budgets are ${BUDGETS.map(short).join(', ')} characters. One checker counts all of them, in one form; a list may break several rules, and ` +
  'neighbours of one role and system messages further on are not counted. `trimMessages` has `strategy: "last"`, `startOn: "human"`, ' +
  '`endOn: ["human", "tool"]`, `includeSystem` and a counter of characters; where the newest question exceeds the budget its list is empty, ' +
  "where turnlog's is over the budget and says so. `pruneMessages` has the options of its reference and no budget. Both are made to shorten " +
  'lists, not to repair them. UI messages hold no result without its call, so the AI SDK is never given one.';

async function listsOf(log, maxChars) {
  const ui = aiSdk.toUiMessages(log);
  const pruned = async (options) => aiSdk.fromModelMessages(aiSdk.prune(await aiSdk.convertToModelMessages(ui, options)));
  const { body } = prepareRequest('ai-sdk', log, { model: ANY_MODEL, maxChars, unknownBlocks: 'drop' });
  return {
    turnlog: aiSdk.fromModelMessages(JSON.parse(decoder.decode(body))),
    [LANGCHAIN]: langchain.fromLangChain(await langchain.trim(langchain.toLangChain(log), maxChars)),
    [AI_SDK]: await pruned(),
    [AI_SDK_COMPLETE]: await pruned({ ignoreIncompleteToolCalls: true }),
  };
}

function rulesBrokenBy(list) {
  const rules = new Set(faultsOfList(list).map(({ rule }) => rule));
  for (const rule of NOT_COUNTED) rules.delete(rule);
  for (const text of stringsIn(list)) if (!text.isWellFormed()) rules.add('lone_surrogate');
  return rules;
}

/** The newest messages that fit: each has the list in memory in its own form. */
async function cuts(length, rounds) {
  const session = newSession(makeToolTurns(length + 1, payloads));
  const list = session.deriveMessages().map(({ role, content }) => ({ role, content }));
  const [base, ui] = [langchain.toLangChain(list), aiSdk.toUiMessages(list)];
  const options = { maxChars: MAX_CHARS };
  const words = (messages) => messages.map(({ role, content }) => ({ role, content }));
  const expected = words(cutByHand(list, MAX_CHARS));
  mustEqual(words(buildContext(list, options).messages), expected, 'a cut list');
  mustEqual(words(buildContext(session, options).messages), expected, 'a cut session');
  mustEqual(words(legalByHand(list, MAX_CHARS)), expected, 'a list made legal and cut by hand');
  const bodyOfSession = () => buildRequest('openai-chat', session, { model: MODEL, ...options });
  const bodyByHand = () => chatBody(legalByHand(list, MAX_CHARS));
  mustEqual(decoder.decode(bodyOfSession()), decoder.decode(bodyByHand()), 'a cut body');

  const candidates = {
    turnlog: repeated(CUTS, () => buildContext(session, options)),
    [OF_AN_ARRAY]: { run: () => buildContext(list, options) },
    [AS_A_BODY]: repeated(CUTS, bodyOfSession),
    [NAMES.byHand]: { run: () => legalByHand(list, MAX_CHARS) },
    [BY_HAND_AS_A_BODY]: { run: bodyByHand },
    'by hand, of a legal list': repeated(CUTS_BY_HAND, () => cutByHand(list, MAX_CHARS)),
    [AI_SDK]: { run: async () => aiSdk.prune(await aiSdk.convertToModelMessages(ui)) },
  };
  if (length <= LANGCHAIN_UP_TO) {
    // LangChain's begins with a question, so it may be shorter by a step.
    const trimmed = langchain.fromLangChain(await langchain.trim(base, MAX_CHARS));
    mustEqual(JSON.stringify(expected).endsWith(JSON.stringify(trimmed.at(-1)) + ']'), true, 'what LangChain keeps');
    candidates[LANGCHAIN] = { run: () => langchain.trim(base, MAX_CHARS) };
  }
  const what = `a session of ${short(length)} messages with tool turns cut to the newest ${short(MAX_CHARS)} characters`;
  const { [OF_AN_ARRAY]: ofArray, [AS_A_BODY]: body, [BY_HAND_AS_A_BODY]: handsBody, ...values } = await interleave(candidates, { rounds, warmUp: WARM_UP });
  return [
    { id: 'cut', size: length, way: 'of a session', what, values },
    {
      id: 'cut',
      size: length,
      way: AS_A_BODY,
      what: `${what}, as a request's body`,
      values: { ...values, turnlog: body, [NAMES.byHand]: handsBody },
    },
    { id: 'cut', size: length, way: OF_AN_ARRAY, what: `${what}, from an array`, values: { ...values, turnlog: ofArray } },
  ];
}

function repeated(operations, work) {
  const run = () => {
    for (let time = 0; time < operations; time++) work();
  };
  return { run, operations };
}

const ABOUT_TIMES =
  'Cuts to a budget: of a session turnlog looks at what is kept, of an array at all of it, and makes it legal. "By hand" pairs calls and ' +
  'results of the whole list, leaves out blank texts and merges neighbours of one role; "of a legal list" looks at what is kept, and checks ' +
  'nothing. As a body turnlog and by hand write a request too, the others none. ' +
  'LangChain cuts a list that is legal already, in memory in its own form; of more than ' +
  `${short(LANGCHAIN_UP_TO)} messages it takes minutes and is left out. \`pruneMessages\` cuts to no budget: it takes out the calls ` +
  'before the last two messages, so its list stays long.';
