// turnlog's own store, behind what the peers have.

import { createInMemoryStore, createIndexedDbStore } from '/pkg/index.js';

export class TurnlogStore {
  #name;
  #session;
  #store;

  constructor(name, session) {
    this.#name = name;
    this.#session = session;
  }

  async open() {
    this.#store = createIndexedDbStore({ name: this.#name });
    return this;
  }

  close() {
    return this.#store.close();
  }

  append(entry) {
    return this.#store.append(this.#session, entry);
  }

  /** What `exportOf` made. */
  addAll(bytes) {
    return this.#store.importSession(bytes);
  }

  tail(count) {
    return this.#store.tail(this.#session, count);
  }

  response(id) {
    return this.#store.getResponseById(this.#session, id);
  }

  async count() {
    return (await this.#store.get(this.#session)).length;
  }

  clear() {
    return this.#store.clear(this.#session);
  }

  replace(entries) {
    return this.#store.replace(this.#session, entries);
  }
}

/** Entries as turnlog exports them: the form in which many come in at once. */
export async function exportOf(session, entries) {
  const store = createInMemoryStore();
  for (const entry of entries) await store.append(session, entry);
  return store.exportSession(session);
}
