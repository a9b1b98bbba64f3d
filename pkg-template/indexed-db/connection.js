// The connection to one database: opened when first needed, given up for a newer version of the
// package, opened again when the browser closed it.

import { StoreError, makeError } from '../glue.js';

/** The version of the database's layout. Data of a higher one is refused with `version_too_new`. */
const VERSION = 1;

export const CHUNKS = 'chunks';
export const HEADS = 'heads';

const codes = {
  QuotaExceededError: 'quota_exceeded',
  VersionError: 'version_too_new',
  InvalidStateError: 'closed',
  SecurityError: 'unavailable',
};

/** The store's error for something IndexedDB threw; anything else passes through. */
export function storeError(thrown) {
  if (!(thrown instanceof DOMException)) return thrown;
  return makeError(1, codes[thrown.name] ?? 'failed', thrown.message || thrown.name, undefined, thrown);
}

/** A request's result. Its handlers are attached when it is made. */
export function resultOf(request) {
  const result = new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  // When a transaction fails, all its requests do; the one that is awaited tells.
  result.catch(() => {});
  return result;
}

export class Connection {
  #name;
  #options;
  #database;
  #opening;
  #closed = false;

  constructor(name, durability) {
    this.#name = name;
    // Set explicitly: the default has changed before.
    this.#options = { durability };
  }

  /**
   * Runs `work` with a transaction over both stores. A reading transaction ends by itself; a writing
   * one resolves when it has completed, since nothing may be acknowledged before. `work` ends it
   * otherwise with `abort()`, and says so by giving false.
   *
   * A transaction that the browser gave up without a reason of its own (it closed the connection: site
   * data was cleared, say) has written nothing. It is run once more, on a new connection, so `work` must
   * bear being called again.
   */
  async run(mode, work) {
    try {
      return await this.#runOnce(mode, work).catch((error) => {
        if (this.#closed || error?.name !== 'AbortError') throw error;
        this.#letGo();
        return this.#runOnce(mode, work);
      });
    } catch (error) {
      throw storeError(error);
    }
  }

  async #runOnce(mode, work) {
    const transaction = await this.#begin(mode);
    const over = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new StoreError('failed', 'the database gave the transaction up'));
    });
    // Whoever fails first below tells; the transaction's end is not a second failure.
    over.catch(() => {});
    try {
      const result = await work(transaction.objectStore(CHUNKS), transaction.objectStore(HEADS), transaction);
      if (mode === 'readonly' || result === false) return result;
      // Asked for in the last request's success: browsers without it commit by themselves.
      transaction.commit?.();
      await over;
      return result;
    } catch (error) {
      // A failed transaction fails all its requests; its own error is the reason.
      const reason = transaction.error ?? error;
      abort(transaction);
      throw reason;
    }
  }

  close() {
    this.#closed = true;
    this.#letGo();
  }

  async #begin(mode) {
    const database = await this.#open();
    try {
      return database.transaction([CHUNKS, HEADS], mode, this.#options);
    } catch {
      // A transaction that did not start wrote nothing, so another try on a new connection is safe.
      this.#letGo();
      return (await this.#open()).transaction([CHUNKS, HEADS], mode, this.#options);
    }
  }

  #letGo() {
    this.#database?.close();
    this.#database = undefined;
  }

  async #open() {
    if (this.#closed) throw new StoreError('closed', 'the store was closed');
    if (this.#database !== undefined) return this.#database;
    this.#opening ??= this.#openAnew().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #openAnew() {
    if (globalThis.indexedDB === undefined) throw new StoreError('unavailable', 'there is no IndexedDB here');
    let database;
    try {
      const request = indexedDB.open(this.#name, VERSION);
      request.onupgradeneeded = () => {
        for (const name of [CHUNKS, HEADS]) request.result.createObjectStore(name);
      };
      database = await resultOf(request);
    } catch (error) {
      throw storeError(error);
    }
    if (![CHUNKS, HEADS].every((name) => database.objectStoreNames.contains(name))) {
      database.close();
      throw new StoreError('corrupt', `the database ${this.#name} belongs to something else`);
    }
    if (this.#closed) {
      database.close();
      throw new StoreError('closed', 'the store was closed');
    }
    const letGo = () => {
      database.close();
      if (this.#database === database) this.#database = undefined;
    };
    database.onversionchange = letGo;
    database.onclose = letGo;
    this.#database = database;
    return database;
  }
}

export function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    // It has ended already, which is what was asked for.
  }
}
