// A row an entry, as the documentation of Dexie and of idb has it: the order is the key that the table counts
// up itself, and a unique index refuses an id that is there.

import { Dexie } from '/node_modules/dexie/dist/modern/dexie.mjs';
import { openDB } from '/node_modules/idb/build/index.js';

const rowOf = (session, entry) => ({ session, id: entry.input.id, entry });

/** `add`, which says whether the row was new. */
async function wasAdded(adding) {
  try {
    await adding;
    return 'inserted';
  } catch (error) {
    if (error.name !== 'ConstraintError') throw error;
    return 'deduped';
  }
}

function without(entries, ids) {
  const known = new Set(ids);
  return entries.filter((entry) => !known.has(entry.input.id));
}

export class DexieStore {
  #database;
  #session;

  constructor(name, session) {
    this.#session = session;
    this.#database = new Dexie(name, { chromeTransactionDurability: 'relaxed' });
    this.#database.version(1).stores({ entries: '++, &[session+id], session' });
  }

  async open() {
    await this.#database.open();
    return this;
  }

  close() {
    this.#database.close();
  }

  append(entry) {
    return wasAdded(this.#table.add(rowOf(this.#session, entry)));
  }

  async addAll(entries) {
    await this.#database.transaction('rw', this.#table, async () => {
      const [from, to] = [Dexie.minKey, Dexie.maxKey].map((id) => [this.#session, id]);
      const keys = await this.#table.where('[session+id]').between(from, to).keys();
      const added = without(entries, keys.map(([, id]) => id));
      await this.#table.bulkAdd(added.map((entry) => rowOf(this.#session, entry)));
    });
  }

  async tail(count) {
    const rows = await this.#own.reverse().limit(count).toArray();
    return rows.reverse().map(({ entry }) => entry);
  }

  async all() {
    return (await this.#own.toArray()).map(({ entry }) => entry);
  }

  async response(id) {
    return (await this.#table.get({ session: this.#session, id }))?.entry.output;
  }

  count() {
    return this.#own.count();
  }

  clear() {
    return this.#own.delete();
  }

  get #table() {
    return this.#database.table('entries');
  }

  get #own() {
    return this.#table.where('session').equals(this.#session);
  }
}

const RELAXED = { durability: 'relaxed' };

export class IdbStore {
  #name;
  #session;
  #database;

  constructor(name, session) {
    this.#name = name;
    this.#session = session;
  }

  async open() {
    this.#database = await openDB(this.#name, 1, {
      upgrade(database) {
        const entries = database.createObjectStore('entries', { autoIncrement: true });
        entries.createIndex('id', ['session', 'id'], { unique: true });
        entries.createIndex('session', 'session');
      },
    });
    return this;
  }

  close() {
    this.#database.close();
  }

  append(entry) {
    const { store, done } = this.#writing();
    return wasAdded(Promise.all([store.add(rowOf(this.#session, entry)), done]));
  }

  async addAll(entries) {
    const { store, done } = this.#writing();
    const rows = await store.index('session').getAll(this.#session);
    for (const entry of without(entries, rows.map(({ id }) => id))) store.add(rowOf(this.#session, entry));
    await done;
  }

  async tail(count) {
    const entries = [];
    const { store } = this.#database.transaction('entries');
    let cursor = await store.index('session').openCursor(this.#session, 'prev');
    for (; cursor && entries.length < count; cursor = await cursor.continue()) entries.push(cursor.value.entry);
    return entries.reverse();
  }

  async all() {
    return (await this.#database.getAllFromIndex('entries', 'session', this.#session)).map(({ entry }) => entry);
  }

  async response(id) {
    return (await this.#database.getFromIndex('entries', 'id', [this.#session, id]))?.entry.output;
  }

  count() {
    return this.#database.countFromIndex('entries', 'session', this.#session);
  }

  clear() {
    return this.#database.clear('entries');
  }

  #writing() {
    return this.#database.transaction('entries', 'readwrite', RELAXED);
  }
}
