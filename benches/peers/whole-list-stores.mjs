// The whole list in one value, which is what a key-value interface leads to: each append reads or holds all of it
// and writes all of it. Every one of them looks for the id before it adds.

import * as keyval from '/node_modules/idb-keyval/dist/index.js';
import '/node_modules/localforage/dist/localforage.js';
import { indexedDBPersistence } from '/node_modules/@tanstack/ai-client/dist/esm/storage-adapters.js';

const { localforage } = globalThis;
const OBJECT_STORE = 'lists';

const isKnown = (list, id) => list.some((entry) => entry.input.id === id);

/** The list with those of `entries` that it does not hold. */
export function withAll(list, entries) {
  const known = new Set(list.map((entry) => entry.input.id));
  return [...list, ...entries.filter((entry) => !known.has(entry.input.id))];
}

/** What all of these do alike. A subclass has `get()` and `set(list)`. */
class WholeListStore {
  constructor(name, session) {
    this.name = name;
    this.session = session;
  }

  async append(entry) {
    const list = await this.get();
    if (isKnown(list, entry.input.id)) return 'deduped';
    await this.set([...list, entry]);
    return 'inserted';
  }

  async addAll(entries) {
    await this.set(withAll(await this.get(), entries));
  }

  async tail(count) {
    return (await this.get()).slice(-count);
  }

  all() {
    return this.get();
  }

  async response(id) {
    return (await this.get()).find((entry) => entry.input.id === id)?.output;
  }

  async count() {
    return (await this.get()).length;
  }

  clear() {
    return this.set([]);
  }
}

/** idb-keyval with `update`, which reads and writes in one transaction. */
export class KeyvalStore extends WholeListStore {
  async open() {
    this.use = keyval.createStore(this.name, OBJECT_STORE);
    return this;
  }

  close() {
    return this.use('readonly', (store) => store.transaction.db.close());
  }

  async append(entry) {
    let outcome = 'deduped';
    await keyval.update(this.session, (list = []) => {
      if (isKnown(list, entry.input.id)) return list;
      outcome = 'inserted';
      return [...list, entry];
    }, this.use);
    return outcome;
  }

  addAll(entries) {
    return keyval.update(this.session, (list = []) => withAll(list, entries), this.use);
  }

  async get() {
    return (await keyval.get(this.session, this.use)) ?? [];
  }

  set(list) {
    return keyval.set(this.session, list, this.use);
  }
}

/** localForage keeps the connection of a name for good, so only the first of its opens is a cold one. */
export class LocalForageStore extends WholeListStore {
  async open() {
    const driver = localforage.INDEXEDDB;
    this.instance = localforage.createInstance({ name: this.name, storeName: OBJECT_STORE, driver });
    await this.instance.ready();
    return this;
  }

  close() {}

  async get() {
    return (await this.instance.getItem(this.session)) ?? [];
  }

  set(list) {
    return this.instance.setItem(this.session, list);
  }
}

/**
 * The adapter that TanStack AI's client is given as `persistence`. The client holds the messages, and hands all
 * of them to `setItem` on every change. An entry rides in a message's metadata.
 */
export class TanStackStore extends WholeListStore {
  async open() {
    this.adapter = indexedDBPersistence({ databaseName: this.name });
    this.messages = undefined;
    return this;
  }

  close() {}

  async get() {
    this.messages ??= (await this.adapter.getItem(this.session))?.messages ?? [];
    return this.messages.map(({ metadata }) => metadata.entry);
  }

  async set(list) {
    this.messages = list.map((entry) => ({ id: entry.input.id, role: 'assistant', parts: [], metadata: { entry } }));
    await this.adapter.setItem(this.session, { messages: this.messages });
  }

  async append(entry) {
    this.messages ??= (await this.adapter.getItem(this.session))?.messages ?? [];
    const { id } = entry.input;
    if (this.messages.some((message) => message.id === id)) return 'deduped';
    this.messages = [...this.messages, { id, role: 'assistant', parts: [], metadata: { entry } }];
    await this.adapter.setItem(this.session, { messages: this.messages });
    return 'inserted';
  }
}
