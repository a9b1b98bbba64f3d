// Tells an evicted database from an empty history. A database's generation and about how much was in it is noted in
// localStorage; a database of another generation, or with nothing in it, has lost that.

import { readNote, removeNote, writeNote } from '../page-storage.js';

/** How long after a write the note is brought up to date. */
const COUNT_MS = 5_000;

export class Canary {
  #key;
  #count;
  #timer;
  #generation;
  /** How often sessions were removed by this page. */
  #removals = 0;

  /** `count` gives `{ sessions, entries, logs }` of the database. */
  constructor(name, count) {
    this.#key = `turnlog:${name}:canary`;
    this.#count = count;
  }

  /** The generation of the database that is open. */
  set generation(generation) {
    this.#generation = generation;
  }

  /** What was in the database when that was noted last; undefined where nothing was. */
  get known() {
    try {
      const known = JSON.parse(readNote(this.#key));
      return known.sessions + (known.logs ?? 0) > 0 && typeof known.generation === 'string' ? known : undefined;
    } catch {
      return undefined;
    }
  }

  /** Something was written, at least as much as `least`. */
  wrote(least) {
    // While a count is due there is a note already.
    if (this.#generation === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.recount(), COUNT_MS);
    // From the first write on there is something to lose.
    if (this.known?.generation !== this.#generation) this.#note(least);
  }

  /** Sessions are about to be removed: nothing that is removed on purpose may be missed. */
  removing() {
    this.#removals++;
    removeNote(this.#key);
  }

  async recount() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      const before = readNote(this.#key);
      const removals = this.#removals;
      const counts = await this.#count();
      // This page or another tab has removed sessions, or counted, meanwhile: what was counted here may be older.
      if (readNote(this.#key) === before && removals === this.#removals) this.#note(counts);
      else this.#timer ??= setTimeout(() => this.recount(), COUNT_MS);
    } catch {
      // The next write comes back to it.
    }
  }

  close() {
    clearTimeout(this.#timer);
    this.#count = () => Promise.reject();
  }

  #note({ sessions, entries, logs }) {
    if (this.#generation === undefined) return;
    writeNote(this.#key, JSON.stringify({ generation: this.#generation, sessions, entries, logs, noted: Date.now() }));
  }
}
