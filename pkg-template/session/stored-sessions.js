// The sessions of a store that last: what is appended to them is written behind the caller's back, in windows of time, at once
// where a turn ends, and what a page had not written when it was left is added by the next one.

import { core } from '../core.js';
import { SessionError, StoreError, frozenOf, textOf } from '../glue.js';
import { mark } from '../mark.js';
import { watchPage } from '../page-life.js';
import { noteKeys, readNote, removeNote, writeNote } from '../page-storage.js';
import { bytesOf, innerOf, sessionOf } from './session.js';
import { StoredLog, keyOf, sealedHeader, tailOf, unsealedHeader } from './stored-log.js';

/** How many ms after a failure that nobody waits for the same is tried again. */
const RETRY_MS = 1_000;

export class StoredSessions {
  #place;
  #notes;
  #own = mark();
  #window;
  #warn;
  /**
   * Of each live session `{ log, timer, due, opened, note, noted }`. `opened` and `noted`: how many events it had when it was
   * opened, and when they were noted last.
   */
  #live = new Map();
  #ready;

  /** `notes`: how the keys in localStorage begin under which is noted what was not written; undefined where nothing lasts. */
  constructor({ logs, notes }, window, warn) {
    this.#place = logs;
    this.#notes = notes;
    this.#window = window;
    this.#warn = warn;
    if (this.#notes !== undefined) watchPage({ sleep: () => this.#leave(), wake: () => this.#wake() });
  }

  /** The session is live from now on. `stored`: how it is stored, as `open` gave it; else it is stored with its first event. */
  add(session, stored = { header: sealedHeader(session.header, mark()), isNew: true, end: 0 }) {
    const source = { get length() { return session.seq; }, text: (from, to) => innerOf(session).text(from, to) };
    this.#live.set(session, { log: new StoredLog(this.#place, session.id, stored, source), opened: stored.isNew ? 0 : session.seq });
    if (session.seq > 0 && stored.isNew) this.#plan(session, this.#window);
  }

  /** An event was appended. */
  appended(session, event) {
    this.#plan(session, event.type === 'turn/end' ? 0 : this.#window);
  }

  /** Resolves when all events that the session has now are stored; `isEnd`: or those that were appended here. */
  async flush(session, isEnd = false) {
    const entry = this.#live.get(session);
    // A write that was planned, of a session that is not live any more.
    if (entry === undefined) return;
    await this.#settled();
    if (isEnd && !isChanged(session, entry)) return;
    this.#stop(entry);
    await entry.log.flush();
    this.#dropNote(entry);
  }

  /** It is not live any more, and nothing more of it is written. Resolves when nothing is being written. */
  async drop(session) {
    const entry = this.#live.get(session);
    this.#live.delete(session);
    this.#stop(entry);
    this.#dropNote(entry);
    await entry.log.stop();
  }

  /**
   * A stored session with its turns closed, and how it is stored. `salvage`: what stands behind damage is given up and kept
   * aside.
   */
  async open(id, salvage) {
    await this.#settled();
    const key = keyOf(id);
    const read = await this.#place.read(key);
    if (read.header === undefined && read.values.length === 0) {
      await this.#place.checkLoss?.();
      throw new SessionError('session_not_found', `no session "${id}" is stored`);
    }
    const log = new (core().RawStoredLog)(key, read.values);
    const apart = Array.from(log.apart());
    const { length } = log;
    let sealed = read.header;
    let header;
    try {
      header = frozenOf(unsealedHeader(key, sealed));
    } catch (error) {
      if (!salvage || error.code !== 'corrupt') throw error;
      header = { version: 0, id, createdAt: Date.now() };
      sealed = sealedHeader(header, mark());
    }
    core().checkHeaderVersion(bytesOf(header));
    log.check(salvage);
    const session = sessionOf(log, header);
    // Before anything is written behind it, so that it is at no moment in neither place.
    const isMended = apart.length > 0 || sealed !== read.header;
    const anew = sealed === read.header ? undefined : sealed;
    if (isMended && !(await this.#place.setAside(key, id, read, apart, anew))) return this.open(id, salvage);
    return { session, stored: { header: sealed, isNew: false, end: length, tail: isMended ? undefined : tailOf(read, length) } };
  }

  /** The headers of all stored sessions, in the order in which they were made. */
  async list() {
    await this.#settled();
    const headers = (await this.#place.list()).map(([key, sealed]) => headerOf(key, sealed));
    return headers.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  async remove(id) {
    await this.#settled();
    await this.#place.remove(keyOf(id));
  }

  /** Writes when the window is over. An append does so itself when it is time: timers of hidden pages may be a minute late. */
  #plan(session, window) {
    const entry = this.#live.get(session);
    // Whoever lost the session to somebody else was told once.
    if (entry === undefined || entry.log.hasConflict) return;
    const now = performance.now();
    entry.due = Math.min(entry.due ?? Infinity, now + window);
    const write = () => this.flush(session).catch((error) => this.#failed(session, error));
    if (entry.due <= now) {
      this.#stop(entry);
      // Not within the append.
      Promise.resolve().then(write);
    } else {
      entry.timer ??= setTimeout(write, entry.due - now);
    }
  }

  #stop(entry) {
    clearTimeout(entry.timer);
    entry.timer = entry.due = undefined;
  }

  /** Nobody waited for the write: whoever flushes next hears of it. */
  #failed(session, error) {
    this.#warn(`session "${session.id}" is not stored yet: ${error.message}`);
    if (error.code !== 'closed') this.#plan(session, RETRY_MS);
  }

  /** What earlier pages left behind is stored or, where that fails, is tried again by the next call, which fails by itself. */
  #settled() {
    return (this.#ready ??= this.#addNotes().catch(() => (this.#ready = undefined)));
  }

  /** The page may be ending. */
  #leave() {
    for (const [{ id, seq }, entry] of this.#changed()) {
      // Whoever found the first note has kept it aside.
      if (entry.log.hasConflict && entry.noted === seq) continue;
      const [log, text] = entry.log.rest;
      entry.note ??= `${this.#notes}${this.#own}:${keyOf(id)}`;
      if (writeNote(entry.note, `${JSON.stringify(log)}\n${text}`)) entry.noted = seq;
    }
  }

  #wake() {
    for (const [session] of this.#changed()) this.#plan(session, 0);
  }

  #changed() {
    return [...this.#live].filter((live) => isChanged(...live));
  }

  #dropNote(entry) {
    if (entry?.note === undefined) return;
    removeNote(entry.note);
    entry.note = undefined;
  }

  async #addNotes() {
    if (this.#notes === undefined) return;
    const others = noteKeys(this.#notes).filter((note) => !note.startsWith(this.#notes + this.#own));
    const failures = [];
    for (const note of others) await this.#addNote(note, readNote(note)).catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  async #addNote(note, text) {
    if (text === undefined) return;
    let id = '';
    try {
      const { log, source } = noted(text);
      id = log.id;
      await new StoredLog(this.#place, id, log, source).flush();
    } catch (error) {
      // What the database could not do now it may do later.
      if (error instanceof StoreError) throw error;
      // It is no note, or has no place in the log any more: somebody else has gone on from there, or the log is damaged.
      await this.#place.keepText(id, text);
    }
    removeNote(note);
  }
}

/**
 * Whether events that were appended here are not stored. What only closes an interrupted turn is not written for who looks:
 * the turn may be going on elsewhere.
 */
const isChanged = ({ seq }, { log, opened }) => log.isBehind && seq > opened;

/** How the session of a note was stored, and its events from there on, as a source of a stored log. Throws where it is none. */
function noted(text) {
  const [first, list] = text.split('\n');
  const { id, header: sealed, isNew, end } = JSON.parse(first);
  const events = JSON.parse(list);
  const isNote = typeof id === 'string' && Number.isSafeInteger(end) && events.every(({ seq }, at) => seq === end + at);
  if (!isNote) throw new SyntaxError('no note of events');
  const header = new TextEncoder().encode(sealed);
  unsealedHeader(keyOf(id), header);
  const source = { length: end + events.length, text: (from, to) => textOf(events.slice(from - end, to - end)) };
  return { log: { id, header, isNew, end }, source };
}

/** A damaged header hides no session: its id is known. */
function headerOf(key, sealed) {
  try {
    return frozenOf(unsealedHeader(key, sealed));
  } catch (error) {
    if (error.code !== 'corrupt') throw error;
    return Object.freeze({ version: 0, id: JSON.parse(key), createdAt: 0 });
  }
}
