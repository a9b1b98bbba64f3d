// Writes the keys of the localStorage store. What is new, what is cut and what is refused the core decides, and an
// entry's text goes from it to its key and back untouched. Why not the crate gloo-storage: its `LocalStorage` throws
// out of the core where access is denied, and every value goes through serde_json, which spells numbers anew.
//
// An array under one key loses updates between tabs even under a lock (measured), so there is a key for each entry,
// which no two tabs share. Of two keys with one id the smaller counts, for every reader. All that a call reads or
// writes happens in one task, so that a reader sees the beginning of what other tabs did, in their order.

import { StoreError } from '../glue.js';
import { areaError, putAll } from './area.js';
import { draftNotes } from './draft-notes.js';
import { NotedLogs } from './event-logs.js';
import { digits, newTab, orderOf, pathOf } from './keys.js';
import { NotedRows } from './transcripts.js';
import { Known, Records } from './records.js';
import { exclusively, settled } from './section.js';

export class Driver {
  /** Called when everything has ended. */
  whenClosed = () => {};
  #prefix;
  #raw;
  #records;
  #tab = newTab();
  #order = 0;
  #began = 0;
  #closed = false;
  /** Per session: the writes of its next critical section. */
  #waiting = new Map();
  #sections = new Set();

  constructor(prefix, raw) {
    this.#prefix = prefix;
    this.#raw = raw;
    this.#records = new Records(prefix, raw);
    this.drafts = draftNotes(prefix);
    this.logs = new NotedLogs(prefix);
    this.rows = new NotedRows(prefix);
    this.eventNotes = `${prefix}/n/`;
  }

  /** Makes the session's records in the core those that are stored now. */
  refresh(id) {
    return this.#read(() => this.#records.catchUp(id));
  }

  /** Writes the group of this ticket. */
  append(id, ticket) {
    return this.#write(id, (known) => {
      const names = this.#append(id, known, ticket);
      return (now) => this.#confirm(id, now, ticket, names);
    });
  }

  /** Sets the session's entries anew. */
  replace(id, entries) {
    return this.#write(id, (known) => this.#replace(id, known, entries, ''));
  }

  /** Forgets the session, stored and in the core. */
  clear(id) {
    return this.#write(id, (known) => this.#replace(id, known, [], '-'));
  }

  /** A `SessionInfo` of each session. */
  sessions() {
    return this.#read(() => {
      for (const id of this.#records.ids()) this.#records.catchUp(id);
      return this.#raw.summaries();
    });
  }

  /** What was found that is no entry. */
  damaged() {
    return this.#read(() => [...this.#records.damaged(), ...this.logs.damaged()].sort((a, b) => a.found - b.found));
  }

  /** Deletes what was set aside of a session. */
  discardDamage(id) {
    return this.#read(() => {
      this.#records.discardDamage(id);
      this.logs.discardDamage(id);
    });
  }

  /** An evicted localStorage cannot be told from an empty one, so nothing is missed. */
  async acceptLoss() {}

  /** Rejects unless something can be written, or was: a full store that holds sessions can be read. */
  probe() {
    return this.#read(() => {
      const key = `${this.#prefix}/p/${this.#tab}`;
      try {
        putAll(this.#records.area, this.#prefix, [[key, '']]);
      } catch (error) {
        if (error.code !== 'quota_exceeded' || this.#records.ids().length === 0) throw error;
      }
      this.#records.area.removeItem(key);
    });
  }

  /** The sessions that there are to move; none where there is no localStorage. */
  async idsToMove() {
    try {
      return await this.#read(() => this.#records.ids());
    } catch (error) {
      if (error.code === 'unavailable') return [];
      throw error;
    }
  }

  /**
   * Hands a session to `write` as the lines of an export, and deletes here what the report of their import says is
   * there. What is there with other content stays here. Resolves to the number of entries added there.
   */
  moveOut(id, write) {
    return this.#read(async () => {
      const { at, keys, doubles } = this.#records.catchUp(id);
      if (keys.length === 0) return 0;
      const { inserted, conflicts } = await write(this.#raw.exportLines(id));
      const ids = conflicts.length === 0 ? [] : this.#raw.newest(id, keys.length).map(({ input }) => input.id);
      this.#remove(at, [...keys.filter((_, index) => !conflicts.includes(ids[index])), ...doubles]);
      return inserted;
    });
  }

  /** Ends everything; resolves when nothing is under way any more. */
  async close() {
    this.#closed = true;
    while (this.#sections.size > 0) await Promise.all(this.#sections);
    this.whenClosed();
  }

  async #read(work) {
    if (this.#closed) throw closed();
    try {
      return await work();
    } catch (error) {
      throw areaError(error);
    }
  }

  /** Stages what is new, writes it and cuts; the names of the keys it wrote. */
  #append(id, known, ticket) {
    const { at, keys, doubles } = known;
    const [texts, drop] = this.#raw.beginTexts(id, ticket);
    const names = texts.map((_, index) => this.#nextName(known) + (index < texts.length - 1 ? '+' : ''));
    this.#staged(id, () => this.#put(names.map((name, index) => [at + name, texts[index]])));
    keys.push(...names);
    if (drop > 0) {
      this.#remove(at, keys.splice(0, drop));
      // A double must not come back in the place of the one that was cut.
      this.#remove(
        at,
        [...doubles].filter((name) => name < keys[0]),
      );
    }
    return names;
  }

  /** An entry of the same id that another tab wrote meanwhile may be the one that counts. */
  #confirm(id, { at, doubles }, ticket, names) {
    if (!names.some((name) => doubles.has(name))) return;
    this.#remove(at, names);
    this.#append(id, this.#records.catchUp(id), ticket);
  }

  /** Writes everything under a new generation, then says that it is the one that counts, then deletes the old one. */
  #replace(id, old, entries, mark) {
    const texts = this.#raw.beginReplaceTexts(id, entries);
    this.#began = Math.max(Date.now(), this.#began + 1);
    const generation = digits(this.#began, 9) + this.#tab + mark;
    const anew = new Known(`${pathOf(this.#prefix, 'e', id)}/${generation}/`);
    anew.keys = texts.map(() => `${this.#nextName(old)}+`);
    const pairs = anew.keys.map((name, index) => [anew.at + name, texts[index]]);
    this.#staged(id, () => {
      if (texts.length + old.keys.length === 0) return;
      try {
        this.#put([...pairs, [pathOf(this.#prefix, 's', id), generation]]);
        this.#records.knowing(id, anew);
        this.#remove(old.at, [...old.keys, ...old.doubles]);
        for (const [name, time] of old.stuck) this.#records.setAside(old, name, time);
      } catch (error) {
        if (error.code !== 'quota_exceeded' || old.keys.length === 0) throw error;
        this.#replaceInPlace(old, texts);
      }
    });
  }

  /**
   * Where there is no room for both lists: leaves what the new one begins with as it is, deletes the others and writes
   * the rest. Other tabs may see that half-way for a moment, and a tab that is killed just then leaves it so.
   */
  #replaceInPlace(known, texts) {
    const { area } = this.#records;
    const stored = known.keys.map((name) => [name, area.getItem(known.at + name)]);
    const kept = [];
    for (const [name, text] of stored) if (text === texts[kept.length]) kept.push(name);
    const gone = stored.filter(([name]) => !kept.includes(name));
    const names = texts.slice(kept.length).map(() => this.#nextName(known));
    this.#remove(
      known.at,
      gone.map(([name]) => name),
    );
    try {
      this.#put(names.map((name, index) => [known.at + name, texts[kept.length + index]]));
    } catch (error) {
      for (const [name, text] of gone) area.setItem(known.at + name, text);
      throw error;
    }
    this.#remove(known.at, known.doubles);
    known.keys = [...kept, ...names];
  }

  /** A name behind all others. */
  #nextName({ keys, doubles, stuck }) {
    for (const name of [...keys.slice(-1), ...doubles, ...stuck.keys()])
      this.#order = Math.max(this.#order, orderOf(name));
    return `${digits(++this.#order, 8)}/${this.#tab}`;
  }

  #put(pairs) {
    putAll(this.#records.area, this.#prefix, pairs);
  }

  #remove(at, names) {
    for (const name of names) this.#records.area.removeItem(at + name);
  }

  /** Does the write of what is staged in the core, which takes it back if that fails. */
  #staged(id, write) {
    try {
      write();
    } catch (error) {
      this.#raw.rollback(id);
      throw error;
    }
    this.#raw.commit(id);
  }

  /** Runs `work` in the session's critical section; what it gives is run at the section's end. */
  #write(id, work) {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw closed();
      const job = { work, resolve, reject };
      const waiting = this.#waiting.get(id);
      if (waiting !== undefined) return waiting.push(job);
      this.#waiting.set(id, [job]);
      const section = exclusively(`turnlog/${this.#prefix}/${id}`, () => this.#section(id));
      this.#sections.add(section);
      return section.finally(() => this.#sections.delete(section));
    });
  }

  async #section(id) {
    const jobs = this.#waiting.get(id);
    this.#waiting.delete(id);
    let known = this.#onceRead(id);
    const begun = jobs.filter((job) => attempt(job, () => (job.end = job.work(known()))));
    await settled();
    known = this.#onceRead(id);
    for (const job of begun) attempt(job, () => job.resolve(job.end?.(known())));
  }

  /** What is known of the session, read once: for one task, in which nobody else writes. */
  #onceRead(id) {
    let isRead = false;
    return () => {
      const known = isRead ? this.#records.known(id) : this.#records.catchUp(id);
      isRead = true;
      return known;
    };
  }
}

/** Runs a job's step; whether it did not fail. */
function attempt(job, step) {
  try {
    step();
    return true;
  } catch (error) {
    job.reject(areaError(error));
    return false;
  }
}

const closed = () => new StoreError('closed', 'the store was closed');
