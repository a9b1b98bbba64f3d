// One row an entry: the usual way to keep a list in IndexedDB. Keys are [session, number].

import { resultOf } from '../database.mjs';

const ROWS = 'rows';

export class RowStore {
  #name;
  #database;

  constructor(name) {
    this.#name = name;
  }

  async open() {
    const request = indexedDB.open(this.#name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(ROWS);
    this.#database = await resultOf(request);
    return this;
  }

  close() {
    this.#database.close();
  }

  putAll(session, entries) {
    return this.#write((rows) => entries.forEach((entry, number) => rows.put(entry, [session, number])));
  }

  getAll(session) {
    return resultOf(this.#rows('readonly').getAll(wholeSession(session)));
  }

  /** The newest `count` entries, oldest first. */
  async tail(session, count) {
    const rows = this.#rows('readonly');
    const newest = await resultOf(rows.openKeyCursor(wholeSession(session), 'prev'));
    if (newest === null) return [];
    const [, number] = newest.key;
    return resultOf(rows.getAll(IDBKeyRange.bound([session, number - count + 1], [session, number])));
  }

  #rows(mode) {
    return this.#database.transaction(ROWS, mode, { durability: 'relaxed' }).objectStore(ROWS);
  }

  #write(work) {
    const rows = this.#rows('readwrite');
    return new Promise((resolve, reject) => {
      rows.transaction.oncomplete = resolve;
      rows.transaction.onabort = () => reject(rows.transaction.error);
      work(rows);
      rows.transaction.commit();
    });
  }
}

function wholeSession(session) {
  return IDBKeyRange.bound([session, 0], [session, Infinity]);
}
