// Durable histories as other libraries keep them. Each does the same job: an id that is there is not added again,
// the order is kept, and what a call has answered is durable.

import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { SESSION } from '../payload.mjs';
import { AssistantStore } from '../peers/assistant-store.mjs';
import { DexieStore, IdbStore } from '../peers/table-stores.mjs';
import { TurnlogStore } from '../peers/turnlog-store.mjs';
import { KeyvalStore, LocalForageStore, TanStackStore } from '../peers/whole-list-stores.mjs';
import { ZustandStore } from '../peers/zustand-store.mjs';

/** A row an entry, or turnlog's chunks: an append costs the same at any length. */
export const BY_ENTRY = {
  turnlog: (name) => new TurnlogStore(name, SESSION),
  [NAMES.dexie]: (name) => new DexieStore(name, SESSION),
  [NAMES.idb]: (name) => new IdbStore(name, SESSION),
};
/** The whole list in one value. */
export const WHOLE_LIST = {
  [NAMES.keyval]: (name) => new KeyvalStore(name, SESSION),
  [NAMES.localForage]: (name) => new LocalForageStore(name, SESSION),
  [NAMES.zustand]: (name) => new ZustandStore(name, SESSION),
  [NAMES.tanstack]: (name) => new TanStackStore(name, SESSION),
  [NAMES.assistant]: (name) => new AssistantStore(name, SESSION),
};
export const LOCAL_STORAGE = NAMES.zustandLocal;
export const makers = {
  ...BY_ENTRY,
  ...WHOLE_LIST,
  [LOCAL_STORAGE]: (name) => new ZustandStore(name, SESSION, { isLocal: true }),
};

export const short = (number) => number.toLocaleString('en');
export const each = (names, candidate) => Object.fromEntries(names.map((name) => [name, candidate(name)]));

/** What `addAll` takes: turnlog's own exports, or objects. */
export function inputs(entries, exported) {
  return (name) => (name === 'turnlog' ? exported : entries);
}

/** Makes a database for each of the peers. */
export async function fill(databaseOf, names, size, inputFor) {
  for (const [name, peer] of Object.entries(await openAll(databaseOf, names))) {
    await peer.addAll(inputFor(name));
    mustEqual(await peer.count(), size, `entries in ${name}`);
    await peer.close();
  }
}

/** The browser tidies its files for a while after so many writes, at the cost of whoever comes next. */
export const untilTidy = () => new Promise((resolve) => setTimeout(resolve, 3000));

export async function openAll(databaseOf, names) {
  const peers = {};
  for (const name of names) peers[name] = await makers[name](databaseOf(name)).open();
  return peers;
}

export async function closeAll(peers) {
  for (const peer of Object.values(peers)) await peer.close();
}

/** Opens each peer anew, and does one thing with it that must come to the same, as `seen` tells. */
export async function cold(databaseOf, names, what, work, options, seen = (found) => found) {
  const open = (name) => makers[name](databaseOf(name));
  let expected;
  for (const name of names) {
    const peer = await open(name).open();
    const found = seen(await work(peer));
    expected ??= found;
    mustEqual(expected, found, `${what}: ${name}`);
    await peer.close();
  }
  const candidate = (name) => ({
    prepare: () => open(name),
    run: async (peer) => work(await peer.open()),
    discard: (peer) => peer.close(),
  });
  return interleave(each(names, candidate), options);
}
