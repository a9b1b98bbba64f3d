// Event logs in memory: appends at any length, and all messages as objects.

import * as aiSdk from '/target/bench-peers/ai-sdk.js';
import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import * as plain from '../peers/plain-session.mjs';
import * as npm from '../peers/session-package.mjs';
import * as turnlog from '../peers/turnlog-session.mjs';
import { EVENTS_A_TURN, appendEvent, makeEvents, makeNodes, words } from '../session-payload.mjs';
import { LONG, SIZES, appending, growth } from './growing.mjs';

const makers = { turnlog, [NAMES.byHand]: plain, [NAMES.session]: npm };
const VALIDATED = 'AI SDK, validateUIMessages of the list';
/** Longer lists take it seconds for each message. */
const VALIDATED_UP_TO = 10_000;
const APPENDED = 100 * EVENTS_A_TURN;
const CACHED = [1_000, 10_000];
/** Messages that are looked at in one sample. */
const LOOKED_AT = 1_000_000;

const short = (number) => number.toLocaleString('en');
const each = (candidate) => Object.fromEntries(Object.entries(makers).map(([name, maker]) => [name, candidate(maker)]));

export async function eventRows({ rounds }) {
  mustAgree();
  const rows = [];
  for (const size of SIZES) {
    const candidates = each((maker) => appending(size, peerOf(maker)));
    if (size <= VALIDATED_UP_TO) candidates[VALIDATED] = appending(size, validating(size));
    const what = `append of one session event to ${short(size)} in memory: checked, copied, frozen`;
    rows.push({ id: 'append-event', size, what, values: await interleave(candidates, { rounds }) });
  }
  rows[0].note = ABOUT_APPENDS;
  const what = `append of one session event to ${short(LONG)} in memory, beside one to fewer`;
  rows.push({ id: 'growth-append', size: LONG, way: 'events', what, values: await growth(peerOf(turnlog), rounds) });
  for (const count of CACHED) rows.push(await messages(count, rounds));
  rows.at(-1).note = ABOUT_MESSAGES;
  return rows;
}

const ABOUT_APPENDS =
  'Appends of events: each library as it comes. `validateUIMessages` takes a message and not an event, and the whole list each time, as its ' +
  `reference has it; of more than ${short(VALIDATED_UP_TO)} it is left out.`;
const ABOUT_MESSAGES =
  'All messages as objects: of a log in which nothing is new, an array of shared, frozen messages; by hand it is `slice()` of a list that is kept.';

function mustAgree() {
  const [first, ...others] = Object.values(each((maker) => {
    const session = maker.newSession(makeEvents(2, maker.payloads));
    for (const event of makeEvents(4, maker.payloads)) appendEvent(session, event);
    return words(session);
  }));
  for (const other of others) mustEqual(first, other, 'messages after appends');
}

function peerOf(maker) {
  const logs = new Map();
  const logOf = (size) => {
    if (!logs.has(size)) logs.set(size, makeEvents(Math.ceil(size / EVENTS_A_TURN), maker.payloads).slice(0, size));
    return logs.get(size);
  };
  return {
    most: APPENDED,
    fill: (size) => maker.newSession(logOf(size)),
    more: (count) => logOf(APPENDED).slice(0, count),
    appendAll: (session, events) => events.forEach((event) => appendEvent(session, event)),
  };
}

function validating(size) {
  const message = (index, prefix) => ({ id: `${prefix}-${index}`, role: 'user', parts: [{ type: 'text', text: `words ${index}` }] });
  const list = (count, prefix) => Array.from({ length: count }, (_, index) => message(index, prefix));
  return {
    most: size > 1_000 ? 1 : 4,
    fill: (count) => ({ messages: list(count, 'first') }),
    more: (count, sample) => list(count, `more-${sample}`),
    appendAll: async (kept, more) => {
      for (const one of more) kept.messages = await aiSdk.validateUIMessages({ messages: [...kept.messages, one] });
    },
  };
}

async function messages(count, rounds) {
  const sessions = each((maker) => maker.newSession(makeNodes(count, maker.payloads)));
  const [first, ...others] = Object.values(sessions).map(words);
  for (const other of others) mustEqual(first, other, 'messages of a session');
  const operations = Math.ceil(LOOKED_AT / count);
  const looking = (session) => ({
    run: () => {
      for (let look = 0; look < operations; look++) session.deriveMessages();
    },
  });
  const candidates = Object.fromEntries(Object.entries(sessions).map(([name, session]) => [name, looking(session)]));
  const what = `all ${short(count)} messages of a session as objects, nothing new`;
  return { id: 'messages-cached', size: count, what, values: await interleave(candidates, { rounds, operations }) };
}
