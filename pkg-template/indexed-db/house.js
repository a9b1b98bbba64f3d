// What an IndexedDB store looks after besides its records: the connection and the page it lives in, what earlier pages
// left behind, and whether the database is the one it was.

import { StoreError } from '../glue.js';
import { watchPage } from '../page-life.js';
import { Canary } from './canary.js';
import { Connection } from './connection.js';
import { keepAside } from './damage.js';
import { LeftBehind } from './left-behind.js';
import { allHeads, headBytes, sweepCleared } from './heads.js';
import { CHUNKS, HEADS, SIDE } from './opening.js';
import { countLogs } from './event-logs.js';
import { resultOf } from './requests.js';

/** A note of the canary that is younger may have been overtaken by another tab that removed sessions. */
const SURE_MS = 10_000;
const LOST = ['meta', 'lost'];
/** How long after the database has opened it is looked at for what is no session's. */
const SETTLE_MS = 20;

export class House {
  #raw;
  #calls;
  #canary;
  #leftBehind;
  #unwatch;
  #ready;
  #meta;
  #isSettled = false;
  /** Whether every session with chunks was seen to have a head. */
  #isWhole = false;
  #hasWritten = false;

  constructor({ name, durability, timeout }, raw, calls) {
    this.#raw = raw;
    this.#calls = calls;
    this.#leftBehind = new LeftBehind(name);
    this.#canary = new Canary(name, async () => ({ ...this.#total(await this.#infos()), logs: await countLogs(this.connection) }));
    this.connection = new Connection(name, durability, timeout, {
      lost: () => this.#loss(),
      opened: () => {
        // It may be another database than before.
        this.#meta = undefined;
        calls.opened();
        setTimeout(() => this.#settle(), SETTLE_MS);
      },
    });
    this.#unwatch = watchPage({
      sleep: () => this.#sleep(),
      wake: () => this.#wake(),
      look: () => this.connection.probe(),
    });
  }

  /** Resolves when what earlier pages left in localStorage is written, or cannot be now. */
  ready() {
    return (this.#ready ??= this.#addNotes().catch(() => {}));
  }

  /** What nobody waits for, out of the way of the first calls. */
  #settle() {
    if (!this.connection.isOpen) return;
    if (!this.#isSettled) this.#addStored().catch(() => (this.#isSettled = false));
    this.#isSettled = true;
    // Writes before the generation was known are noted now.
    this.meta().then(() => this.#hasWritten && this.#canary.recount()).catch(() => {});
  }

  wrote() {
    this.#hasWritten = true;
    this.#canary.wrote({ sessions: 1, entries: 1, logs: 0 });
  }

  /** The same of an event log. */
  wroteLog() {
    this.#hasWritten = true;
    this.#canary.wrote({ sessions: 0, entries: 0, logs: 1 });
  }

  /** A session is about to be removed, on purpose. */
  removing() {
    this.#canary.removing();
  }

  /** It was; what is left is counted at once, since the note of it is gone. */
  removed() {
    this.#canary.recount();
  }

  close() {
    this.#unwatch();
    this.#canary.close();
    this.connection.close();
  }

  /** The database's generation and, if an earlier one was lost, what is known of that. */
  meta() {
    return (this.#meta ??= this.connection
      .run('readonly', (side) => Promise.all([side.get(['meta', 'generation']), side.get(LOST)].map(resultOf)), [SIDE])
      .then(([generation, lost]) => {
        this.#canary.generation = generation;
        return { generation, lost };
      })
      .catch((error) => {
        this.#meta = undefined;
        throw error;
      }));
  }

  async sessions() {
    await this.ready();
    let infos = await this.#infos();
    // Asked afterwards: reading may have opened the database anew.
    const { generation, lost } = await this.meta();
    if (lost !== undefined) throw evicted(lost);
    const { known } = this.#canary;
    const isLess = known?.generation === generation && infos.length < known.sessions;
    // A head that is gone leaves chunks behind: looked for once, and whenever something is missed.
    if (isLess || !this.#isWhole) {
      const headless = await this.#headless();
      for (const id of headless) await this.#calls.mend(id);
      this.#isWhole = true;
      if (headless.length > 0) infos = await this.#infos();
    }
    if (isLess && infos.length < known.sessions && Date.now() - known.noted > SURE_MS) {
      const { sessions, entries } = this.#total(infos);
      await this.#lose({ sessions: known.sessions - sessions, entries: Math.max(0, known.entries - entries) });
    }
    return infos;
  }

  /** Rejects with `evicted` where the database was lost. */
  async checkLoss() {
    await this.connection.run('readonly', (side) => resultOf(side.count()), [SIDE]);
    const { lost } = await this.meta();
    if (lost !== undefined) throw evicted(lost);
  }

  /** Whether there were more event logs than these. */
  async missesLogs(count) {
    const { generation } = await this.meta();
    const { known } = this.#canary;
    return known?.generation === generation && count < (known.logs ?? 0);
  }

  /** Rejects with `evicted` where that is for sure. */
  async checkLogs(count) {
    const { known } = this.#canary;
    if ((await this.missesLogs(count)) && Date.now() - known.noted > SURE_MS) {
      await this.#lose({ sessions: 0, entries: 0, logs: known.logs - count });
    }
  }

  /** Notes a loss, for all tabs, and rejects with it. */
  async #lose(counts) {
    const note = { ...counts, noticed: Date.now() };
    await this.connection.run('readwrite', (side) => resultOf(side.put(note, LOST)), [SIDE]);
    this.#meta = undefined;
    throw evicted(note);
  }

  async acceptLoss() {
    await this.connection.run('readwrite', (side) => resultOf(side.delete(LOST)), [SIDE]);
    this.#meta = undefined;
    await this.meta();
    await this.#canary.recount();
  }

  /** What the database that is gone held; undefined when it was empty, or there never was one. */
  #loss() {
    const { sessions, entries, logs } = this.#canary.known ?? {};
    if (sessions === undefined && !this.#hasWritten) return undefined;
    this.#hasWritten = false;
    return { sessions, entries, logs, noticed: Date.now() };
  }

  /** `inMemory`: sessions that could be salvaged in memory only. */
  async #infos(inMemory) {
    const { stored, isLittered } = await this.connection.run('readonly', allHeads, [HEADS]);
    if (isLittered) this.connection.run('readwrite', sweepCleared, [HEADS]).catch(() => {});
    const infos = [];
    const damaged = [];
    for (const [id, value] of stored) {
      try {
        infos.push(this.#raw.headInfo(id, headBytes(value) ?? new Uint8Array()));
      } catch (error) {
        if (error.code !== 'corrupt') throw error;
        damaged.push(id);
      }
    }
    if (damaged.length === 0) return infos;
    if (inMemory !== undefined) return [...infos, ...this.#raw.summaries().filter(({ id }) => inMemory.has(id))];
    const unwritten = new Set();
    for (const id of damaged) if (!(await this.#calls.mend(id))) unwritten.add(id);
    return this.#infos(unwritten);
  }

  #total(infos) {
    return { sessions: infos.length, entries: infos.reduce((sum, { entries }) => sum + entries, 0) };
  }

  /** Sessions that have chunks and no head. */
  #headless() {
    const find = async (chunks, heads) => {
      const [keys, ids] = await Promise.all([chunks.getAllKeys(), heads.getAllKeys()].map(resultOf));
      const known = new Set(ids.map(([id]) => id));
      return [...new Set(keys.map(([id]) => id))].filter((id) => !known.has(id));
    };
    return this.connection.run('readonly', find, [CHUNKS, HEADS]);
  }

  #sleep() {
    if (this.connection.isAsleep) return;
    const decoder = new TextDecoder();
    const texts = this.#calls.pending().map(([id, ticket]) => decoder.decode(this.#raw.ticketLines(id, ticket)));
    this.#leftBehind.keep(texts);
    this.connection.sleep((database) => this.#leftBehind.keepIn(database, texts));
  }

  #wake() {
    this.connection.wake();
    this.#calls.idle().then(() => this.#leftBehind.dropOwn(this.connection)).catch(() => {});
  }

  async #addNotes() {
    for (const [key, text] of this.#leftBehind.notes()) {
      await this.#add(text, this.#calls.addFirst);
      this.#leftBehind.drop(key);
    }
  }

  async #addStored() {
    for (const [key, texts] of await this.#leftBehind.stored(this.connection)) {
      for (const text of texts) await this.#add(text, this.#calls.add);
      await this.#leftBehind.dropStored(this.connection, key);
    }
  }

  /** Adds a session in the form of an export, by id. What is no such thing is kept aside. */
  async #add(text, add) {
    const bytes = new TextEncoder().encode(text);
    let queued;
    try {
      queued = this.#raw.enqueueLines(bytes);
    } catch (error) {
      if (error.code === 'version_too_new') throw error;
      await this.connection.run('readwrite', (side) => {
        keepAside(side, '', 0, [bytes]);
        return resultOf(side.count());
      }, [SIDE]);
      return;
    }
    const [id, ticket] = queued;
    try {
      await add(id, ticket);
    } finally {
      if (this.#raw.settle(ticket).inserted > 0) this.#calls.tell(id);
    }
  }
}

function evicted({ sessions, entries, logs, noticed }) {
  const details = { sessions, entries, ...(logs > 0 && { logs }), noticed };
  return new StoreError('evicted', 'stored sessions are gone: they were evicted or deleted, not cleared', { details });
}
