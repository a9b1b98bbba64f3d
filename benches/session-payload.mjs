// Event logs of chats: turns of 28 events, 20 of them pieces of the reply, with one tool call each.

import { seeded, text } from './payload.mjs';

export const EVENTS_A_TURN = 28;
/** What of a turn is on the surface: the question, the reply and the tool's result. */
export const NODES_A_TURN = 3;
const CHUNKS = 20;
const QUESTION = 400;
const REPLY = 1_200;
const FIRST_TIME = 1_760_000_000_000;
const model = { provider: 'provider', model: 'model-1' };

const block = (words) => ({ type: 'text', text: words });

/**
 * The events of so many turns. `payloads` makes the data of the three types that are not the same for everybody.
 * The same in every run, but for those.
 */
export function makeEvents(turns, payloads) {
  const random = seeded(4);
  const events = [];
  const add = (type, data, more) => {
    const { length: seq } = events;
    events.push({ type, seq, time: FIRST_TIME + seq * 40, data, ...more });
  };
  for (let turn = 1; turn <= turns; turn++) addTurn(add, turn, payloads, random);
  // Strings put together from pieces are flattened by whoever reads them first; here that is nobody measured.
  return JSON.parse(JSON.stringify(events));
}

function addTurn(add, turn, payloads, random) {
  const first = (turn - 1) * EVENTS_A_TURN;
  const surfaceOp = 'append';
  const at = { turn, step: 1 };
  const reply = text(random, REPLY);
  const callId = `call-${turn}`;
  const call = { id: callId, name: 'draw', arguments: '{"kind":"bars","stacked":false}' };
  const trigger = { kind: 'message', source: { kind: 'user' } };
  add('turn/start', { turn, trigger });
  add('user/message', payloads.user(`q-${turn}`, [block(text(random, QUESTION))]), { surfaceOp });
  add('step/start', at);
  for (let number = 0; number < CHUNKS; number++) {
    const [from, to] = [number, number + 1].map((count) => Math.round((count * reply.length) / CHUNKS));
    add('assistant/chunk', { ...at, chunk: { type: 'text-delta', index: 0, text: reply.slice(from, to) } });
  }
  const sourceEventSeqs = Array.from({ length: CHUNKS }, (_, number) => first + 3 + number);
  const content = [block(reply), { type: 'tool-call', ...call }];
  add('assistant/message', payloads.assistant(`a-${turn}`, turn, content, model), { sourceEventSeqs, surfaceOp });
  const { id, ...named } = call;
  add('tool/call', { ...at, callId: id, ...named });
  add('tool/result', payloads.result(`r-${turn}`, turn, callId, [block('done')]), { surfaceOp });
  add('step/end', at);
  add('turn/end', { turn, reason: { kind: 'completed' } });
}

/** Only what is on the surface, as a log of its own. */
export function makeNodes(count, payloads) {
  const nodes = makeEvents(Math.ceil(count / NODES_A_TURN), payloads).filter(({ surfaceOp }) => surfaceOp !== undefined);
  return nodes.slice(0, count).map(({ sourceEventSeqs, ...event }, seq) => ({ ...event, seq }));
}

/** The messages of a turn with a tool: a question, a call, its result and the reply. */
export const MESSAGES_A_TOOL_TURN = 4;

/** A log of so many messages, all of them on the surface: turns with a tool. One more than whole turns is a last question. */
export function makeToolTurns(count, payloads) {
  const random = seeded(5);
  const events = [];
  for (let turn = 1; events.length < count; turn++) events.push(...toolTurn(turn, payloads, random, events.length));
  return JSON.parse(JSON.stringify(events.slice(0, count)));
}

/** One turn with a tool, of which the call and the ids are its own, to be appended. */
export function makeToolTurn(turn, payloads) {
  return JSON.parse(JSON.stringify(toolTurn(turn, payloads, seeded(turn), 0)));
}

function toolTurn(turn, payloads, random, first) {
  const id = `call-${turn}`;
  const call = { type: 'tool-call', id, name: 'draw', arguments: '{"kind":"bars","stacked":false}' };
  const said = [
    ['user/message', payloads.user(`q-${turn}`, [block(text(random, QUESTION))])],
    ['assistant/message', payloads.assistant(`a-${turn}`, turn, [block(text(random, QUESTION)), call], model)],
    ['tool/result', payloads.result(`r-${turn}`, turn, id, [block(text(random, REPLY))])],
    ['assistant/message', payloads.assistant(`b-${turn}`, turn, [block(text(random, REPLY))], model)],
  ];
  return said.map(([type, data], index) => ({ type, seq: first + index, time: FIRST_TIME + (first + index) * 40, data, surfaceOp: 'append' }));
}

/** A log as it is stored: the header's line, then a line for each event. */
export function toLog(events) {
  const header = { type: 'session', version: 0, id: 's', createdAt: FIRST_TIME };
  return new TextEncoder().encode([header, ...events].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Appends an event as it is in a log. */
export function appendEvent(session, { type, data, surfaceOp, sourceEventSeqs }) {
  if (surfaceOp === undefined) session.append(type, data);
  else session.append(type, data, { surfaceOp, sourceEventSeqs });
}

/** The messages of a session without what only one library has: where they came from, and ids. */
export function words(session) {
  return session.deriveMessages().map(({ role, content }) => [role, ...content.map((one) => one.text ?? one.type)]);
}
