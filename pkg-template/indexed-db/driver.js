// Runs the transactions of the IndexedDB store. What is read is handed to the core; what is written,
// and whether, the core decides.
//
// An append is first written *if* the stored head is the one it was planned on, with all requests
// issued at once. When another tab was first, it is written once more with the head and what is new
// read inside the same transaction, which cannot fail that way: nobody starves. No lock is held across
// tabs, and no transaction stays open while anything but the database is waited for.

import { StoreError } from '../glue.js';
import { abort, resultOf } from './connection.js';

/** How many values one reading transaction takes. Many more would keep other tabs' writes waiting (measured). */
const PAGE = 32;

export class Driver {
  #connection;
  #raw;
  /** Per session: what is under way, and the appends that wait to be written together. */
  #lanes = new Map();
  #trimming;

  constructor(connection, raw) {
    this.#connection = connection;
    this.#raw = raw;
  }

  /** Makes the session's records in the core those that are stored now. */
  refresh(id) {
    return this.#alone(id, () => this.#catchUp(id));
  }

  /** Writes the group of this ticket, with all others that wait; resolves when it is durable. */
  append(id, ticket) {
    return new Promise((resolve, reject) => {
      this.#lane(id).waiting.push({ ticket, resolve, reject });
      this.#alone(id, () => this.#writeWaiting(id)).catch(reject);
    });
  }

  /** Sets the session's entries anew. */
  replace(id, entries) {
    return this.#alone(id, () => this.#write(id, this.#raw.beginReplace(id, entries), entries.length > 0));
  }

  /** Forgets the session, stored and in the core. */
  clear(id) {
    return this.replace(id, []);
  }

  /**
   * Loads the session's newest `count` records into `apart`, an empty store of the core, without
   * reading the others.
   */
  async loadTail(id, count, apart) {
    await this.#connection.run('readonly', async (chunks, heads) => {
      const from = apart.catchUpTail(id, await headOf(id, chunks, heads), count);
      if (from !== undefined) await loadAll(apart, id, chunks, from);
      if (!apart.isKnown(id)) throw new StoreError('corrupt', 'stored records are missing');
    });
  }

  /** Keys and values of all stored heads. */
  heads() {
    return this.#connection.run('readonly', (_chunks, heads) =>
      Promise.all([resultOf(heads.getAllKeys()), resultOf(heads.getAll())]),
    );
  }

  /** Resolves when nothing is under way any more. */
  async idle() {
    while (this.#lanes.size > 0) await Promise.all(Array.from(this.#lanes.values(), ({ last }) => last));
  }

  #lane(id) {
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { running: 0, last: Promise.resolve(), waiting: [] };
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  /** One at a time for each session, in the order asked. */
  async #alone(id, work) {
    const lane = this.#lane(id);
    const before = lane.last;
    lane.running++;
    lane.last = before.then(work).finally(() => {
      if (--lane.running > 0) return;
      this.#lanes.delete(id);
      this.#trimLater();
    });
    const result = lane.last;
    // The next one goes on whatever became of this one.
    lane.last = lane.last.catch(() => {});
    return result;
  }

  /** Not before everybody who was waiting for a session has looked at it, which takes microtasks only. */
  #trimLater() {
    this.#trimming ??= setTimeout(() => {
      this.#trimming = undefined;
      if (this.#lanes.size === 0) this.#raw.trim();
    });
  }

  /** Loads what is missing, page by page, each in a transaction of its own. */
  async #catchUp(id) {
    // A session that was never read is read from its start, without asking first where that is.
    let from = this.#raw.isKnown(id) ? await this.#firstMissing(id) : 0;
    let page = PAGE;
    let fetched = from === undefined ? undefined : this.#fetch(id, from, page);
    while (fetched !== undefined) {
      const { head, last, full } = await fetched.known;
      // While these values are on their way, the next page is asked for.
      const ahead = full ? this.#fetch(id, last + 1, page) : undefined;
      const values = await fetched.values;
      from = this.#raw.catchUp(id, head);
      if (from === undefined) return;
      const reached = from < fetched.from ? from : load(this.#raw, id, values, from, page);
      if (this.#raw.isCurrent(id, head)) return;
      // A chunk larger than a page: more at once.
      page = reached === from && from >= fetched.from ? page * 4 : PAGE;
      fetched = ahead?.from === reached ? ahead : this.#fetch(id, reached, page);
    }
  }

  async #firstMissing(id) {
    return this.#connection.run('readonly', async (chunks, heads) => this.#raw.catchUp(id, await headOf(id, chunks, heads)));
  }

  /**
   * Asks for a page of stored values from record `from` on. `known` resolves to the head and to the last
   * record's number while the values are still on their way. One request for each value, all at once:
   * values of 60 KB that come in one answer take more than twice as long (measured).
   */
  #fetch(id, from, page) {
    let tell;
    const told = new Promise((resolve) => (tell = resolve));
    const values = this.#connection.run('readonly', async (chunks, heads) => {
      const stored = resultOf(heads.get(id));
      const keys = await resultOf(chunks.getAllKeys(keyRange(id, from, Infinity), page));
      const asked = keys.map((key) => resultOf(chunks.get(key)));
      const head = await stored;
      if (head === undefined && keys.length > 0) throw headIsMissing();
      tell({ head, last: keys.at(-1)?.[1], full: keys.length === page });
      return Promise.all(asked);
    });
    const known = Promise.race([told, values]);
    // A page that turns out not to be wanted may fail unseen.
    for (const promise of [known, values]) promise.catch(() => {});
    return { from, known, values };
  }

  async #writeWaiting(id) {
    const batch = this.#lane(id).waiting.splice(0);
    if (batch.length === 0) return;
    const tickets = batch.map(({ ticket }) => ticket);
    try {
      await this.#append(id, tickets);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1) return batch[0].reject(error);
      // One bad entry must not take its neighbours along.
      for (const { ticket, resolve, reject } of batch) await this.#append(id, [ticket]).then(resolve, reject);
    }
  }

  async #append(id, tickets) {
    if (!this.#raw.isKnown(id)) await this.#catchUp(id);
    const plan = this.#raw.begin(id, tickets);
    if (await this.#attempt(id, plan)) return;
    // Far behind is made up for outside the writing transaction, which should be short.
    await this.#catchUp(id);
    await this.#appendAfterReading(id, tickets);
  }

  /** Writes a staged plan if its head is the stored one still; takes it back and gives false if not. */
  async #attempt(id, plan) {
    let written = false;
    try {
      written = await this.#connection.run(plan === undefined ? 'readonly' : 'readwrite', async (chunks, heads, transaction) => {
        const stored = resultOf(heads.get(id));
        const last = plan === undefined ? undefined : put(id, plan, chunks, heads);
        // Before the new head is taken for ours, the one it replaces must be the one we know.
        if (!this.#raw.isCurrent(id, await stored)) {
          if (last !== undefined) abort(transaction);
          return false;
        }
        await last;
        return true;
      });
      return written;
    } finally {
      if (written) this.#raw.commit(id);
      else this.#raw.rollback(id);
    }
  }

  /** Reads what is new, decides and writes in one transaction. */
  async #appendAfterReading(id, tickets) {
    let staged = false;
    try {
      await this.#connection.run('readwrite', async (chunks, heads) => {
        if (staged) this.#raw.rollback(id);
        staged = false;
        const missing = this.#raw.catchUp(id, await headOf(id, chunks, heads));
        if (missing !== undefined) await loadAll(this.#raw, id, chunks, missing);
        const plan = this.#raw.begin(id, tickets);
        staged = true;
        if (plan !== undefined) await put(id, plan, chunks, heads);
      });
    } catch (error) {
      if (staged) this.#raw.rollback(id);
      throw error;
    }
    this.#raw.commit(id);
  }

  /** Writes a plan whatever is stored. */
  async #write(id, plan, keepHead) {
    try {
      await this.#connection.run('readwrite', (chunks, heads) => put(id, plan, chunks, heads, keepHead));
    } catch (error) {
      this.#raw.rollback(id);
      throw error;
    }
    this.#raw.commit(id);
  }
}

/** Loads everything from a record on, in one request: for what is short. */
async function loadAll(raw, id, chunks, from) {
  load(raw, id, await resultOf(chunks.getAll(keyRange(id, from, Infinity))), from, Infinity);
}

/** Hands values to the core, and gives the number of the next record. */
function load(raw, id, values, from, page) {
  const reached = raw.load(id, values);
  if (reached === from && values.length < page) throw new StoreError('corrupt', 'stored records are missing');
  return reached;
}

/** The stored head. A session without one has no chunks either, or something went missing. */
async function headOf(id, chunks, heads) {
  const head = await resultOf(heads.get(id));
  if (head === undefined && (await resultOf(chunks.getKey(keyRange(id, 0, Infinity)))) !== undefined) {
    throw headIsMissing();
  }
  return head;
}

function headIsMissing() {
  return new StoreError('corrupt', 'the head of the stored records is missing');
}

/** Issues all of a plan's requests at once; resolves with the last one. */
function put(id, [deletes, keys, values, head], chunks, heads, keepHead = true) {
  for (let at = 0; at < deletes.length; at += 2) chunks.delete(keyRange(id, deletes[at], deletes[at + 1]));
  for (let at = 0; at < values.length; at++) chunks.put(values[at], [id, keys[2 * at], keys[2 * at + 1]]);
  return resultOf(keepHead ? heads.put(head, id) : heads.delete(id));
}

/** The chunks of a session whose last records are numbered `from` to `to`. */
function keyRange(id, from, to) {
  // A longer array sorts behind its own beginning, so this is past every part of chunk `to`.
  return IDBKeyRange.bound([id, from], [id, to === Infinity ? Infinity : to + 0.5]);
}
