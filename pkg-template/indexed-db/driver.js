// Runs the transactions of the IndexedDB store. What is read is handed to the core; what is written,
// and whether, the core decides.
//
// An append is first written *if* the stored head is the one it was planned on, with all requests
// issued at once. When another tab was first, it is written once more with the head and what is new
// read inside the same transaction, which cannot fail that way: nobody starves. No lock is held across
// tabs, and no transaction stays open while anything but the database is waited for.

import { discardDamage, listDamage, salvage } from './damage.js';
import { StoredDrafts } from './drafts.js';
import { House } from './house.js';
import { Lanes } from './lanes.js';
import { catchUp, loadTail } from './reading.js';
import { headBytes, headOf, loadAll, put } from './records.js';
import { abort, resultOf } from './requests.js';

export class Driver {
  #raw;
  #house;
  #connection;
  #lanes;

  /** `tell(sessionId)` is called when what another page left behind was added. */
  constructor(options, raw, tell) {
    this.#raw = raw;
    this.#house = new House(options, raw, {
      // Before anything else, so out of turn.
      addFirst: (id, ticket) => this.#mended(id, false, () => this.#append(id, [ticket])),
      add: (id, ticket) => this.append(id, ticket),
      tell,
      pending: () => this.#lanes.pending(),
      idle: () => this.#lanes.idle(),
      mend: (id) => this.#lanes.alone(id, () => salvage(this.#connection, raw, id, true)),
    });
    this.#connection = this.#house.connection;
    this.drafts = new StoredDrafts(this.#connection, options.name);
    this.#lanes = new Lanes(
      () => this.#house.ready(),
      () => raw.trim(),
    );
  }

  /** Makes the session's records in the core those that are stored now. */
  refresh(id) {
    return this.#lanes.alone(id, () => this.#mended(id, true, () => catchUp(this.#connection, this.#raw, id)));
  }

  /** Writes the group of this ticket, with all others that wait; resolves when it is durable. */
  append(id, ticket) {
    return this.#lanes.join(id, ticket, (tickets) => this.#mended(id, false, () => this.#append(id, tickets)));
  }

  /** Sets the session's entries anew. */
  replace(id, entries) {
    return this.#lanes.alone(id, async () => {
      const keepHead = entries.length > 0;
      if (!keepHead) this.#house.removing();
      await this.#write(id, this.#raw.beginReplace(id, entries), keepHead);
      if (keepHead) this.#house.wrote();
      else this.#house.removed();
    });
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
    await this.#house.ready();
    await loadTail(this.#connection, id, count, apart);
  }

  /** What the stored heads say of their sessions. */
  sessions() {
    return this.#house.sessions();
  }

  /** Takes note that sessions were lost: they are not missed any more. */
  acceptLoss() {
    return this.#house.acceptLoss();
  }

  /** What was damaged, and kept aside. */
  damaged() {
    return listDamage(this.#connection);
  }

  discardDamage(id) {
    return discardDamage(this.#connection, id);
  }

  /** Ends everything; resolves when nothing is under way any more. */
  async close() {
    this.#house.close();
    await this.#lanes.idle();
  }

  /** Does `work` again on the readable rest when stored records turn out to be damaged. */
  async #mended(id, isForReading, work) {
    try {
      await work();
    } catch (error) {
      if (error?.code !== 'corrupt') throw error;
      if (await salvage(this.#connection, this.#raw, id, isForReading)) await work();
    }
  }

  async #append(id, tickets) {
    if (!this.#raw.isKnown(id)) await catchUp(this.#connection, this.#raw, id);
    const plan = this.#raw.begin(id, tickets);
    if (!(await this.#attempt(id, plan))) {
      // Far behind is made up for outside the writing transaction, which should be short.
      await catchUp(this.#connection, this.#raw, id);
      await this.#appendAfterReading(id, tickets);
    }
    this.#house.wrote();
  }

  /** Writes a staged plan if its head is the stored one still; takes it back and gives false if not. */
  async #attempt(id, plan) {
    let written = false;
    try {
      written = await this.#connection.run(plan === undefined ? 'readonly' : 'readwrite', async (chunks, heads, transaction) => {
        const stored = resultOf(heads.get(id));
        const last = plan === undefined ? undefined : put(id, plan, chunks, heads);
        // Before the new head is taken for ours, the one it replaces must be the one we know.
        if (!this.#raw.isCurrent(id, headBytes(await stored))) {
          if (last !== undefined) abort(transaction);
          return false;
        }
        // One put alone may be committed while it is under way: it is the last request, so that all fails if it does
        // (an early commit after which another request fails leaves half of it written in Firefox).
        if (plan !== undefined && plan[0].length + plan[2].length > 0) await last;
        return true;
      });
      return written;
    } catch (error) {
      throw this.#withFigures(error, id, plan);
    } finally {
      if (written) this.#raw.commit(id);
      else this.#raw.rollback(id);
    }
  }

  /** Reads what is new, decides and writes in one transaction. */
  async #appendAfterReading(id, tickets) {
    let plan;
    let staged = false;
    try {
      await this.#connection.run('readwrite', async (chunks, heads) => {
        if (staged) this.#raw.rollback(id);
        staged = false;
        const missing = this.#raw.catchUp(id, await headOf(id, chunks, heads));
        if (missing !== undefined) await loadAll(this.#raw, id, chunks, missing);
        plan = this.#raw.begin(id, tickets);
        staged = true;
        if (plan !== undefined) await put(id, plan, chunks, heads);
      });
    } catch (error) {
      if (staged) this.#raw.rollback(id);
      throw this.#withFigures(error, id, plan);
    }
    this.#raw.commit(id);
  }

  /** Writes a plan whatever is stored. */
  async #write(id, plan, keepHead) {
    try {
      await this.#connection.run('readwrite', (chunks, heads) => put(id, plan, chunks, heads, keepHead));
    } catch (error) {
      this.#raw.rollback(id);
      throw this.#withFigures(error, id, plan);
    }
    this.#raw.commit(id);
  }

  /** For a full disk, how much the write would have taken: browsers do not say, or say something else. */
  #withFigures(error, id, plan) {
    if (error?.code !== 'quota_exceeded' || plan === undefined) return error;
    const [, , values, head] = plan;
    const needed = values.reduce((bytes, { byteLength }) => bytes + byteLength, head.byteLength);
    Object.assign(error.details, { needed, session: this.#raw.headInfo(id, head).bytes });
    return error;
  }
}
