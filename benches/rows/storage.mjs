// Durable histories as other libraries keep them. Each does the same job: an id that is there is not added again,
// the order is kept, and what a call has answered is durable.

import { ENTRIES, SESSION, makeEntries } from '../payload.mjs';
import { WARM_UP_ROUNDS, interleave, mustEqual } from '../measure.mjs';
import { DexieStore, IdbStore } from '../peers/table-stores.mjs';
import { TurnlogStore, exportOf } from '../peers/turnlog-store.mjs';
import { KeyvalStore, LocalForageStore, TanStackStore } from '../peers/whole-list-stores.mjs';
import { ZustandStore } from '../peers/zustand-store.mjs';

/** A row an entry, or turnlog's chunks: an append costs the same at any length. */
const BY_ENTRY = {
  turnlog: (name) => new TurnlogStore(name, SESSION),
  Dexie: (name) => new DexieStore(name, SESSION),
  idb: (name) => new IdbStore(name, SESSION),
};
/** The whole list in one value. */
const WHOLE_LIST = {
  'idb-keyval': (name) => new KeyvalStore(name, SESSION),
  localForage: (name) => new LocalForageStore(name, SESSION),
  'zustand persist, IndexedDB': (name) => new ZustandStore(name, SESSION),
  'TanStack AI client, IndexedDB': (name) => new TanStackStore(name, SESSION),
};
const LOCAL_STORAGE = 'zustand persist, localStorage';
const makers = {
  ...BY_ENTRY,
  ...WHOLE_LIST,
  [LOCAL_STORAGE]: (name) => new ZustandStore(name, SESSION, { isLocal: true }),
};
const SIZES = [100, 1_000, 10_000, 100_000];
/** Longer lists do not fit into localStorage. */
const LOCAL_UP_TO = 1_000;
/** Of longer lists every append would write 70 MB. */
const LISTS_UP_TO = 10_000;
/** Sessions up to this size are set anew before each sample, since the appends would make them much longer. */
const RESET_UP_TO = 1_000;
/** Appends in one sample: as many as turnlog's small chunks, which are packed once in that time. */
const WRITES = 64;
const TAIL = 50;
/** Where one operation takes seconds, this many samples are enough. */
const SHARE_OF_SLOW = 1 / 3;

const short = (number) => number.toLocaleString('en');
const databaseOf = (name, size) => `bench-${name}-${size}`;
const each = (names, candidate) => Object.fromEntries(names.map((name) => [name, candidate(name)]));

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

/** What `addAll` takes: turnlog's own exports, or objects. */
function inputs(entries, exported) {
  return (name) => (name === 'turnlog' ? exported : entries);
}

export async function storageRows({ rounds }) {
  const all = makeEntries(SIZES.at(-1));
  const inputOf = new Map();
  for (const size of SIZES) {
    const entries = all.slice(0, size);
    inputOf.set(size, inputs(entries, await exportOf(SESSION, entries)));
  }
  await fill(inputOf);
  const rows = [];
  // What only reads comes first: appending makes the sessions longer, each one's by another number.
  for (const size of [1_000, 10_000]) rows.push(await tails(size, rounds));
  for (const size of [1_000, 10_000]) rows.push(await lookUps(size, all[size / 2], rounds));
  rows.push(await duplicates(1_000, all, rounds));
  for (const size of SIZES) {
    const what = `append of one entry to ${short(size)}, durable`;
    const appendsTo = (title, names) => appends(title, { size, names, inputFor: inputOf.get(size), rounds });
    rows.push(await appendsTo(what, Object.keys(BY_ENTRY)));
    const lists = listsFor(size);
    // Apart, since one that writes megabytes leaves work behind for the next.
    if (lists.length > 0) rows.push(await appendsTo(`${what}, against whole lists`, ['turnlog', ...lists]));
  }
  return [...rows, ...(await imports(ENTRIES, inputOf.get(ENTRIES), rounds))];
}

/** Makes a database for each size and peer. */
async function fill(inputOf) {
  for (const size of SIZES) {
    for (const [name, peer] of Object.entries(await openAll(size))) {
      await peer.addAll(inputOf.get(size)(name));
      mustEqual(await peer.count(), size, `entries in ${name}`);
      await peer.close();
    }
  }
  // The browser tidies its files for a while after so many writes, at the cost of whoever comes next.
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

async function openAll(size, names = namesFor(size)) {
  const peers = {};
  for (const name of names) peers[name] = await makers[name](databaseOf(name, size)).open();
  return peers;
}

async function closeAll(peers) {
  for (const peer of Object.values(peers)) await peer.close();
}

async function appends(what, { size, names, inputFor, rounds }) {
  // Entries of another seed are other entries.
  const seed = names.includes('Dexie') ? 2 : 3;
  const peers = await openAll(size, names);
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
  const times = await interleave(each(names, candidate), { rounds });
  await closeAll(peers);
  const note = await leftOut(size, names);
  return { what, times, ...(note !== undefined && { note }) };
}

/** Why some are missing at this size, where some are. */
async function leftOut(size, names) {
  if (size > LISTS_UP_TO) {
    return `At ${short(size)} entries the libraries that write the whole list are left out: each append is 70 MB.`;
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

/** Opens a peer of this size anew, and does one thing with it. */
async function cold(size, rounds, what, work) {
  const open = (name) => makers[name](databaseOf(name, size));
  const names = namesFor(size);
  let expected;
  for (const name of names) {
    const peer = await open(name).open();
    const found = await work(peer);
    expected ??= found;
    mustEqual(expected, found, `${what}: ${name}`);
    await peer.close();
  }
  const candidate = (name) => ({
    prepare: () => open(name),
    run: async (peer) => work(await peer.open()),
    discard: (peer) => peer.close(),
  });
  return { what, times: await interleave(each(names, candidate), { rounds }) };
}

function tails(size, rounds) {
  return cold(size, rounds, `open ${short(size)} entries, read the newest ${TAIL}`, (peer) => peer.tail(TAIL));
}

function lookUps(size, { input: { id } }, rounds) {
  return cold(size, rounds, `open ${short(size)} entries, read one response by its id`, (peer) => peer.response(id));
}

async function duplicates(size, all, rounds) {
  const peers = await openAll(size);
  const before = await counts(peers);
  const candidate = (name) => ({
    operations: writesOf(name, size),
    run: async () => {
      for (let count = 0; count < writesOf(name, size); count++) {
        if ((await peers[name].append(all[count])) !== 'deduped') throw new Error(`${name} appended it`);
      }
    },
  });
  const times = await interleave(each(Object.keys(peers), candidate), { rounds });
  mustEqual(await counts(peers), before, 'entries after appending what is there');
  await closeAll(peers);
  const note =
    'An id that is there is looked for in the database by turnlog, Dexie, idb, idb-keyval and localForage; ' +
    'by zustand and the TanStack AI client only in what their own tab has in memory.';
  return { what: `append of an id that is there, to ${short(size)}: none is added`, times, note };
}

async function counts(peers) {
  const found = {};
  for (const [name, peer] of Object.entries(peers)) found[name] = await peer.count();
  return found;
}

async function imports(size, inputFor, rounds) {
  const names = namesFor(size);
  const options = { rounds: Math.ceil(rounds * SHARE_OF_SLOW), warmUp: 1 };
  let fresh = 0;
  const first = (name) => ({
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
  const once = await interleave(each(names, first), options);
  const peers = {};
  for (const name of names) {
    peers[name] = await makers[name](`bench-import-${name}`).open();
    await peers[name].addAll(inputFor(name));
  }
  const second = (name) => ({ run: () => peers[name].addAll(inputFor(name)) });
  const again = await interleave(each(names, second), options);
  const after = await counts(peers);
  for (const name of names) mustEqual(after[name], size, `entries in ${name} after importing them twice`);
  await closeAll(peers);
  return [
    { what: `import of ${short(size)} entries`, times: once },
    { what: `import of the same ${short(size)} again: none is added`, times: again },
  ];
}
