// The stored heads, by number. Every write of a session adds its head under the next number, so that a writer who does not
// know the newest one fails by the key alone: its write need not wait for what it read, which makes one round trip of two.
//
// Such a writer is told by a key behind its own, which it asks for along with its write. Either its number is taken, so that
// its write is undone; or the row of that number is gone already, and what it added stands before the newest head, where
// nobody takes it for one and a later write deletes it. That is why numbers only grow, and why a session that was cleared
// keeps a row.

import { StoreError } from '../glue.js';
import { keysAndValues, resultOf } from './requests.js';

/** How long the row of a cleared session stays, in ms. */
const KEEP_MS = 7 * 86_400_000;
/** How long a number is trusted, in ms: much less, so that nobody knows a session from before its row was deleted. */
const TRUST_MS = 3_600_000;

/** What the row of a cleared session holds. */
export const cleared = () => ({ cleared: Date.now() });
const isCleared = (value) => typeof value?.cleared === 'number';

/** A session's rows of these numbers; an array stands behind all numbers. */
const rows = (id, from = -Infinity, to = []) => IDBKeyRange.bound([id, from], [id, to]);

/** A stored head as the core takes it. Something else than bytes is one that cannot be read, not one that is missing. */
export function headBytes(value) {
  if (value === undefined || isCleared(value)) return undefined;
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/**
 * The session's heads, as the core takes them, the newest one last (none for a session that was cleared), and their stored
 * values; the number of the newest row (0 where there is none), and the newest head.
 */
export async function readHeads(store, id) {
  const [keys, values] = await keysAndValues(store, rows(id));
  const head = headBytes(values.at(-1));
  // Before the row of a cleared session there may be what is left of a write that did not count.
  const stored = head === undefined ? [] : values.filter((value) => !isCleared(value));
  return { number: keys.at(-1)?.[1] ?? 0, head, heads: stored.map(headBytes), values: stored };
}

/** The key of a row behind that of this number, which is then not the newest; undefined where there is none. */
export function keyBehind(heads, id, number) {
  return resultOf(heads.getKey(rows(id, number + 1)));
}

/** The newest rows: `[id, value]` of all sessions that have a head, and whether there are rows that can go. */
export async function allHeads(heads) {
  const keys = await resultOf(heads.getAllKeys());
  // Each session's last one.
  const newest = keys.filter(([id], index) => id !== keys[index + 1]?.[0]);
  const values = await Promise.all(newest.map((key) => resultOf(heads.get(key))));
  const stored = newest.map(([id], index) => [id, values[index]]).filter(([, value]) => !isCleared(value));
  return { stored, isLittered: values.some(isOld) };
}

/** Deletes the rows of sessions that were cleared long ago. */
export async function sweepCleared(heads) {
  const [keys, values] = await keysAndValues(heads);
  const old = keys.filter((_, index) => isOld(values[index]));
  await Promise.all(old.map((key) => resultOf(heads.delete(key))));
}

function isOld(value) {
  return isCleared(value) && Date.now() - value.cleared > KEEP_MS;
}

/**
 * Puts a head behind the newest row, which has this number; where there is neither, nothing. Resolves when the request has,
 * which is to be the last one of the write. The rows before it are needed until their records are in chunks: they go when
 * `isSweeping`.
 */
export function putHead(heads, id, number, value, isSweeping) {
  const swept = isSweeping ? resultOf(heads.delete(rows(id, undefined, number))) : undefined;
  return value === undefined ? swept : resultOf(heads.add(value, [id, number + 1]));
}

export function headIsMissing() {
  return new StoreError('corrupt', 'the head of the stored records is missing');
}

/** The numbers of the heads that the records in the core belong to. */
export class KnownHeads {
  #numbers = new Map();

  /** The number of the session's newest head, if that was known a short while ago. */
  of(id) {
    const { number, at } = this.#numbers.get(id) ?? {};
    const age = Date.now() - at;
    return age >= 0 && age < TRUST_MS ? number : undefined;
  }

  note(id, number) {
    this.#numbers.set(id, { number, at: Date.now() });
  }

  forget(id) {
    this.#numbers.delete(id);
  }

  /** It may be another database than before. */
  forgetAll() {
    this.#numbers.clear();
  }
}
