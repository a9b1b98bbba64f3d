// The least that a durable write can be: one value put in one transaction.

import { copyDatabase, resultOf } from '../database.mjs';

/** Behind every number that a session reaches. */
const FIRST = 1e9;

/** Writes into a copy of a turnlog database: the same stores, the same records. */
export class BarePut {
  #name;
  #session;
  #database;
  #next = FIRST;

  constructor(name, session) {
    this.#name = name;
    this.#session = session;
  }

  async open(original) {
    await copyDatabase(original, this.#name);
    this.#database = await resultOf(indexedDB.open(this.#name));
    return this;
  }

  close() {
    this.#database.close();
  }

  /** Resolves when the transaction has completed. `isCommitted`: `commit()` is called, without waiting for the put. */
  put(bytes, isCommitted) {
    return this.#write((chunks, transaction) => {
      chunks.put(bytes, [this.#session, this.#next++, 0]);
      if (isCommitted) transaction.commit();
    });
  }

  /** Takes away what was put. */
  reset() {
    return this.#write((chunks) => chunks.delete(IDBKeyRange.bound([this.#session, FIRST], [this.#session, Infinity])));
  }

  #write(work) {
    const transaction = this.#database.transaction('chunks', 'readwrite', { durability: 'relaxed' });
    return new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
      work(transaction.objectStore('chunks'), transaction);
    });
  }
}
