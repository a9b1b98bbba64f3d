// Sessions: made again from what is stored, replaced in, and asked for their messages.
//
// Each has events of its own shape with the same words in them.

import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import * as npm from '../peers/session-package.mjs';
import * as turnlog from '../peers/turnlog-session.mjs';
import { EVENTS_A_TURN, NODES_A_TURN, appendEvent as append, makeEvents, makeNodes, toLog, words } from '../session-payload.mjs';

const PACKAGE = NAMES.session;
const RESTORED = 'dsh-session, fromRestore';
const makers = { turnlog, [PACKAGE]: npm };
const NOTE =
  "`fromRestore` is dsh-session's way for values that nobody else holds: it keeps what JSON.parse made, where seeds are copied.";

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

export async function sessionRows({ rounds }) {
  const rows = [];
  for (const count of REPLAYED_EVENTS) rows.push(await replays(count, rounds));
  return [...rows, ...(await messages(rounds)), ...(await replacements(rounds))];
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
  const values = await interleave(candidates, { rounds });
  const megabytes = (logs.turnlog.length / 1e6).toFixed(1);
  return {
    id: 'replay',
    size: turns * EVENTS_A_TURN,
    what: `a session of ${short(turns * EVENTS_A_TURN)} events from stored bytes (${megabytes} MB), with its messages`,
    values,
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
    { id: 'session', size: MESSAGES, what, values: derive },
    { id: 'session', size: MESSAGES, what: `${what} as the bytes of a request's body`, values: body },
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
    { id: 'session', size: WIDE_SURFACE, what: `one replacement in the middle of a surface of ${short(WIDE_SURFACE)}`, values: replaced },
    { id: 'session', size: WIDE_SURFACE, what: `messages of a surface of ${short(WIDE_SURFACE)} after one replacement`, values: derived },
  ];
}
