// The body of the next request, when one more turn was said: the work of every turn of a chat.

import { buildRequest } from '/pkg/index.js';
import * as aiSdk from '/target/bench-peers/ai-sdk.js';
import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { MODEL, chatBody } from '../peers/chat-body.mjs';
import * as npm from '../peers/session-package.mjs';
import * as ours from '../peers/turnlog-session.mjs';
import { MESSAGES_A_TOOL_TURN, appendEvent, makeToolTurn, makeToolTurns } from '../session-payload.mjs';

const SIZES = [1_000, 10_000, 100_000];
const [SHORT, LONG] = [SIZES[0], SIZES.at(-1)];
/** Turns in one sample: of ours, and of what takes milliseconds and more. */
const TURNS = 50;
/** Of longer sessions a sample of the others takes seconds. */
const MANY_ROUNDS_UP_TO = 10_000;
const FEW = { rounds: 3, warmUp: 1 };
const BY_HAND = 'by hand: map → JSON.stringify';
const AI_SDK = 'AI SDK → JSON.stringify';
const COPY = 'a copy of the body';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const short = (number) => number.toLocaleString('en');

export async function nextRows({ rounds }) {
  const rows = [];
  for (const size of SIZES) rows.push(...(await next(size, size > MANY_ROUNDS_UP_TO ? FEW : { rounds })));
  rows.at(-1).note = NOTE;
  const candidates = { turnlog: viewing(LONG), [NAMES.shorter]: viewing(SHORT) };
  const what = `next request body of ${short(LONG)} messages, with a view, beside that of fewer`;
  rows.push({ id: 'growth-next-body', size: LONG, what, values: await interleave(candidates, { rounds }) });
  return rows;
}

const NOTE =
  'Next bodies: a turn is a question, a call, its result and the reply; to append them counts. A view is what `fetch` may be handed ' +
  'at once; who keeps the body needs the copy. By hand the messages are in memory as objects, for the AI SDK as those of `useChat`.';

/**
 * A session that grows by whole turns, each with a call of its own: a question after a question is one message, and an id that is
 * there is given out anew. Each candidate has its own, since each makes it longer.
 */
function growing(maker, size) {
  let said = size / MESSAGES_A_TOOL_TURN;
  return {
    session: maker.newSession(makeToolTurns(size, maker.payloads)),
    nextTurn: () => makeToolTurn(++said, maker.payloads),
  };
}

/** @typedef {{prepare: () => any, run: (turn: any) => any}} OneTurn makes the next turn, and says it: gives the body */

/** @returns {OneTurn} */
function oursAt(size, view) {
  const { session, nextTurn } = growing(ours, size);
  return {
    prepare: nextTurn,
    run(turn) {
      for (const event of turn) appendEvent(session, event);
      return buildRequest('openai-chat', session, { model: MODEL, view });
    },
  };
}

/** @param {OneTurn} turn */
const repeated = ({ prepare, run }) => ({
  operations: TURNS,
  prepare: () => Array.from({ length: TURNS }, prepare),
  run(turns) {
    for (const turn of turns) run(turn);
  },
});

const viewing = (size) => repeated(oursAt(size, true));
const messagesOf = (events) => ours.newSession(events).deriveMessages().map(({ role, content }) => ({ role, content }));

/** @returns {OneTurn} */
function byHandAt(size) {
  const { session, nextTurn } = growing(ours, size);
  const messages = session.deriveMessages().map(({ role, content }) => ({ role, content }));
  return {
    prepare: () => messagesOf(nextTurn()),
    run(turn) {
      messages.push(...turn);
      return chatBody(messages);
    },
  };
}

/** @returns {OneTurn} */
function packageAt(size) {
  const { session, nextTurn } = growing(npm, size);
  return {
    prepare: nextTurn,
    run(turn) {
      for (const event of turn) appendEvent(session, event);
      return chatBody(session.deriveMessages());
    },
  };
}

/** @returns {OneTurn} */
function aiSdkAt(size) {
  const { session, nextTurn } = growing(ours, size);
  const messages = aiSdk.toUiMessages(session.deriveMessages());
  return {
    prepare: () => aiSdk.toUiMessages(messagesOf(nextTurn())),
    async run(turn) {
      messages.push(...turn);
      return encoder.encode(JSON.stringify(await aiSdk.convertToModelMessages(messages)));
    },
  };
}

async function next(size, options) {
  const makers = { turnlog: () => oursAt(size, false), 'with a view': () => oursAt(size, true), [BY_HAND]: () => byHandAt(size), [NAMES.session]: () => packageAt(size) };
  const made = Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()]));
  const bodies = Object.entries(made).map(([name, turn]) => [name, decoder.decode(turn.run(turn.prepare()))]);
  for (const [name, body] of bodies) mustEqual(bodies[0][1], body, `next body: ${name}`);
  // It has no bodies of this API: its messages are to be as many as ours for it.
  const ai = aiSdkAt(size);
  const { session, nextTurn } = growing(ours, size);
  for (const event of nextTurn()) appendEvent(session, event);
  mustEqual(decoder.decode(buildRequest('ai-sdk', session)), decoder.decode(await ai.run(ai.prepare())), 'next body: AI SDK');

  const kept = buildRequest('openai-chat', session, { model: MODEL });
  const { turnlog, 'with a view': view, [COPY]: copy, ...peers } = await interleave(
    {
      turnlog: made.turnlog,
      'with a view': repeated(made['with a view']),
      [BY_HAND]: made[BY_HAND],
      [NAMES.session]: made[NAMES.session],
      [AI_SDK]: ai,
      [COPY]: { run: () => kept.slice() },
    },
    options,
  );
  const what = `one more turn, then the request body of ${short(size)} messages (${(kept.length / 1e6).toFixed(1)} MB)`;
  return [
    { id: 'next-body', size, way: 'with a view', what: `${what}, with a view`, values: { turnlog: view, ...peers } },
    { id: 'next-body', size, way: 'copied', what, values: { turnlog, ...peers }, limits: { [COPY]: copy } },
  ];
}
