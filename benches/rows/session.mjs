// Sessions: appended to, made again from what is stored, and asked for their messages.
//
// Each has events of its own shape with the same words in them.

import { interleave, mustEqual } from '../measure.mjs';
import * as npm from '../peers/session-package.mjs';
import * as turnlog from '../peers/turnlog-session.mjs';
import { EVENTS_A_TURN, NODES_A_TURN, makeEvents, makeNodes, toLog } from '../session-payload.mjs';

const PACKAGE = 'dsh-session';
const RESTORED = 'dsh-session, fromRestore';
const makers = { turnlog, [PACKAGE]: npm };
/** A replay from stored bytes is to be so many times as fast. */
const REPLAY_GOAL = 5;
const NOTE =
  "`fromRestore` is dsh-session's way for values that nobody else holds: it keeps what JSON.parse made, where seeds are copied.";
/** Any other is to be ahead. */
const AHEAD = { [PACKAGE]: 1 };

const APPENDED_TURNS = 100;
const REPLAYED_EVENTS = [11_000, 100_000];
/** The session that is asked for its messages, and how often in one sample. */
const MESSAGES = 1_200;
const DERIVES = 200;
const BODIES = 4;
const WIDE_SURFACE = 20_000;
const WIDE_SESSIONS = 4;
/** Replacements in each of those in one sample. */
const REPLACEMENTS = 16;

const encoder = new TextEncoder();
const short = (number) => number.toLocaleString('en');
const each = (candidate) => Object.fromEntries(Object.entries(makers).map(([name, maker]) => [name, candidate(maker)]));

/** Messages without what only one of the two has: where they came from, and ids. */
function words(session) {
  return session.deriveMessages().map(({ role, content }) => [role, ...content.map((one) => one.text ?? one.type)]);
}

function append(session, { type, data, surfaceOp, sourceEventSeqs }) {
  if (surfaceOp === undefined) session.append(type, data);
  else session.append(type, data, { surfaceOp, sourceEventSeqs });
}

export async function sessionRows({ rounds }) {
  const rows = [await appends(rounds)];
  for (const count of REPLAYED_EVENTS) rows.push(await replays(count, rounds));
  return [...rows, ...(await messages(rounds)), ...(await replacements(rounds))];
}

async function appends(rounds) {
  const what = 'append of one session event, checked, copied, frozen';
  const candidate = (maker) => {
    const events = makeEvents(APPENDED_TURNS, maker.payloads);
    const run = (session) => {
      for (const event of events) append(session, event);
      return session;
    };
    return { prepare: () => maker.newSession(), run, operations: events.length };
  };
  const candidates = each(candidate);
  const [ours, theirs] = Object.values(candidates).map(({ prepare, run }) => words(run(prepare())));
  mustEqual(ours, theirs, 'messages after appends');
  return { what, times: await interleave(candidates, { rounds }), goals: AHEAD };
}

async function replays(count, rounds) {
  const turns = Math.ceil(count / EVENTS_A_TURN);
  const logs = each((maker) => toLog(makeEvents(turns, maker.payloads)));
  const ways = {
    turnlog: () => turnlog.fromBytes(logs.turnlog),
    [PACKAGE]: () => npm.fromBytes(logs[PACKAGE]),
    [RESTORED]: () => npm.restoredFromBytes(logs[PACKAGE]),
  };
  const expected = words(ways.turnlog());
  mustEqual(expected.length, turns * NODES_A_TURN, 'messages of a replay');
  for (const way of [PACKAGE, RESTORED]) mustEqual(expected, words(ways[way]()), `messages of a replay: ${way}`);
  const candidate = (way) => ({ run: () => way().deriveMessages() });
  const candidates = Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, candidate(way)]));
  const times = await interleave(candidates, { rounds });
  const megabytes = (logs.turnlog.length / 1e6).toFixed(1);
  return {
    what: `a session of ${short(turns * EVENTS_A_TURN)} events from stored bytes (${megabytes} MB), with its messages`,
    times,
    goals: { [PACKAGE]: REPLAY_GOAL, [RESTORED]: REPLAY_GOAL },
    ...(count === REPLAYED_EVENTS[0] && { note: NOTE }),
  };
}

/** Each sample is of a session of its own, since the appends make it longer. */
async function messages(rounds) {
  const candidate = (operations, work) => (maker) => {
    const nodes = makeNodes(MESSAGES, maker.payloads);
    return {
      operations,
      prepare: () => {
        const session = maker.newSession(nodes);
        work(session);
        return session;
      },
      run: (session) => {
        for (let count = 0; count < operations; count++) {
          append(session, nodes[0]);
          work(session);
        }
      },
    };
  };
  const bodyOf = (session) => encoder.encode(JSON.stringify({ messages: session.deriveMessages() }));
  const derive = await interleave(each(candidate(DERIVES, (session) => session.deriveMessages())), { rounds });
  const body = await interleave(each(candidate(BODIES, bodyOf)), { rounds });
  const what = `one more message in a session of ${short(MESSAGES)}, then all of them`;
  return [
    { what, times: derive, goals: AHEAD },
    { what: `${what} as the bytes of a request's body`, times: body, goals: AHEAD },
  ];
}

async function replacements(rounds) {
  const sessionsOf = (maker) => {
    const nodes = makeNodes(WIDE_SURFACE, maker.payloads);
    return Array.from({ length: WIDE_SESSIONS }, () => maker.newSession(nodes));
  };
  const open = each((maker) => ({ maker, sessions: sessionsOf(maker) }));
  const replaceOne = (maker, session, seq) => {
    const intent = { surfaceOp: { op: 'replace', start: seq, end: seq }, sourceEventSeqs: [seq] };
    session.append('user/message', maker.payloads.user('sum', [{ type: 'text', text: 'a summary' }]), intent);
  };
  const middle = ({ surface: { nodes } }, count) => nodes.slice(nodes.length / 2, nodes.length / 2 + count);
  const replace = ({ maker, sessions }) => ({
    operations: WIDE_SESSIONS * REPLACEMENTS,
    // Where the replacements go is looked up before: each hands its nodes out in its own way.
    prepare: () => sessions.map((session) => [session, middle(session, REPLACEMENTS)]),
    run: (ready) => ready.forEach(([session, nodes]) => nodes.forEach((seq) => replaceOne(maker, session, seq))),
  });
  const derive = ({ maker, sessions }) => ({
    operations: WIDE_SESSIONS,
    prepare: () => sessions.forEach((session) => replaceOne(maker, session, middle(session, 1)[0])),
    run: () => sessions.forEach((session) => session.deriveMessages()),
  });
  const candidates = (candidate) => Object.fromEntries(Object.entries(open).map(([name, group]) => [name, candidate(group)]));
  const replaced = await interleave(candidates(replace), { rounds });
  const derived = await interleave(candidates(derive), { rounds });
  const [ours, theirs] = Object.values(open).map(({ sessions }) => words(sessions[0]));
  mustEqual(ours, theirs, 'messages after replacements');
  return [
    { what: `one replacement in the middle of a surface of ${short(WIDE_SURFACE)}`, times: replaced, goals: AHEAD },
    { what: `messages of a surface of ${short(WIDE_SURFACE)} after one replacement`, times: derived, goals: AHEAD },
  ];
}
