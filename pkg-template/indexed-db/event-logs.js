// Event-sourced sessions in the database: a row for each one's header, and its events in segments, each under the number
// of its last event. (What a place of event logs is: session/stored-log.js.)
//
// A write names the header and the last event it was made behind, and asks for both along with what it puts: another writer's
// events, or another session of that name, and it is undone. No lock is held.

import { sameBytes } from '../bytes.js';
import { keepAside } from './damage.js';
import { EVENTS, LOGS, SIDE } from './opening.js';
import { keysAndValues, resultOf } from './requests.js';

const BOTH = [EVENTS, LOGS];

/** The segments of a session whose last event has this number, or a later one. An array stands behind all numbers. */
const rows = (key, from = 0) => IDBKeyRange.bound([key, from], [key, []]);

export class StoredLogs {
  #connection;
  #house;

  constructor(connection, house) {
    this.#connection = connection;
    this.#house = house;
  }

  /** A session's header, and its segments in order; neither where it is not stored. */
  read(key) {
    // In one transaction, so that it is one state; one request for each value, since several large ones in one answer take
    // more than twice as long (measured).
    const read = async (events, logs) => {
      const header = resultOf(logs.get(key));
      const keys = await resultOf(events.getAllKeys(rows(key)));
      const values = await Promise.all(keys.map((row) => resultOf(events.get(row))));
      return { header: await header, ...joined(keys, values) };
    };
    return this.#connection.run('readonly', read, BOTH);
  }

  /**
   * Puts segments behind the log that has this header and ends before number `end`, in the place of those from number `from`
   * on. False, and nothing is written, where there is no such log, or one though `isNew`.
   */
  async write(key, { header, end, isNew }, { from, keys, values }) {
    const write = async (events, logs, ending) => {
      const found = [resultOf(logs.get(key)), resultOf(events.openKeyCursor(rows(key), 'prev'))];
      if (isNew) logs.put(header, key);
      if (from < end) events.delete(rows(key, from));
      const puts = values.map((value, at) => resultOf(events.put(value, [key, keys[2 * at], keys[2 * at + 1]])));
      const [stored, last] = await Promise.all(found);
      const isThere = isNew ? stored === undefined : stored !== undefined && sameBytes(stored, header);
      if (!isThere || (last === null ? 0 : last.key[1] + 1) !== end) {
        ending.abort();
        return false;
      }
      await puts.at(-1);
      return true;
    };
    const isWritten = await this.#connection.run('readwrite', write, BOTH);
    if (isWritten) this.#house.wroteLog();
    return isWritten;
  }

  /** Takes a log's segments from a position on out of it, and keeps them aside. `header`: what is to stand for a damaged one. */
  async setAside(key, sessionId, { rows: found, values }, apart, header) {
    const cut = async (events, logs, side) => {
      keepAside(side, sessionId, 0, apart.map((at) => values[at]));
      if (header !== undefined) logs.put(header, key);
      for (const at of apart) for (const row of found[at]) events.delete(row);
      return resultOf(side.count());
    };
    await this.#connection.run('readwrite', cut, [...BOTH, SIDE]);
  }

  /** Keeps text aside that has no place in a log any more. */
  async keepText(sessionId, text) {
    const keep = (side) => {
      keepAside(side, sessionId, 0, [new TextEncoder().encode(text)]);
      return resultOf(side.count());
    };
    await this.#connection.run('readwrite', keep, [SIDE]);
  }

  async remove(key) {
    const remove = (events, logs) => {
      events.delete(rows(key));
      return resultOf(logs.delete(key));
    };
    this.#house.removing();
    await this.#connection.run('readwrite', remove, BOTH);
    this.#house.removed();
  }

  /** Rejects with `evicted` where the browser has deleted the database. */
  checkLoss() {
    return this.#house.checkLoss();
  }

  /** `[key, header]` of all. Rejects with `evicted` where some are gone that nobody removed. */
  async list() {
    await this.checkLoss();
    const [keys, values] = await this.#connection.run('readonly', (logs) => keysAndValues(logs), [LOGS]);
    return keys.map((key, index) => [key, values[index]]);
  }
}

/** How many event logs there are. */
export function countLogs(connection) {
  return connection.run('readonly', (logs) => resultOf(logs.count()), [LOGS]);
}

/** Each segment in one piece, and the keys of its parts. */
function joined(keys, values) {
  const segments = [];
  keys.forEach(([, , part], index) => {
    if (part === 0 || segments.length === 0) segments.push({ rows: [], parts: [] });
    segments.at(-1).rows.push(keys[index]);
    segments.at(-1).parts.push(values[index]);
  });
  return { rows: segments.map(({ rows }) => rows), values: segments.map(({ parts }) => concatenated(parts)) };
}

/** Where something else than bytes was stored it stands for itself, and is found damaged. */
function concatenated(parts) {
  if (parts.length === 1 || parts.some((part) => !(part instanceof Uint8Array))) return parts[0];
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
