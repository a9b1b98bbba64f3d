// Runs the transactions of the IndexedDB store. What is read is handed to the core; what is written,
// and whether, the core decides.
//
// An append is first written *if* the stored head is the one it was planned on, with all requests
// issued at once (heads.js). When another tab was first, it is written once more with the head and what is new
// read inside the same transaction, which cannot fail that way: nobody starves. No lock is held across
// tabs, and no transaction stays open while anything but the database is waited for.

import { isChromium } from './chromium.js';
import { discardDamage, listDamage, salvage } from './damage.js';
import { StoredDrafts } from './drafts.js';
import { StoredLogs } from './event-logs.js';
import { KnownHeads, cleared, keyBehind, readHeads } from './heads.js';
import { House } from './house.js';
import { HEADS } from './opening.js';
import { Lanes } from './lanes.js';
import { StoredRows } from './transcripts.js';
import { adopt, catchUp, loadTail } from './reading.js';
import { headsOf, loadAll, put } from './records.js';

export class Driver {
  #raw;
  #house;
  #connection;
  #lanes;
  #known = new KnownHeads();

  /** `tell(sessionId)` is called when what another page left behind was added. */
  constructor(options, raw, tell) {
    this.#raw = raw;
    this.#house = new House(options, raw, {
      // Before anything else, so out of turn.
      addFirst: (id, ticket) => this.#mended(id, false, () => this.#append(id, [ticket])),
      add: (id, ticket) => this.append(id, ticket),
      tell,
      opened: () => this.#known.forgetAll(),
      pending: () => this.#lanes.pending(),
      idle: () => this.#lanes.idle(),
      mend: (id) => this.#lanes.alone(id, () => salvage(this.#connection, raw, this.#known, id, true)),
    });
    this.#connection = this.#house.connection;
    this.drafts = new StoredDrafts(this.#connection, options.name);
    this.logs = new StoredLogs(this.#connection, this.#house);
    this.rows = new StoredRows(this.#connection);
    this.eventNotes = `turnlog:${options.name}:events:`;
    this.#lanes = new Lanes(
      () => this.#house.ready(),
      () => raw.trim(),
    );
  }

  /** Makes the session's records in the core those that are stored now. */
  refresh(id) {
    return this.#lanes.alone(id, () => this.#mended(id, true, () => catchUp(this.#connection, this.#raw, this.#known, id)));
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
      if (await salvage(this.#connection, this.#raw, this.#known, id, isForReading)) await work();
    }
  }

  async #append(id, tickets) {
    if (!this.#raw.isKnown(id)) await catchUp(this.#connection, this.#raw, this.#known, id);
    const plan = this.#raw.begin(id, tickets);
    if (!(await this.#attempt(id, plan))) {
      // Far behind is made up for outside the writing transaction, which should be short.
      await catchUp(this.#connection, this.#raw, this.#known, id);
      await this.#appendAfterReading(id, tickets);
    }
    this.#house.wrote();
  }

  /** Writes a staged plan if its head is the stored one still; takes it back and gives false if not. */
  async #attempt(id, plan) {
    let written = false;
    let number;
    const isHeadAlone = plan !== undefined && plan[0].length + plan[2].length === 0;
    const attempt = async (heads, ending, chunks) => {
      number = this.#known.of(id);
      const behind = number === undefined ? undefined : keyBehind(heads, id, number);
      const last = behind && plan && put(id, plan, chunks, heads, number);
      if (isHeadAlone && last && mayCommitEarly()) ending.commit();
      if (behind === undefined || (await behind) !== undefined) {
        ending.abort();
        return false;
      }
      if (!isHeadAlone) await last;
      return true;
    };
    try {
      const mode = plan === undefined ? 'readonly' : 'readwrite';
      written = await (isHeadAlone || plan === undefined
        ? this.#connection.run(mode, attempt, [HEADS])
        : this.#connection.run(mode, (chunks, heads, ending) => attempt(heads, ending, chunks)));
      return written;
    } catch (error) {
      throw this.#withFigures(error, id, plan);
    } finally {
      if (written) this.#commit(id, plan === undefined ? number : number + 1);
      else this.#raw.rollback(id);
    }
  }

  /** Reads what is new, decides and writes in one transaction. */
  async #appendAfterReading(id, tickets) {
    let plan;
    let number;
    let staged = false;
    try {
      await this.#connection.run('readwrite', async (chunks, heads) => {
        if (staged) this.#raw.rollback(id);
        staged = false;
        const read = await headsOf(id, chunks, heads);
        ({ number } = read);
        const missing = adopt(this.#raw, this.#known, id, read);
        if (missing !== undefined) await loadAll(this.#raw, id, chunks, missing);
        plan = this.#raw.begin(id, tickets);
        staged = true;
        if (plan !== undefined) await put(id, plan, chunks, heads, number++);
      });
    } catch (error) {
      if (staged) this.#raw.rollback(id);
      throw this.#withFigures(error, id, plan);
    }
    this.#commit(id, number);
  }

  /** Writes a plan whatever is stored. */
  async #write(id, plan, keepHead) {
    const [deletes, keys, values, head, sweeps] = plan;
    let number;
    try {
      await this.#connection.run('readwrite', async (chunks, heads) => {
        ({ number } = await readHeads(heads, id));
        // Of a session that never was, no trace is left.
        const none = number === 0 ? undefined : cleared();
        const value = keepHead ? head : none;
        await put(id, [deletes, keys, values, value, sweeps], chunks, heads, number);
        if (value !== undefined) number++;
      });
    } catch (error) {
      this.#raw.rollback(id);
      throw this.#withFigures(error, id, plan);
    }
    this.#commit(id, number);
  }

  /** The write begun last is durable; its head has this number. */
  #commit(id, number) {
    this.#raw.commit(id);
    this.#known.note(id, number);
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

/**
 * Whether a write of one value may be committed before its requests are answered. It may where all is undone when the last
 * request fails. In WebKit a transaction that was committed cannot be aborted when the page is left, and then holds up the
 * next page for half a minute (measured), so only where that is known not to be so.
 */
function mayCommitEarly() {
  return isChromium();
}
