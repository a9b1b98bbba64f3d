// What tests do to a page's database and to its browser's functions: whole databases taken and put back, values
// damaged, transactions held open, calls that fail. For pages and workers.
import { openDatabase } from './database.mjs';

const NAMES = ['chunks', 'heads', 'side', 'logs', 'events'];

function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Runs `work({ chunks, heads, side })` in one writing transaction; resolves when it is durable. */
export async function change(name, work) {
  const database = await openDatabase(name);
  try {
    const names = NAMES.filter((store) => database.objectStoreNames.contains(store));
    const transaction = database.transaction(names, 'readwrite', { durability: 'strict' });
    const over = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    await work(Object.fromEntries(names.map((store) => [store, transaction.objectStore(store)])), resultOf);
    await over;
  } finally {
    database.close();
  }
}

/** The keys of one session's rows, in any of the stores. */
export const rowsOf = (id) => IDBKeyRange.bound([id], [id, []]);

/** All keys and values of a database, as they are. */
export async function capture(name) {
  const database = await openDatabase(name);
  try {
    const content = {};
    for (const store of database.objectStoreNames) {
      const records = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([resultOf(records.getAllKeys()), resultOf(records.getAll())]);
      content[store] = keys.map((key, index) => [key, values[index]]);
    }
    return content;
  } finally {
    database.close();
  }
}

/** Puts back what `capture` took, and nothing else is there afterwards. */
export function restore(name, content) {
  return change(name, (stores) => {
    for (const [store, records] of Object.entries(content)) {
      stores[store].clear();
      for (const [key, value] of records) stores[store].put(value, key);
    }
  });
}

/**
 * Makes a database of an earlier version by hand: `stores` are the names of its object stores, `content` is what
 * `capture` took.
 */
export async function build(name, version, content) {
  const database = await openDatabase(name, version, (fresh) => {
    for (const [store, records] of Object.entries(content)) {
      const records_ = fresh.createObjectStore(store);
      for (const [key, value] of records) records_.put(value, key);
    }
  });
  database.close();
}

/** `capture`d content as JSON, and back: bytes as base64. */
export function toJson(content) {
  return Object.fromEntries(Object.entries(content).map(([store, records]) => [store, records.map(([key, value]) => [
    key, value instanceof Uint8Array ? { base64: btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')) } : { json: value },
  ])]));
}

export function ofJson(content) {
  return Object.fromEntries(Object.entries(content).map(([store, records]) => [store, records.map(([key, { base64, json }]) => [
    key, base64 === undefined ? json : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
  ])]));
}

/** Keeps a transaction over the whole database open, as a page that is frozen in a write does, until `release()`. */
export async function hold(name) {
  const database = await openDatabase(name);
  const transaction = database.transaction(NAMES, 'readwrite');
  const over = new Promise((resolve) => {
    transaction.oncomplete = resolve;
    transaction.onabort = resolve;
  });
  return keepOpen(transaction, async () => {
    await over;
    database.close();
  });
}

/** Asks the transaction one thing after another until the function it gives is called. */
function keepOpen(transaction, then) {
  let held = true;
  let started;
  const begun = new Promise((resolve) => (started = resolve));
  const again = () => {
    started();
    if (held) transaction.objectStore(transaction.objectStoreNames[0]).count().onsuccess = again;
  };
  again();
  return begun.then(() => ({
    release() {
      held = false;
      return then();
    },
  }));
}

/** Keeps every upgrade of a database that this page does open until `globalThis.release()`. */
export function holdUpgrades() {
  const original = IDBDatabase.prototype.createObjectStore;
  IDBDatabase.prototype.createObjectStore = function createObjectStore(...args) {
    const store = original.apply(this, args);
    let held = true;
    globalThis.isHeld = true;
    globalThis.release = () => (held = false);
    const again = () => {
      if (held) store.count().onsuccess = again;
    };
    again();
    return store;
  };
}

/** A stored value, or what is told of a damaged one, as a short text that can be compared. */
export function digest(value) {
  const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value));
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return `${bytes.length} bytes ${hash.toString(16)}`;
}

/** The values of the chunk that the value at `key` is a part of, each as `digest` gives it. */
export async function digestsOfChunk(name, [session, last]) {
  const { chunks } = await capture(name);
  return chunks.filter(([[owner, seq]]) => owner === session && seq === last).map(([, value]) => digest(value));
}
