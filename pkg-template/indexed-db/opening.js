// Opens the database: makes or upgrades it, leaves what is not ours alone, and tells an evicted one from a new one.

import { StoreError } from '../glue.js';
import { VERSION, isOurs, upgrade } from './migrations/index.js';
import { resultOf } from './requests.js';
import { openError } from './store-error.js';

export const CHUNKS = 'chunks';
export const HEADS = 'heads';
export const SIDE = 'side';
export const LOGS = 'logs';
export const EVENTS = 'events';

/** Failures of an open that may be over a moment later: the browser was busy, or closed the database meanwhile. */
const PASSING = ['UnknownError', 'AbortError', 'TimeoutError'];
const TRIES = 3;
const PAUSE_MS = 50;

/**
 * The open database. `blocked` is called when another tab is in the way of an upgrade; `lost` when the database is
 * made anew, for what is known of an earlier one, to be kept in it.
 */
export async function open(name, { blocked, lost }) {
  for (let tries = 1; ; tries++) {
    try {
      if (globalThis.indexedDB === undefined) throw new StoreError('unavailable', 'there is no IndexedDB here');
      const database = await request(name, blocked, lost);
      if (isOurs(database.objectStoreNames, VERSION)) return database;
      const isEmpty = database.objectStoreNames.length === 0;
      database.close();
      if (!isEmpty || tries === TRIES) throw foreign(name);
      // Nothing is in it, not even a store: it is made anew.
      await resultOf(indexedDB.deleteDatabase(name));
    } catch (error) {
      if (tries === TRIES || !PASSING.includes(error?.name)) throw openError(error);
      await new Promise((resolve) => setTimeout(resolve, tries * PAUSE_MS));
    }
  }
}

async function request(name, blocked, lost) {
  const request = indexedDB.open(name, VERSION);
  let refusal;
  request.onblocked = blocked;
  request.onupgradeneeded = ({ oldVersion }) => {
    const { result: database, transaction } = request;
    const names = database.objectStoreNames;
    if (names.length > 0 && !isOurs(names, oldVersion)) {
      refusal = foreign(name);
      return transaction.abort();
    }
    upgrade(database, transaction, names.length > 0 ? oldVersion : 0);
    const note = names.length > 0 || oldVersion > 0 ? undefined : lost();
    if (note !== undefined) transaction.objectStore(SIDE).put(note, ['meta', 'lost']);
  };
  return resultOf(request).catch((error) => {
    throw refusal ?? error;
  });
}

function foreign(name) {
  return new StoreError('corrupt', `the database ${name} belongs to something else`);
}

/** Whether an older version of the database is there, so that opening it means upgrading it. */
export async function isOlder(name) {
  const databases = (await indexedDB.databases?.()) ?? [];
  return databases.some((database) => database.name === name && database.version < VERSION);
}
