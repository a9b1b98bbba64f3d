// Writes one session's events to where they last, behind those that are there, and finds out when somebody else did.
//
// Where event logs last is a *place*: a database, localStorage or memory. It keeps a log under a key, the JSON text of the
// session's id, and has the methods `read(key)`, which gives `{ header, values, rows }`, the bytes of the header and of each
// segment in order; `write(key, log, segments)`, which writes behind a log that has this header and ends there or, where there
// is none such, gives false; `setAside`, which gives false where something else is stored than was read; `keepText`,
// `remove(key)` and `list()`. All of a write happens or nothing.
//
// So two writers of one session are told apart by what is stored, and not by a lock, which a frozen page would keep. The one
// who comes second has a *conflict*: its events stay in memory, and can go on as a fork.

import { core } from '../core.js';
import { sameBytes } from '../bytes.js';
import { SessionError, StoreError, valueOf } from '../glue.js';
import { bytesOf } from './session.js';

/** Segments behind the last full one are put together when there are so many, or so many bytes of them. */
const MOST_SEGMENTS = 32;
const MOST_BYTES = 48_000;
/** How often a write that was beaten by another one is tried again. */
const TRIES = 5;

const encoder = new TextEncoder();

export class StoredLog {
  #place;
  #id;
  #key;
  /** The header as it is stored, or will be. */
  #header;
  #isNew;
  /** How many events are stored. */
  #end;
  /** Where the segments begin that are not full. */
  #tail;
  /** Where the events come from: `length`, and `text(from, to)`, which gives them as one JSON array. */
  #source;
  #writing;
  #conflict;

  /** `log`: `{ header, isNew, end, tail }` of what is stored; `header` is sealed, `tail` may be missing (`tailOf`). */
  constructor(place, id, { header, isNew, end, tail }, source) {
    this.#place = place;
    this.#id = id;
    this.#key = keyOf(id);
    this.#header = header;
    this.#isNew = isNew;
    this.#end = end;
    this.#source = source;
    this.#tail = tail ?? sealedAt(end);
  }

  get end() {
    return this.#end;
  }

  get hasConflict() {
    return this.#conflict !== undefined;
  }

  get isBehind() {
    return this.#end < this.#source.length;
  }

  /** What another store needs to go on from here: `[log, text]` with the events that are not stored. */
  get rest() {
    const log = { id: this.#id, header: new TextDecoder().decode(this.#header), isNew: this.#isNew, end: this.#end };
    return [log, this.#source.text(this.#end, this.#source.length)];
  }

  /** Resolves when all events that there are now are stored. Rejects with `conflict` for ever once somebody else wrote. */
  async flush() {
    const { length } = this.#source;
    while (this.#end < length) {
      // What was begun before may not have had all of them.
      await (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)));
    }
  }

  /** Writes nothing more; resolves when nothing is being written. */
  async stop() {
    this.#conflict ??= new StoreError('closed', `session "${this.#id}" is not live any more`);
    await this.#writing?.catch(() => {});
  }

  async #write() {
    if (this.#conflict !== undefined) throw this.#conflict;
    for (let tries = 1; tries <= TRIES; tries++) {
      const { length } = this.#source;
      if (this.#end >= length) return;
      const isFull = this.#tail.segments + 1 >= MOST_SEGMENTS || this.#tail.bytes >= MOST_BYTES;
      const from = isFull && this.#place.merges !== false ? this.#tail.from : this.#end;
      const [keys, values] = core().packEvents(this.#key, from, encoder.encode(this.#source.text(from, length)));
      const log = { header: this.#header, end: this.#end, isNew: this.#isNew };
      if (await this.#place.write(this.#key, log, { from, keys, values })) {
        this.#isNew = false;
        this.#end = length;
        if (isFull) {
          this.#tail = sealedAt(length);
          return;
        }
        this.#tail.segments += values.length;
        this.#tail.bytes += values.reduce((bytes, { length: of }) => bytes + of, 0);
        return;
      }
      await this.#adopt();
    }
    throw new StoreError('unavailable', `session "${this.#id}" could not be stored: others wrote all the time`);
  }

  /** Something else is stored than was known: it may be our own, from a write that was not heard of any more. */
  async #adopt() {
    const read = await this.#place.read(this.#key);
    const log = new (core().RawStoredLog)(this.#key, read.values);
    const apart = Array.from(log.apart());
    if (apart.length > 0 && log.length >= this.#end) await this.#place.setAside(this.#key, this.#id, read, apart);
    const text = encoder.encode(this.#source.text(this.#end, this.#source.length));
    const known = log.matching(this.#end, text);
    const isOurs = read.header !== undefined && this.#isSameLog(read.header);
    const { length } = log;
    log.free();
    const isPart = this.#end + known === Math.min(length, this.#source.length);
    if (!isOurs || length < this.#end || !isPart) {
      this.#conflict = new SessionError('conflict', `session "${this.#id}" was written to by somebody else`, {
        details: { stored: length, own: this.#end },
      });
      throw this.#conflict;
    }
    this.#header = read.header;
    this.#isNew = false;
    this.#end += known;
    this.#tail = sealedAt(this.#end);
  }

  /** Of a session that was not stored yet, one of the same folder that begins with these very events is the same one. */
  #isSameLog(stored) {
    if (!this.#isNew) return stored instanceof Uint8Array && sameBytes(stored, this.#header);
    const [own, other] = [this.#header, stored].map((header) => valueOf(unsealedHeader(this.#key, header)));
    return own.cwd === other.cwd;
  }
}

/** No segments that are not full, from this event on. */
const sealedAt = (from) => ({ from, segments: 0, bytes: 0 });

/**
 * The segments at the end of what was read that are not full, so that those of many short visits are put together, too. Where
 * rows do not tell their events' numbers there are none.
 */
export function tailOf({ rows, values }, end) {
  const tail = sealedAt(end);
  for (let at = values.length - 1; at >= 0 && Array.isArray(rows[at]); at--) {
    if (tail.bytes + values[at].length > MOST_BYTES) break;
    tail.segments++;
    tail.bytes += values[at].length;
    tail.from = at === 0 ? 0 : rows[at - 1][0][1] + 1;
  }
  return tail;
}

/** The key that a session's log has. Half a surrogate pair is escaped in it, since not every place keeps one. */
export const keyOf = (id) => JSON.stringify(id);

/** A header as a new log is stored with. */
export function sealedHeader(header, mark) {
  return core().sealHeader(keyOf(header.id), bytesOf(header), mark);
}

/** The header that is stored. Throws `corrupt` for what is none. */
export function unsealedHeader(key, sealed) {
  return core().unsealHeader(key, sealed instanceof Uint8Array ? sealed : new Uint8Array());
}
