// A session's stored records, as requests of a transaction. The core says what they mean.

import { StoreError } from '../glue.js';
import { headIsMissing, putHead, readHeads } from './heads.js';
import { resultOf } from './requests.js';

/** The chunks of a session whose last records are numbered `from` to `to`. */
export function keyRange(id, from, to = Infinity) {
  // A longer array sorts behind its own beginning, so this is past every part of chunk `to`.
  return IDBKeyRange.bound([id, from], [id, to === Infinity ? Infinity : to + 0.5]);
}

/** The heads, as `readHeads` gives them. A session without one has no chunks either, or something went missing. */
export async function headsOf(id, chunks, heads) {
  const read = await readHeads(heads, id);
  if (read.head === undefined && (await resultOf(chunks.getKey(keyRange(id, 0)))) !== undefined) throw headIsMissing();
  return read;
}

/** Loads everything from a record on, in one request: for what is short. */
export async function loadAll(raw, id, chunks, from) {
  load(raw, id, await resultOf(chunks.getAll(keyRange(id, from))), from, Infinity);
}

/** Hands values to the core, and gives the number of the next record. */
export function load(raw, id, values, from, page) {
  const reached = raw.load(id, values);
  if (reached === from && values.length < page) throw new StoreError('corrupt', 'stored records are missing');
  return reached;
}

/** Issues all of a plan's requests at once, behind the head of this number; resolves with the last one. */
export function put(id, [deletes, keys, values, head, sweeps], chunks, heads, number) {
  for (let at = 0; at < deletes.length; at += 2) chunks.delete(keyRange(id, deletes[at], deletes[at + 1]));
  for (let at = 0; at < values.length; at++) chunks.put(values[at], [id, keys[2 * at], keys[2 * at + 1]]);
  return putHead(heads, id, number, head, sweeps);
}
