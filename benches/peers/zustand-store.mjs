// zustand's persist middleware: the whole state is written as one JSON text on every change.

import * as keyval from '/node_modules/idb-keyval/dist/index.js';
import { createJSONStorage, persist } from '/node_modules/zustand/esm/middleware.mjs';
import { createStore } from '/node_modules/zustand/esm/vanilla.mjs';
import { withAll } from './whole-list-stores.mjs';

/** With a storage in IndexedDB as its documentation makes one, or with its default, localStorage. */
export class ZustandStore {
  #name;
  #session;
  #isLocal;
  #store;
  #use;

  constructor(name, session, { isLocal = false } = {}) {
    this.#name = name;
    this.#session = session;
    this.#isLocal = isLocal;
  }

  async open() {
    const storage = this.#isLocal ? undefined : createJSONStorage(() => this.#inIndexedDb());
    const state = (set, get) => ({
      sessions: {},
      append: (session, entry) => {
        const list = get().sessions[session] ?? [];
        if (list.some((known) => known.input.id === entry.input.id)) return undefined;
        return set(({ sessions }) => ({ sessions: { ...sessions, [session]: [...list, entry] } }));
      },
      setAll: (session, list) => set(({ sessions }) => ({ sessions: { ...sessions, [session]: list } })),
    });
    this.#store = createStore(persist(state, { name: this.#name, ...(storage && { storage }) }));
    if (!this.#store.persist.hasHydrated()) await new Promise((done) => this.#store.persist.onFinishHydration(done));
    return this;
  }

  close() {
    return this.#use?.('readonly', (store) => store.transaction.db.close());
  }

  async append(entry) {
    const before = this.#list.length;
    await this.#store.getState().append(this.#session, entry);
    return this.#list.length > before ? 'inserted' : 'deduped';
  }

  async addAll(entries) {
    await this.#store.getState().setAll(this.#session, withAll(this.#list, entries));
  }

  async tail(count) {
    return this.#list.slice(-count);
  }

  async all() {
    return this.#list;
  }

  async response(id) {
    return this.#list.find((entry) => entry.input.id === id)?.output;
  }

  async count() {
    return this.#list.length;
  }

  async clear() {
    await this.#store.getState().setAll(this.#session, []);
  }

  get #list() {
    return this.#store.getState().sessions[this.#session] ?? [];
  }

  #inIndexedDb() {
    this.#use = keyval.createStore(this.#name, 'states');
    return {
      getItem: async (name) => (await keyval.get(name, this.#use)) ?? null,
      setItem: (name, text) => keyval.set(name, text, this.#use),
      removeItem: (name) => keyval.del(name, this.#use),
    };
  }
}
