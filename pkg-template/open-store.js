// Opens the best store that works here, and moves what an earlier, lesser one kept into it.

import { core } from './core.js';
import { readOptions, refuse } from './options.js';
import { createIndexedDbStore, createInMemoryStore } from './stores.js';
import { Driver } from './local-storage/driver.js';
import { occupy, unlessOccupied } from './local-storage/section.js';
import { localStorageStore } from './local-storage/store.js';

const KINDS = ['indexeddb', 'localstorage', 'memory'];

/** With any other, data may be there that a lesser store would not show: an empty history that is none. */
const GIVE_WAY = ['unavailable', 'failed', 'quota_exceeded'];

/** What a tab holds as long as it keeps sessions in localStorage, so that nobody moves them away under it. */
const lockOf = (name) => `turnlog in use/${name}`;

export async function openStore(options) {
  const read = readOptions(options, ['name', 'prefer', 'durability', 'timeout', 'onChange']);
  const { name = 'turnlog', prefer = KINDS[0], durability, timeout, onChange } = read;
  const first = KINDS.indexOf(prefer);
  if (first < 0) refuse('prefer', `must be one of ${KINDS.join(', ')}`);
  // Made whatever is preferred, since that checks the options; it opens nothing yet.
  const database = createIndexedDbStore({ name, durability, timeout, onChange });
  if (first > 0) await database.close();
  let reason;
  for (const open of [() => openDatabase(database, name), () => openLocalStorage(name, onChange)].slice(first)) {
    try {
      return Object.assign(await open(), { reason });
    } catch (error) {
      if (!GIVE_WAY.includes(error.code)) throw error;
      reason ??= error;
    }
  }
  const memory = createInMemoryStore();
  if (onChange !== undefined) memory.subscribe(onChange);
  return Object.assign(memory, { reason });
}

async function openDatabase(store, name) {
  try {
    // It opens at the first call.
    await store.has('turnlog', 'turnlog');
  } catch (error) {
    await store.close();
    throw error;
  }
  return Object.assign(store, { migrated: await moveIn(name) });
}

async function openLocalStorage(name, onChange) {
  const { store, driver } = localStorageStore(name, onChange);
  try {
    await driver.probe();
  } catch (error) {
    await store.close();
    throw error;
  }
  driver.whenClosed = occupy(lockOf(name));
  return store;
}

/** Moves the sessions that localStorage holds into the database; what fails is left for the next time. */
async function moveIn(name) {
  const migrated = { sessions: 0, entries: 0 };
  try {
    await unlessOccupied(lockOf(name), () => moveSessions(name, migrated));
  } catch (error) {
    migrated.error = error;
  }
  return migrated;
}

async function moveSessions(name, migrated) {
  const from = new Driver(name, new (core().RawStore)());
  const ids = await from.idsToMove();
  if (ids.length === 0) return;
  // What is deleted here must not be lost in a power cut there.
  const to = createIndexedDbStore({ name, durability: 'strict' });
  try {
    for (const id of ids) {
      migrated.entries += await from.moveOut(id, (lines) => to.importSession(lines));
      migrated.sessions++;
    }
  } finally {
    await to.close();
  }
}
