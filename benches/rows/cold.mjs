// The first thing that a page does with a session that is in its database: open it, and show the newest entries or ask a model.

import { buildRequest, createIndexedDbStore, createSessionStore } from '/pkg/index.js';
import * as aiSdk from '/target/bench-peers/ai-sdk.js';
import { interleave, mustEqual } from '../measure.mjs';
import { makeEntries } from '../payload.mjs';
import { MODEL, chatBody } from '../peers/chat-body.mjs';
import { bodyOf, messagesOf, messagesOfEvents } from '../peers/messages.mjs';
import { RowStore } from '../peers/row-store.mjs';
import { exportOf } from '../peers/turnlog-store.mjs';
import { payloads } from '../peers/turnlog-session.mjs';
import { makeToolTurns } from '../session-payload.mjs';
import { BY_ENTRY, WHOLE_LIST, cold, fill, inputs, short, untilTidy } from './stores.mjs';

const SIZES = [1_000, 10_000, 50_000];
const TAIL = 50;
/** Of longer ones a sample of the others takes seconds. */
const MANY_ROUNDS_UP_TO = 10_000;
const FEW = { rounds: 3, warmUp: 1 };
const names = [...Object.keys(BY_ENTRY), ...Object.keys(WHOLE_LIST)];
const LOG = 'log';

const decoder = new TextDecoder();

export async function coldRows({ rounds }) {
  const rows = [];
  const all = makeEntries(SIZES.at(-1));
  for (const size of SIZES) {
    const databaseOf = (name) => `bench-cold-${name}-${size}`;
    const entries = all.slice(0, size);
    await fill(databaseOf, names, size, inputs(entries, await exportOf(entries[0].input.sessionId, entries)));
    await untilTidy();
    const options = size > MANY_ROUNDS_UP_TO ? FEW : { rounds };
    rows.push(await tail(size, databaseOf, options), ...(await bodies(size, databaseOf, options)), await ofSession(size, options));
    for (const name of names) indexedDB.deleteDatabase(databaseOf(name));
  }
  rows.at(-1).note = NOTE;
  return rows;
}

const NOTE =
  'Cold: a database that is there, and an object of the library that was just made. Each of the stores makes the body by hand, `map` and ' +
  '`JSON.stringify`; with the AI SDK, which adds the same to each, those of rows up to 10,000. localForage keeps the connection of a name for good, so only its first open is a cold one. ' +
  'LangChain, the event-log peer and the Agents SDK have no store in a browser.';

async function tail(size, databaseOf, options) {
  const what = `open ${short(size)} entries, read the newest ${TAIL}`;
  return { id: 'cold-tail', size, what, values: await cold(databaseOf, names, what, (peer) => peer.tail(TAIL), options) };
}

async function bodies(size, databaseOf, options) {
  const what = `open ${short(size)} entries, make the next request body of all of them`;
  const withHands = async (peer) => peer.body?.() ?? bodyOf(await peer.all());
  const withAiSdk = async (peer) => peer.body?.() ?? aiSdk.bodyOf(messagesOf(await peer.all()));
  const text = (body) => decoder.decode(body);
  const values = await cold(databaseOf, names, what, withHands, options, text);
  // Its messages have another form, but are as many.
  const rows = [{ id: 'cold-body', size, way: 'by hand', what, values }];
  if (size <= MANY_ROUNDS_UP_TO) {
    const sdk = await cold(databaseOf, Object.keys(BY_ENTRY), what, withAiSdk, options, (body) => JSON.parse(text(body)).length);
    rows.push({ id: 'cold-body', size, way: 'AI SDK', what: `${what}, the others with the AI SDK`, values: sdk });
  }
  return rows;
}

/** The same of a stored event log, beside a row for each event. */
async function ofSession(size, options) {
  const events = makeToolTurns(size, payloads);
  const [ours, theirs] = [`bench-cold-log-${size}`, `bench-cold-log-rows-${size}`];
  await withSessions(ours, async (sessions) => sessions.flush(sessions.create(LOG, { seed: events })));
  const filled = await new RowStore(theirs).open();
  await filled.putAll(LOG, events);
  filled.close();
  await untilTidy();
  const ways = {
    turnlog: () => withSessions(ours, async (sessions) => buildRequest('openai-chat', await sessions.open(LOG), { model: MODEL })),
    'a row an event, getAll': async () => {
      const rows = await new RowStore(theirs).open();
      const body = chatBody(messagesOfEvents(await rows.getAll(LOG)));
      rows.close();
      return body;
    },
  };
  const [first, second] = await Promise.all(Object.values(ways).map(async (way) => decoder.decode(await way())));
  mustEqual(first, second, 'body of a stored event log');
  const values = await interleave(Object.fromEntries(Object.entries(ways).map(([name, run]) => [name, { run }])), options);
  for (const name of [ours, theirs]) indexedDB.deleteDatabase(name);
  const what = `open an event log of ${short(size)} messages, make the next request body of all of them`;
  return { id: 'cold-body', size, way: 'of an event log', what, values };
}

async function withSessions(name, work) {
  const storage = createIndexedDbStore({ name });
  try {
    return await work(createSessionStore({ storage }));
  } finally {
    await storage.close();
  }
}
