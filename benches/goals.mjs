// What each row is to say. One place, so that no row sets a bar of its own.
//
// A goal is about rows of an `id`, of one `size` and `way` where it names them. `of` names candidates, of which the best counts:
// `atLeast` is how many times ours they take, `atMost` how many times theirs we may take. `most` is the most that ours may be.

export const NAMES = {
  dexie: 'Dexie',
  idb: 'idb',
  langchain: 'LangChain, trimMessages',
  byHand: 'by hand',
  session: 'dsh-session',
  zod: 'zod',
  barePut: 'a bare put',
  theText: 'the text alone',
  shorter: 'turnlog at 1,000',
  keyval: 'idb-keyval',
  localForage: 'localForage',
  zustand: 'zustand persist, IndexedDB',
  zustandLocal: 'zustand persist, localStorage',
  tanstack: 'TanStack AI client, IndexedDB',
  assistant: 'assistant-ui, IndexedDB',
  parse: 'JSON.parse',
  stringify: 'JSON.stringify',
  firstDeltas: 'turnlog, the first 1,000',
};

const { dexie, idb, langchain, byHand, session, zod, barePut, theText, shorter, keyval, localForage, zustand, tanstack, assistant, parse, stringify, firstDeltas } = NAMES;
const KIB = 1024;
const WHOLE_LISTS = [keyval, localForage, zustand, tanstack, assistant];

/** "Not slower" than another: what is left for the clock. */
const NOT_SLOWER = 1;

const GOALS = [
  { id: 'append-entry', atMost: 1.1, of: [byHand] },
  { id: 'append-entry', atLeast: 2, of: [zod] },
  { id: 'append-event', atMost: 1.1, of: [byHand] },
  { id: 'append-event', atLeast: 8, of: [session] },
  { id: 'messages-cached', atLeast: 20, of: [session] },
  { id: 'bytes-to-body', size: 10_000, way: 'scanning', atLeast: 15 },
  { id: 'bytes-to-body', size: 10_000, way: 'with the saved index', atLeast: 30 },
  { id: 'cold-body', size: 10_000, atLeast: 10 },
  { id: 'next-body', size: 10_000, way: 'with a view', atLeast: 1_000 },
  { id: 'cut', size: 10_000, way: 'of a session', atLeast: 1_000, of: [langchain] },
  { id: 'cut', size: 10_000, way: 'of a session', atLeast: 40, of: [byHand] },
  { id: 'cut', size: 10_000, way: 'as a body', atLeast: 1_000, of: [langchain] },
  { id: 'cut', size: 10_000, way: 'as a body', atLeast: 40, of: [byHand] },
  { id: 'durable-append', way: 'cost', atMost: 1.5, of: [barePut] },
  { id: 'cold-tail', atLeast: NOT_SLOWER, of: [dexie, idb] },
  // Shorter lists are read whole in less time than a database takes to open.
  { id: 'cold-tail', size: 10_000, atLeast: 10, of: WHOLE_LISTS },
  { id: 'cold-tail', size: 50_000, atLeast: 10, of: WHOLE_LISTS },
  { id: 'import', way: 'rows', atLeast: 5 },
  { id: 'import', way: 'rows, again', atLeast: 5 },
  { id: 'duplicate', way: 'rows left', most: 1 },
  { id: 'two-pages', most: 0 },
  { id: 'stream-bytes', atMost: 1.5, of: [theText] },
  // Set by earlier versions of this table, and kept.
  { id: 'replay', atLeast: 5, of: [session] },
  { id: 'cold-load', atLeast: 5 },
  { id: 'session', atLeast: 1, of: [session] },
  { id: 'growth-append', atMost: 1.2, of: [shorter] },
  { id: 'growth-next-body', atMost: 1.2, of: [shorter] },
  { id: 'growth-durable', atMost: 1.2, of: [shorter] },
  // JSON.parse and JSON.stringify look at nothing but the grammar.
  { id: 'transcript-parse', atMost: 3, of: [parse] },
  { id: 'transcript-write', atMost: 3, of: [stringify] },
  { id: 'transcript-delta', atMost: 1.25, of: [firstDeltas] },
  { id: 'size-all', way: 'gzip', most: 75 * KIB },
  { id: 'size-history', way: 'gzip', most: 45 * KIB },
];

/** The goals of a row. */
export function goalsOf({ id, size, way }) {
  const isFor = (goal) => goal.id === id && [[goal.size, size], [goal.way, way]].every(([wanted, its]) => wanted === undefined || wanted === its);
  return GOALS.filter(isFor);
}

/** A goal in words: `≥ 8 × dsh-session`, where nothing is named that of the best peer. */
export function inWords({ atLeast, atMost, most, of }) {
  const names = of === undefined ? '' : ` × ${of.length > 2 ? 'the whole lists' : of.join(' and ')}`;
  if (most !== undefined) return `≤ ${most.toLocaleString('en')}`;
  return atLeast === undefined ? `≤ ${atMost}${names}` : `≥ ${atLeast.toLocaleString('en')}${names}`;
}
