// Durable histories as libraries keep them: appends, look-ups, duplicates and imports.

import { ENTRIES, SESSION, makeEntries } from '../payload.mjs';
import { WARM_UP_ROUNDS, interleave, mustEqual } from '../measure.mjs';
import { exportOf } from '../peers/turnlog-store.mjs';
import { BY_ENTRY, LOCAL_STORAGE, WHOLE_LIST, closeAll, cold, each, fill, inputs, makers, openAll, short, untilTidy } from './stores.mjs';

const SIZES = [100, 1_000, 10_000, 100_000];
/** Longer lists do not fit into localStorage. */
const LOCAL_UP_TO = 1_000;
/** Of longer lists every append would write hundreds of megabytes. */
const LISTS_UP_TO = 10_000;
/** Sessions up to this size are set anew before each sample, since the appends would make them much longer. */
const RESET_UP_TO = 1_000;
/** Appends in one sample: as many as turnlog's small chunks, which are packed once in that time. */
const WRITES = 64;
/** Where one operation takes seconds, this many samples are enough. */
const SHARE_OF_SLOW = 1 / 3;

const databaseOf = (size) => (name) => `bench-${name}-${size}`;

function listsFor(size) {
  return size > LISTS_UP_TO ? [] : [...Object.keys(WHOLE_LIST), ...(size > LOCAL_UP_TO ? [] : [LOCAL_STORAGE])];
}

function namesFor(size) {
  return [...Object.keys(BY_ENTRY), ...listsFor(size)];
}

/** A sample of what takes long need not be many. */
function writesOf(name, size) {
  if (name in BY_ENTRY) return WRITES;
  return size > RESET_UP_TO ? 1 : 4;
}

export async function storageRows({ rounds }) {
  const all = makeEntries(SIZES.at(-1));
  const inputOf = new Map();
  for (const size of SIZES) {
    const entries = all.slice(0, size);
    inputOf.set(size, inputs(entries, await exportOf(SESSION, entries)));
    await fill(databaseOf(size), namesFor(size), size, inputOf.get(size));
  }
  await untilTidy();
  const rows = [];
  // What only reads comes first: appending makes the sessions longer, each one's by another number.
  for (const size of [1_000, 10_000]) rows.push(await lookUps(size, all[size / 2], rounds));
  rows.push(await duplicates(1_000, all, rounds));
  for (const size of SIZES) {
    const what = `durable append of one entry to ${short(size)}`;
    const appendsTo = (way, title, names) => appends(way, title, { size, names, inputFor: inputOf.get(size), rounds });
    rows.push(await appendsTo('rows', `${what}, beside rows`, Object.keys(BY_ENTRY)));
    const lists = listsFor(size);
    // Apart, since one that writes megabytes leaves work behind for the next.
    if (lists.length > 0) rows.push(await appendsTo('whole lists', `${what}, beside whole lists`, ['turnlog', ...lists]));
  }
  return [...rows, ...(await imports(ENTRIES, inputOf.get(ENTRIES), rounds))];
}

async function appends(way, what, { size, names, inputFor, rounds }) {
  // Entries of another seed are other entries.
  const seed = names.includes('Dexie') ? 2 : 3;
  const peers = await openAll(databaseOf(size), names);
  const more = makeEntries(WRITES * (rounds + WARM_UP_ROUNDS), seed);
  const candidate = (name) => {
    const peer = peers[name];
    const writes = writesOf(name, size);
    let written = 0;
    return {
      operations: writes,
      prepare: async () => {
        if (size > RESET_UP_TO) return;
        await peer.clear();
        await peer.addAll(inputFor(name));
      },
      run: async () => {
        for (let count = 0; count < writes; count++) {
          if ((await peer.append(more[written++])) !== 'inserted') throw new Error(`${name} did not append`);
        }
      },
    };
  };
  const values = await interleave(each(names, candidate), { rounds });
  await closeAll(peers);
  const note = await leftOut(size, names);
  return { id: 'durable-append', size, way, what, values, ...(note !== undefined && { note }) };
}

/** Why some are missing at this size, where some are. */
async function leftOut(size, names) {
  if (size > LISTS_UP_TO) {
    return `At ${short(size)} entries the libraries that write the whole list are left out: each append writes all of it.`;
  }
  if (size <= LOCAL_UP_TO || !names.some((name) => name in WHOLE_LIST)) return undefined;
  const peer = await makers[LOCAL_STORAGE]('bench-too-much').open();
  try {
    await peer.addAll(makeEntries(size));
  } catch (error) {
    if (error.name !== 'QuotaExceededError') throw error;
    return `${short(size)} entries do not fit into localStorage: zustand persist throws QuotaExceededError.`;
  } finally {
    localStorage.removeItem('bench-too-much');
  }
  throw new Error(`${size} entries fit into localStorage after all`);
}

async function lookUps(size, { input: { id } }, rounds) {
  const what = `open ${short(size)} entries, read one response by its id`;
  const values = await cold(databaseOf(size), namesFor(size), what, (peer) => peer.response(id), { rounds });
  return { id: 'cold-look-up', size, what, values };
}

async function duplicates(size, all, rounds) {
  const peers = await openAll(databaseOf(size), namesFor(size));
  const before = await counts(peers);
  const candidate = (name) => ({
    operations: writesOf(name, size),
    run: async () => {
      for (let count = 0; count < writesOf(name, size); count++) {
        if ((await peers[name].append(all[count])) !== 'deduped') throw new Error(`${name} appended it`);
      }
    },
  });
  const values = await interleave(each(Object.keys(peers), candidate), { rounds });
  mustEqual(await counts(peers), before, 'entries after appending what is there');
  await closeAll(peers);
  const note =
    'An id that is there is looked for in the database by turnlog, Dexie, idb, idb-keyval and localForage; ' +
    'by zustand, the TanStack AI client and assistant-ui only in what their own tab has in memory.';
  return { id: 'duplicate', size, way: 'time', what: `durable append of an id that is there, to ${short(size)}: none is added`, values, note };
}

async function counts(peers) {
  const found = {};
  for (const [name, peer] of Object.entries(peers)) found[name] = await peer.count();
  return found;
}

async function imports(size, inputFor, rounds) {
  const options = { rounds: Math.ceil(rounds * SHARE_OF_SLOW), warmUp: 1 };
  const ways = { rows: Object.keys(BY_ENTRY), 'whole lists': ['turnlog', ...listsFor(size)] };
  const rows = [];
  for (const [way, names] of Object.entries(ways)) {
    const what = `import of ${short(size)} entries, beside ${way}`;
    rows.push({ id: 'import', size, way, what, values: await firstImports(names, size, inputFor, options) });
    const values = await importsAgain(names, size, inputFor, options);
    rows.push({ id: 'import', size, way: `${way}, again`, what: `${what}, when they are there: none is added`, values });
  }
  rows[0].note =
    'Imports: turnlog reads an export, which is text; the others are given objects that are in memory already. A whole list is one write of ' +
    'one value, and no row of it can be read by itself.';
  return rows;
}

async function firstImports(names, size, inputFor, options) {
  let fresh = 0;
  const candidate = (name) => ({
    prepare: async () => {
      const database = `bench-import-${fresh++}`;
      return { database, peer: await makers[name](database).open() };
    },
    run: ({ peer }) => peer.addAll(inputFor(name)),
    discard: async ({ database, peer }) => {
      mustEqual(await peer.count(), size, `entries imported by ${name}`);
      await peer.close();
      indexedDB.deleteDatabase(database);
    },
  });
  return interleave(each(names, candidate), options);
}

async function importsAgain(names, size, inputFor, options) {
  const peers = await openAll((name) => `bench-import-${name}`, names);
  for (const name of names) await peers[name].addAll(inputFor(name));
  const values = await interleave(each(names, (name) => ({ run: () => peers[name].addAll(inputFor(name)) })), options);
  const after = await counts(peers);
  for (const name of names) mustEqual(after[name], size, `entries in ${name} after importing them twice`);
  await closeAll(peers);
  return values;
}
