// Event-sourced sessions in the database: a row for each one's header, and its events in segments, each under the number
// of its last event. (What a place of event logs is: session/stored-log.js.)
//
// A write names the header and the last event it was made behind, and asks for both along with what it puts: another writer's
// events, or another session of that name, and it is undone. No lock is held.

import { joinedBytes, sameBytes } from '../bytes.js';
import { keepAside } from './damage.js';
import { EVENTS, LOGS, SIDE } from './opening.js';
import { keysAndValues, resultOf } from './requests.js';

const BOTH = [EVENTS, LOGS];

/** The segments of a session whose last event has this number, or a later one. An array stands behind all numbers. */
const rows = (key, from = 0) => IDBKeyRange.bound([key, from], [key, []]);

export class StoredLogs {
  #connection;
  #house;
  /** Whether every log was seen to have a header. */
  #isWhole = false;

  constructor(connection, house) {
    this.#connection = connection;
    this.#house = house;
  }

  /** A session's header, and its segments in order; neither where it is not stored. */
  read(key) {
    // In one transaction, so that it is one state.
    return this.#connection.run('readonly', (events, logs) => readLog(events, logs, key), BOTH);
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
      const isThere = isNew ? stored === undefined : isSame(stored, header);
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

  /**
   * Takes segments at these positions out of the log that was read, and keeps them aside. `header`: what is to stand for a
   * damaged one. False, and nothing happens, where something else is stored by now: somebody else did the same, and has
   * perhaps gone on.
   */
  async setAside(key, sessionId, { header: before, rows: found, values }, apart, header) {
    const cut = async (events, logs, side, ending) => {
      const now = await readLog(events, logs, key);
      if (!isSame(now.header, before) || apart.some((at) => !isSame(now.values[at], values[at]))) {
        ending.abort();
        return false;
      }
      const old = header === undefined || before === undefined ? [] : [before];
      keepAside(side, sessionId, 0, [...old, ...apart.map((at) => values[at])]);
      if (header !== undefined) logs.put(header, key);
      for (const at of apart) for (const row of found[at]) events.delete(row);
      await resultOf(side.count());
      return true;
    };
    return this.#connection.run('readwrite', cut, [...BOTH, SIDE]);
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

  /**
   * `[key, header]` of all; without a header where that is missing. Rejects with `evicted` where some are gone that nobody
   * removed.
   */
  async list() {
    await this.checkLoss();
    const [keys, values] = await this.#connection.run('readonly', (logs) => keysAndValues(logs), [LOGS]);
    const isLess = await this.#house.missesLogs(keys.length);
    const headless = this.#isWhole && !isLess ? [] : await this.#headless(keys);
    this.#isWhole ||= headless.length === 0;
    if (isLess) await this.#house.checkLogs(keys.length + headless.length);
    return [...keys.map((key, index) => [key, values[index]]), ...headless.map((key) => [key])];
  }

  /** Sessions that have segments and no header. */
  #headless(keys) {
    const known = new Set(keys);
    const find = (events) =>
      new Promise((resolve, reject) => {
        const found = [];
        const request = events.openKeyCursor();
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const { result: cursor } = request;
          if (cursor === null) return resolve(found);
          const [key] = cursor.key;
          if (!known.has(key)) found.push(key);
          // From session to session.
          return cursor.continue([key, []]);
        };
      });
    return this.#connection.run('readonly', find, [EVENTS]);
  }
}

async function readLog(events, logs, key) {
  // One request for each value, since several large ones in one answer take more than twice as long (measured).
  const header = resultOf(logs.get(key));
  const keys = await resultOf(events.getAllKeys(rows(key)));
  const values = await Promise.all(keys.map((row) => resultOf(events.get(row))));
  return { header: await header, ...joined(keys, values) };
}

/** Of what is no bytes only that. */
function isSame(a, b) {
  const isBytes = [a, b].map((value) => value instanceof Uint8Array);
  return isBytes[0] === isBytes[1] && (!isBytes[0] || sameBytes(a, b));
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
  return joinedBytes(parts);
}
