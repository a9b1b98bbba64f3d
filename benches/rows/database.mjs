// IndexedDB: reading a session of 10,000 entries with a store that was just opened.

import { createEngine, createIndexedDbStore } from '/pkg/index.js';
import { ENTRIES, SESSION } from '../payload.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { bodyOf } from '../peers/messages.mjs';
import { RowStore } from '../peers/row-store.mjs';

const CHUNKED = 'bench-turnlog';
const ROWS = 'bench-rows';
const PEER = 'a row an entry, getAll';
const TAIL = 50;
const short = (number) => number.toLocaleString('en');

const decoder = new TextDecoder();

/** Writes the entries into both databases, ours one append at a time, as a chat does. */
async function fill(entries) {
  const store = createIndexedDbStore({ name: CHUNKED });
  for (const entry of entries) await store.append(SESSION, entry);
  await store.close();
  const rows = await new RowStore(ROWS).open();
  await rows.putAll(SESSION, entries);
  rows.close();
  // The browser tidies its files for a while after so many writes, at the cost of whoever reads meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

async function withStore(work) {
  const store = createIndexedDbStore({ name: CHUNKED });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function withRows(work) {
  const rows = await new RowStore(ROWS).open();
  try {
    return await work(rows);
  } finally {
    rows.close();
  }
}

async function storedBody(store) {
  const engine = createEngine({ planner: () => ({ userMessage: '' }), history: { store } });
  const result = await engine.getLLMContextBytes(SESSION);
  if (!result.ok) throw result.error;
  return result.value;
}

export async function databaseRows({ entries, rounds }) {
  await fill(entries);
  const oldest = entries[0].input.id;
  const isOldest = (entry) => entry.input.id === oldest;
  const reads = {
    find: [
      () => withStore((store) => store.has(SESSION, oldest)),
      () => withRows(async (rows) => (await rows.getAll(SESSION)).some(isOldest)),
    ],
    body: [() => withStore(storedBody), () => withRows(async (rows) => bodyOf(await rows.getAll(SESSION)))],
    objects: [() => withStore((store) => store.get(SESSION)), () => withRows((rows) => rows.getAll(SESSION))],
    tail: [() => withStore((store) => store.tail(SESSION, TAIL)), () => withRows((rows) => rows.tail(SESSION, TAIL))],
  };
  const values = {};
  for (const [name, [ours, theirs]] of Object.entries(reads)) {
    const [a, b] = [await ours(), await theirs()].map((value) => (value instanceof Uint8Array ? decoder.decode(value) : value));
    mustEqual(a, b, `read from the database: ${name}`);
    values[name] = await interleave({ turnlog: { run: ours }, [PEER]: { run: theirs } }, { rounds });
  }
  return [
    { id: 'cold-load', size: ENTRIES, what: `open the database, load ${short(ENTRIES)} entries`, values: values.find },
    { id: 'cold-rows-body', size: ENTRIES, what: `open, load ${short(ENTRIES)} entries, make the request body`, values: values.body },
    { id: 'cold-objects', size: ENTRIES, what: `open, load ${short(ENTRIES)} entries as frozen objects`, values: values.objects },
    { id: 'cold-rows-tail', size: ENTRIES, what: `open ${short(ENTRIES)} entries, read the newest ${TAIL}, beside a range of keys`, values: values.tail },
  ];
}
