// turnlog's own stores: the core's store with the change notices around it.

import { core } from './core.js';
import { Changes } from './changes.js';
import { Drafts } from './drafts.js';
import { Driver } from './indexed-db/driver.js';
import { snapshot } from './glue.js';
import { isPlainEntry } from './entry-shape.js';
import { NotedDrafts } from './local-storage/drafts.js';
import { MemoryLogs } from './session/memory-logs.js';
import { MemoryRows } from './session/memory-rows.js';
import { readOptions, refuse } from './options.js';

const handles = new WeakMap();

/** More entries than any session has. */
const ALL = 0xffffffff;

/** The core's store behind one of ours; undefined for any other object. */
export function handleOf(store) {
  return handles.get(store)?.raw;
}

/** Where a store of ours keeps event logs and the rows of transcripts, and how the keys of its notes in localStorage begin; undefined for any other object. */
export function logsOf(store) {
  const { logs, rows, eventNotes } = handles.get(store) ?? {};
  return logs === undefined ? undefined : { logs, rows, notes: eventNotes };
}

/** Tells a store of ours that the engine wrote to it: one entry, if it says which. */
export function engineWrote(store, sessionId, messageId) {
  const handle = handles.get(store);
  handle?.changes.publish(sessionId, 'append');
  if (messageId !== undefined) handle?.drafts.ended(sessionId, messageId);
}

export function createInMemoryStore() {
  return new LocalStore('memory', new (core().RawStore)(), new Changes());
}

export function createIndexedDbStore(options) {
  const read = readOptions(options, ['name', 'durability', 'timeout', 'onChange']);
  const { name = 'turnlog', durability = 'relaxed', timeout = 10_000, onChange } = read;
  if (typeof name !== 'string' || name === '') refuse('name', 'must be a non-empty string');
  if (durability !== 'relaxed' && durability !== 'strict') refuse('durability', "must be 'relaxed' or 'strict'");
  if (typeof timeout !== 'number' || !(timeout >= 100 && timeout <= 600_000)) refuse('timeout', 'must be a number of ms from 100 to 600,000');
  if (onChange !== undefined && typeof onChange !== 'function') refuse('onChange', 'must be a function');
  const raw = new (core().RawStore)();
  const changes = new Changes(`turnlog:${name}`);
  const driver = new Driver({ name, durability, timeout }, raw, (id) => changes.publish(id, 'append'));
  raw.drive(driver);
  const store = new LocalStore('indexeddb', raw, changes, driver);
  if (onChange !== undefined) store.subscribe(onChange);
  return store;
}

export class LocalStore {
  #raw;
  #changes;
  #driver;
  #drafts;

  constructor(kind, raw, changes, driver) {
    this.kind = kind;
    this.#raw = raw;
    this.#changes = changes;
    this.#driver = driver;
    const place = driver === undefined ? new NotedDrafts('', new Map()) : driver.drafts;
    const drafts = new Drafts(place, this);
    this.#drafts = drafts;
    const { logs, rows } = driver ?? { logs: new MemoryLogs(), rows: new MemoryRows() };
    handles.set(this, { raw, changes, drafts, logs, rows, eventNotes: driver?.eventNotes });
  }

  async append(sessionId, entry) {
    const frozen = snapshot(entry, true);
    const inserted =
      this.#driver === undefined
        ? this.#appendLive(sessionId, frozen)
        : (await this.#write(core().checkSessionId(sessionId), this.#raw.enqueue(frozen))).inserted === 1;
    this.#drafts.ended(sessionId, frozen.input.id);
    if (!inserted) return 'deduped';
    this.#changes.publish(sessionId, 'append');
    return 'inserted';
  }

  #appendLive(sessionId, frozen) {
    // The text of an ordinary entry need not cross to be checked; the core has the last word on any other.
    if (!isPlainEntry(frozen)) core().checkEntry(frozen);
    return this.#raw.appendLive(sessionId, frozen.input.id, frozen);
  }

  /** Writes what has this ticket; what became of it. */
  async #write(sessionId, ticket) {
    try {
      if (this.#driver === undefined) this.#raw.writeNow(sessionId, ticket);
      else await this.#driver.append(sessionId, ticket);
    } catch (error) {
      this.#raw.settle(ticket);
      throw error;
    }
    return this.#raw.settle(ticket);
  }

  /** The session's id, once its records in the core are those that are stored. */
  async #fresh(sessionId) {
    const id = core().checkSessionId(sessionId);
    await this.#driver?.refresh(id);
    return id;
  }

  async get(sessionId) {
    return this.#raw.newest(await this.#fresh(sessionId), ALL);
  }

  async tail(sessionId, n) {
    if (!Number.isSafeInteger(n) || n < 0) refuse('n', 'must be a non-negative integer');
    const id = core().checkSessionId(sessionId);
    const count = Math.min(n, ALL);
    if (this.#driver?.loadTail === undefined || this.#raw.isKnown(id)) {
      return this.#raw.newest(await this.#fresh(id), count);
    }
    const apart = new (core().RawStore)();
    try {
      await this.#driver.loadTail(id, count, apart);
      return apart.newest(id, count);
    } catch (error) {
      if (error.code !== 'corrupt') throw error;
      // The way that reads everything knows how to go on.
      return this.#raw.newest(await this.#fresh(id), count);
    } finally {
      apart.free();
    }
  }

  async replace(sessionId, entries) {
    if (!Array.isArray(entries)) refuse('entries', 'must be an array');
    const id = core().checkSessionId(sessionId);
    const frozen = snapshot(entries, true);
    if (this.#driver === undefined) {
      this.#raw.beginReplace(id, frozen);
      this.#raw.commit(id);
    } else {
      await this.#driver.replace(id, frozen);
    }
    this.#changes.publish(id, 'replace');
  }

  async clear(sessionId) {
    const id = core().checkSessionId(sessionId);
    if (this.#driver === undefined) this.#raw.forget(id);
    else await this.#driver.clear(id);
    this.#changes.publish(id, 'clear');
    await this.#drafts.remove(id);
  }

  draft(sessionId, messageId, options) {
    const { window = 100 } = readOptions(options, ['window']);
    if (typeof window !== 'number' || !(window >= 0 && window <= 60_000)) refuse('window', 'must be a number of ms from 0 to 60,000');
    return this.#drafts.begin(core().checkSessionId(sessionId), core().checkMessageId(messageId), window);
  }

  async drafts(sessionId) {
    return this.#drafts.list(core().checkSessionId(sessionId));
  }

  async getResponseById(sessionId, messageId) {
    return this.#raw.response(await this.#fresh(sessionId), messageId);
  }

  async has(sessionId, messageId) {
    return this.#raw.has(await this.#fresh(sessionId), messageId);
  }

  async sessions() {
    const infos = this.#driver === undefined ? this.#raw.summaries() : await this.#driver.sessions();
    return infos.sort((a, b) => b.lastActivity - a.lastActivity || (a.id < b.id ? -1 : 1));
  }

  async acceptLoss() {
    await this.#driver?.acceptLoss();
  }

  async damaged() {
    return (await this.#driver?.damaged()) ?? [];
  }

  async discardDamaged(sessionId) {
    await this.#driver?.discardDamage(core().checkSessionId(sessionId));
  }

  async exportSession(sessionId) {
    return this.#raw.exportLines(await this.#fresh(sessionId));
  }

  async importSession(bytes) {
    if (!(bytes instanceof Uint8Array)) refuse('bytes', 'must be a Uint8Array');
    const [sessionId, ticket] = this.#raw.enqueueLines(bytes);
    const report = await this.#write(sessionId, ticket);
    if (report.inserted > 0) this.#changes.publish(sessionId, 'append');
    return { sessionId, ...report };
  }

  subscribe(listener) {
    if (typeof listener !== 'function') refuse('listener', 'must be a function');
    return this.#changes.subscribe(listener);
  }

  async persisted() {
    return this.kind !== 'memory' && ((await globalThis.navigator?.storage?.persisted?.()) ?? false);
  }

  async requestPersistence() {
    return this.kind !== 'memory' && ((await globalThis.navigator?.storage?.persist?.()) ?? false);
  }

  async estimate() {
    const { usage, quota } = (await globalThis.navigator?.storage?.estimate?.()) ?? {};
    return { ...(usage !== undefined && { usage }), ...(quota !== undefined && { quota }) };
  }

  async close() {
    this.#changes.close();
    await this.#drafts.close(() => this.#end());
  }

  async #end() {
    if (this.#driver === undefined) return;
    await this.#driver.close();
    // Not before everybody who was waiting for a session has looked at it, which takes microtasks only.
    setTimeout(() => this.#raw.release());
  }
}
