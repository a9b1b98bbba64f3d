// Damaged records: the readable rest goes on, what is damaged is kept aside in the same transaction, so that at no
// moment it is in neither place.

import { mark } from '../mark.js';
import { CHUNKS, HEADS, SIDE } from './opening.js';
import { cleared, readHeads } from './heads.js';
import { keyRange, put } from './records.js';
import { keysAndValues, resultOf } from './requests.js';

const ALL = [CHUNKS, HEADS, SIDE];

/**
 * Sets a session anew with what is sound of it; nothing happens when all is. Where that cannot be written (the disk is
 * full, say) reads go on with the sound rest in memory, and the failure is the writers': false is given then.
 */
export async function salvage(connection, raw, known, id, isForReading) {
  let staged = false;
  let number;
  known.forget(id);
  try {
    await connection.run('readwrite', async (chunks, heads, side) => {
      if (staged) raw.rollback(id);
      staged = false;
      const range = keyRange(id, 0);
      const requests = [readHeads(heads, id), keysAndValues(chunks, range)];
      const [read, [keys, values]] = await Promise.all(requests);
      const found = raw.beginSalvage(id, read.heads, keys.map(([, last]) => last), values);
      if (found === undefined) return;
      staged = true;
      const [plan, keepHead, damaged, damagedHeads, lost] = found;
      const aside = [...damaged.map((at) => values[at]), ...damagedHeads.map((at) => read.values[at])];
      keepAside(side, id, lost, aside);
      if (!keepHead) plan[3] = cleared();
      // Where rows went missing, another tab may know a higher number than is there.
      number = Math.max(read.number, Date.now());
      await put(id, plan, chunks, heads, number);
    }, ALL);
  } catch (error) {
    if (staged && isForReading && error.code !== 'closed') {
      raw.keepUnwritten(id);
      return false;
    }
    if (staged) raw.rollback(id);
    throw error;
  }
  if (staged) {
    raw.commit(id);
    known.note(id, number + 1);
  }
  return true;
}

/** Keeps values aside, as they are, each under a key of its own. */
export function keepAside(side, sessionId, entries, values) {
  const found = mark();
  side.put({ found: Date.now(), entries }, ['damaged', sessionId, found]);
  values.forEach((value, index) => side.put(value, ['damaged', sessionId, found, index]));
}

/** What was kept aside, oldest first. */
export async function listDamage(connection) {
  const range = damageRange();
  const [keys, values] = await connection.run('readonly', (side) => keysAndValues(side, range), [SIDE]);
  const list = [];
  keys.forEach(([, sessionId, , index], at) => {
    if (index === undefined) list.push({ sessionId, ...values[at], bytes: [] });
    else list.at(-1).bytes.push(bytesOf(values[at]));
  });
  return list.sort((a, b) => a.found - b.found);
}

/** Deletes what was kept aside of a session. */
export function discardDamage(connection, sessionId) {
  return connection.run('readwrite', (side) => resultOf(side.delete(damageRange(sessionId))), [SIDE]);
}

function damageRange(...session) {
  const from = ['damaged', ...session];
  return IDBKeyRange.bound(from, [...from, []]);
}

/** Something else than bytes was stored: as its JSON. */
function bytesOf(value) {
  return value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value) ?? String(value));
}
