// A reply of 500 tokens that streams into a stored thread: what is written for it, and how long it takes.

import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { seeded, text } from '../payload.mjs';
import { AssistantStream, DraftStream, SessionStream, TanStackStream } from '../peers/streams.mjs';
import { written } from '../written.mjs';

const TURNS = 100;
const TOKENS = 500;
const TOKEN_LENGTH = 4;
/** Milliseconds from one token to the next, where writes are counted: libraries gather what comes close together. */
const PACE = 10;
const MOST_ROUNDS = 5;

const DRAFT = 'as a draft';
const LOG = 'as an event log';
const OURS = { [DRAFT]: DraftStream, [LOG]: SessionStream };
const PEERS = { [NAMES.tanstack]: TanStackStream, [NAMES.assistant]: AssistantStream };
const ALL = { ...OURS, ...PEERS };

const QUESTION = text(seeded(7), 400);
const REPLY = text(seeded(8), TOKENS * TOKEN_LENGTH).slice(0, TOKENS * TOKEN_LENGTH);
const bytesOfReply = new TextEncoder().encode(REPLY).length;

export async function streamRows({ rounds }) {
  const [counts, times] = [await counted(), await timed(Math.min(rounds, MOST_ROUNDS))];
  const rows = Object.keys(OURS).flatMap((way) => rowsOf(way, counts, times));
  rows[0].note = NOTE;
  return rows;
}

const NOTE =
  `Streams: a thread of ${TURNS} turns, a reply of ${TOKENS} tokens of ${TOKEN_LENGTH} characters (${bytesOfReply.toLocaleString('en')} bytes of UTF-8), ` +
  `a token each ${PACE} ms where writes are counted, each in a task of its own where time is. Bytes are those of the values while the reply ` +
  'streams, up to its last token; those with its end are in `docs/bench.json`. The TanStack client writes the whole thread for every change; ' +
  'assistant-ui writes nothing of a reply before it is complete, so what is streaming is lost with the page.';

function rowsOf(way, counts, times) {
  const of = (what) => {
    const all = { turnlog: counts[way][what] };
    for (const name of Object.keys(PEERS)) all[name] = counts[name][what];
    return all;
  };
  const title = `a reply of ${TOKENS} tokens streamed into a stored thread, ${way}`;
  const row = (id, more) => ({ id, way, size: TOKENS, ...more });
  return [
    row('stream-bytes', { what: `${title}: written while it streams`, unit: 'bytes', values: of('bytes'), limits: { [NAMES.theText]: bytesOfReply } }),
    row('stream-bytes-whole', { what: `${title}: written with its end`, unit: 'bytes', values: of('wholeBytes'), limits: { [NAMES.theText]: bytesOfReply } }),
    row('stream-writes', { what: `${title}: writes`, unit: 'writes', values: of('writes') }),
    row('stream-time', {
      what: `${title}: until all is stored`,
      values: { turnlog: times[way], ...Object.fromEntries(Object.keys(PEERS).map((name) => [name, times[name]])) },
    }),
  ];
}

async function* tokens(pause) {
  for (let at = 0; at < REPLY.length; at += TOKEN_LENGTH) {
    await pause();
    yield REPLY.slice(at, at + TOKEN_LENGTH);
  }
}

const paced = () => new Promise((resolve) => setTimeout(resolve, PACE));

/** A task of its own, without the 4 ms that timers wait at least. */
function inATask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

async function counted() {
  const counts = {};
  for (const [name, Kind] of Object.entries(ALL)) {
    const thread = await new Kind().open(`bench-stream-${name}`, TURNS);
    let streamed;
    const whole = await written((soFar) => thread.reply(QUESTION, tokens(paced), () => (streamed = soFar())));
    mustEqual(await thread.text(), REPLY, `the reply as ${name} stored it`);
    await thread.close();
    counts[name] = { ...streamed, wholeBytes: whole.bytes };
  }
  return counts;
}

function timed(rounds) {
  let number = 0;
  const candidate = (name) => ({
    prepare: () => new ALL[name]().open(`bench-stream-${number++}`, TURNS),
    run: (thread) => thread.reply(QUESTION, tokens(inATask), () => {}),
    discard: (thread) => thread.close(),
  });
  return interleave(Object.fromEntries(Object.keys(ALL).map((name) => [name, candidate(name)])), { rounds, warmUp: 1 });
}
