// turnlog's own store, behind what the peers have.

import { createEngine, createInMemoryStore, createIndexedDbStore } from '/pkg/index.js';

/** Milliseconds. An import of 200 MB is one transaction, which may take a busy machine more than the default of 10 s. */
const TIMEOUT = 120_000;

export class TurnlogStore {
  #name;
  #session;
  #store;

  constructor(name, session) {
    this.#name = name;
    this.#session = session;
  }

  async open() {
    this.#store = createIndexedDbStore({ name: this.#name, timeout: TIMEOUT });
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

  /** The body of a request with all of them. */
  async body() {
    const engine = createEngine({ planner: () => ({ userMessage: '' }), history: { store: this.#store } });
    const result = await engine.getLLMContextBytes(this.#session);
    if (!result.ok) throw result.error;
    return result.value;
  }

  response(id) {
    return this.#store.getResponseById(this.#session, id);
  }

  async all() {
    return this.#store.get(this.#session);
  }

  async count() {
    return (await this.all()).length;
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
