// The body of the next request, when one more turn was said: the work of every turn of a chat.

import { buildRequest } from '/pkg/index.js';
import * as aiSdk from '/target/bench-peers/ai-sdk.js';
import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { MODEL, chatBody } from '../peers/chat-body.mjs';
import * as npm from '../peers/session-package.mjs';
import * as ours from '../peers/turnlog-session.mjs';
import { NODES_A_TURN, appendEvent, makeNodes } from '../session-payload.mjs';

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
  'Next bodies: a turn is a question, a reply with a call, and its result; to append them counts. A view is what `fetch` may be handed ' +
  'at once; who keeps the body needs the copy. By hand the messages are in memory as objects, for the AI SDK as those of `useChat`.';

/** One session for each candidate, since each makes its own longer. */
function sessionOf(maker, size) {
  const nodes = makeNodes(size, maker.payloads);
  const session = maker.newSession(nodes);
  return { session, turn: nodes.slice(0, NODES_A_TURN) };
}

function oursAt(size, view) {
  const { session, turn } = sessionOf(ours, size);
  return () => {
    for (const event of turn) appendEvent(session, event);
    return buildRequest('openai-chat', session, { model: MODEL, view });
  };
}

const repeated = (turn) => ({
  operations: TURNS,
  run: () => {
    for (let count = 0; count < TURNS; count++) turn();
  },
});

const viewing = (size) => repeated(oursAt(size, true));

function byHandAt(size) {
  const { session } = sessionOf(ours, size);
  const messages = session.deriveMessages().map(({ role, content }) => ({ role, content }));
  const turn = messages.slice(0, NODES_A_TURN);
  return () => {
    messages.push(...turn);
    return chatBody(messages);
  };
}

function packageAt(size) {
  const { session, turn } = sessionOf(npm, size);
  return () => {
    for (const event of turn) appendEvent(session, event);
    return chatBody(session.deriveMessages());
  };
}

function aiSdkAt(size) {
  const { session } = sessionOf(ours, size);
  const list = session.deriveMessages();
  const messages = aiSdk.toUiMessages(list);
  const turn = aiSdk.toUiMessages(list.slice(0, NODES_A_TURN));
  return async () => {
    messages.push(...turn);
    return encoder.encode(JSON.stringify(await aiSdk.convertToModelMessages(messages)));
  };
}

async function next(size, options) {
  const makers = { turnlog: () => oursAt(size, false), 'with a view': () => oursAt(size, true), [BY_HAND]: () => byHandAt(size), [NAMES.session]: () => packageAt(size) };
  const made = Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()]));
  const bodies = Object.entries(made).map(([name, turn]) => [name, decoder.decode(turn())]);
  for (const [name, body] of bodies) mustEqual(bodies[0][1], body, `next body: ${name}`);
  // It has no bodies of this API: its messages are to be as many as ours for it.
  const ai = aiSdkAt(size);
  const { session } = sessionOf(ours, size);
  for (const event of sessionOf(ours, NODES_A_TURN).turn) appendEvent(session, event);
  mustEqual(decoder.decode(buildRequest('ai-sdk', session)), decoder.decode(await ai()), 'next body: AI SDK');

  const kept = made.turnlog();
  const { turnlog, 'with a view': view, [COPY]: copy, ...peers } = await interleave(
    {
      turnlog: { run: made.turnlog },
      'with a view': repeated(made['with a view']),
      [BY_HAND]: { run: made[BY_HAND] },
      [NAMES.session]: { run: made[NAMES.session] },
      [AI_SDK]: { run: ai },
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
