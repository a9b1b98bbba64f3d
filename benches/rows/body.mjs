// From stored bytes, or from what is in memory, to the body of a model request.

import { Session, buildRequest } from '/pkg/index.js';
import * as raw from '/pkg/turnlog.js';
import * as aiSdk from '/target/bench-peers/ai-sdk.js';
import { storedValues } from '../database.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { SESSION, makeEntries } from '../payload.mjs';
import { MODEL, chatBody } from '../peers/chat-body.mjs';
import { bodyOf, fromLines, messagesOf, messagesOfEvents, toLines } from '../peers/messages.mjs';
import * as npm from '../peers/session-package.mjs';
import { TurnlogStore, exportOf } from '../peers/turnlog-store.mjs';
import * as ours from '../peers/turnlog-session.mjs';
import { EVENTS_A_TURN, makeEvents, toLog } from '../session-payload.mjs';

const SIZES = [1_000, 10_000, 100_000];
/** Of longer ones a sample takes seconds. */
const MANY_ROUNDS_UP_TO = 10_000;
const FEW = { rounds: 3, warmUp: 1 };
const BY_HAND = 'JSON.parse → map → JSON.stringify';
const AI_SDK = 'JSON.parse → AI SDK → JSON.stringify';
const PACKAGE = 'dsh-session';
const PARSE = 'JSON.parse alone';
const COPY = 'a copy of these bytes';

const decoder = new TextDecoder();
const short = (number) => number.toLocaleString('en');
const roundsFor = (size, rounds) => (size > MANY_ROUNDS_UP_TO ? FEW : { rounds });

function noPlanner() {
  throw new Error('nothing is planned here');
}

function engineOn(store) {
  return raw.RawEngine.own(noPlanner, store, new raw.RawBounds(undefined, undefined, false));
}

/** A store that holds the session, from the values that a database keeps of it. */
function loaded({ heads, chunks }) {
  const store = new raw.RawStore();
  store.catchUp(SESSION, heads);
  store.load(SESSION, chunks);
  return store;
}

async function bodyFrom(engine) {
  const result = await engine.getLLMContextBytes(SESSION);
  if (!result.ok) throw result.error;
  return result.value;
}

export async function bodyRows({ rounds }) {
  const rows = [];
  for (const size of SIZES) rows.push(...(await ofEntries(size, rounds)));
  for (const size of SIZES) rows.push(await ofEvents(size, rounds));
  rows.at(-1).note =
    'Stored bytes → body: turnlog has the values of its database, by hand and for the AI SDK the same entries are JSON lines. No index of ' +
    'what the texts say is stored, so that with a saved index the time is that of a scan. Of event logs sizes are numbers of events.';
  return rows;
}

async function storedEntries(size) {
  const entries = makeEntries(size);
  const name = `bench-body-${size}`;
  const store = await new TurnlogStore(name, SESSION).open();
  await store.addAll(await exportOf(SESSION, entries));
  await store.close();
  const stored = await storedValues(name, SESSION);
  indexedDB.deleteDatabase(name);
  return { stored, lines: toLines(entries) };
}

async function ofEntries(size, rounds) {
  const { stored, lines } = await storedEntries(size);
  const resident = loaded(stored);
  const engine = engineOn(resident);
  const body = await bodyFrom(engine);
  mustEqual(decoder.decode(body), decoder.decode(bodyOf(fromLines(lines))), 'request body');
  const options = roundsFor(size, rounds);
  const { [PARSE]: parse, [COPY]: copy, ...values } = await interleave(
    {
      turnlog: {
        // What is made is freed outside the measured time, as garbage is.
        prepare: () => ({}),
        run: async (made) => {
          made.store = loaded(stored);
          made.engine = engineOn(made.store);
          made.body = await bodyFrom(made.engine);
        },
        discard: ({ store, engine: used }) => {
          used.free();
          store.free();
        },
      },
      [BY_HAND]: { run: () => bodyOf(fromLines(lines)) },
      [AI_SDK]: { run: () => aiSdk.bodyOf(messagesOf(fromLines(lines))) },
      [PARSE]: { run: () => fromLines(lines) },
      [COPY]: { run: () => lines.slice() },
    },
    options,
  );
  const what = `stored bytes → request body of ${short(size)} entries (${(lines.length / 1e6).toFixed(1)} MB)`;
  const limits = { [COPY]: copy, [PARSE]: parse };
  const rows = [{ id: 'bytes-to-body', size, way: 'scanning', what, values, limits }];
  if (size === 10_000) {
    rows.push({ ...rows[0], way: 'with the saved index', what: `${what}, with a saved index (there is none: by scanning)` });
    rows.push(await byId(stored, lines, options), await inMemory(engine, fromLines(lines), options));
  }
  engine.free();
  resident.free();
  return rows;
}

async function byId(stored, lines, options) {
  const [{ input }] = fromLines(lines);
  const values = await interleave(
    {
      turnlog: {
        prepare: () => ({}),
        run: (made) => {
          made.store = loaded(stored);
          made.found = made.store.has(SESSION, input.id);
        },
        discard: ({ store }) => store.free(),
      },
      'JSON.parse → Map by id': { run: () => new Map(fromLines(lines).map((entry) => [entry.input.id, entry])) },
    },
    options,
  );
  return { id: 'bytes-to-ids', size: 10_000, what: 'stored bytes → 10,000 entries found by id', values };
}

async function inMemory(engine, objects, options) {
  const { [COPY]: copy, ...values } = await interleave(
    {
      turnlog: { run: () => bodyFrom(engine) },
      'map → JSON.stringify': { run: () => bodyOf(objects) },
      [COPY]: { prepare: () => bodyFrom(engine), run: (body) => body.slice() },
    },
    options,
  );
  return { id: 'memory-to-body', size: 10_000, what: 'request body of 10,000 entries in memory', values, limits: { [COPY]: copy } };
}

async function ofEvents(size, rounds) {
  const turns = Math.ceil(size / EVENTS_A_TURN);
  const [log, theirs] = [ours, npm].map((maker) => toLog(makeEvents(turns, maker.payloads)));
  const ways = {
    turnlog: () => buildRequest('openai-chat', Session.fromLog(log), { model: MODEL }),
    [BY_HAND]: () => chatBody(messagesOfEvents(linesOf(log))),
    [PACKAGE]: () => chatBody(npm.fromBytes(theirs).deriveMessages()),
    [`${PACKAGE}, fromRestore`]: () => chatBody(npm.restoredFromBytes(theirs).deriveMessages()),
  };
  const expected = decoder.decode(ways.turnlog());
  for (const [name, way] of Object.entries(ways)) mustEqual(expected, decoder.decode(way()), `body of an event log: ${name}`);
  const candidates = Object.fromEntries(Object.entries(ways).map(([name, run]) => [name, { run }]));
  const limits = { [COPY]: { run: () => log.slice() }, [PARSE]: { run: () => linesOf(log) } };
  const { [PARSE]: parse, [COPY]: copy, ...values } = await interleave({ ...candidates, ...limits }, roundsFor(size, rounds));
  const what = `stored event log of ${short(turns * EVENTS_A_TURN)} events (${(log.length / 1e6).toFixed(1)} MB) → request body`;
  return { id: 'bytes-to-body', size, way: 'of an event log', what, values, limits: { [COPY]: copy, [PARSE]: parse } };
}

const linesOf = (log) => decoder.decode(log).trimEnd().split('\n').map((line) => JSON.parse(line));
