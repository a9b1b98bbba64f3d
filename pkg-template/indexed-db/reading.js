// Brings a session's stored records into the core, page by page, each in a transaction of its own: one that took
// everything at once would keep other tabs' writes waiting (measured).

import { StoreError } from '../glue.js';
import { headIsMissing, readHeads } from './heads.js';
import { headsOf, keyRange, load, loadAll } from './records.js';
import { resultOf } from './requests.js';

/** How many values one reading transaction takes. */
const PAGE = 32;

/** Loads what is missing. */
export async function catchUp(connection, raw, known, id) {
  // A session that was never read is read from its start, without asking first where that is.
  let from = raw.isKnown(id) ? await firstMissing(connection, raw, known, id) : 0;
  let page = PAGE;
  let fetched = from === undefined ? undefined : fetchPage(connection, id, from, page);
  while (fetched !== undefined) {
    const { read, last, full } = await fetched.known;
    // While these values are on their way, the next page is asked for.
    const ahead = full ? fetchPage(connection, id, last + 1, page) : undefined;
    const values = await fetched.values;
    from = adopt(raw, known, id, read);
    if (from === undefined) return;
    const reached = from < fetched.from ? from : load(raw, id, values, from, page);
    if (raw.isCurrent(id, read.head)) return;
    // A chunk larger than a page: more at once.
    page = reached === from && from >= fetched.from ? page * 4 : PAGE;
    fetched = ahead?.from === reached ? ahead : fetchPage(connection, id, reached, page);
  }
}

/** Loads the session's newest `count` records into `apart`, an empty store of the core, without the others. */
export async function loadTail(connection, id, count, apart) {
  await connection.run('readonly', async (chunks, heads) => {
    const from = apart.catchUpTail(id, (await headsOf(id, chunks, heads)).heads, count);
    if (from !== undefined) await loadAll(apart, id, chunks, from);
    if (!apart.isKnown(id)) throw new StoreError('corrupt', 'stored records are missing');
  });
}

/** Has the core's records belong to these heads; gives the number of the first one that is missing. */
export function adopt(raw, known, id, { number, heads }) {
  known.forget(id);
  const missing = raw.catchUp(id, heads);
  known.note(id, number);
  return missing;
}

function firstMissing(connection, raw, known, id) {
  return connection.run('readonly', async (chunks, heads) => adopt(raw, known, id, await headsOf(id, chunks, heads)));
}

/**
 * Asks for a page of stored values from record `from` on. `known` resolves to the heads and to the last
 * record's number while the values are still on their way. One request for each value, all at once:
 * values of 60 KB that come in one answer take more than twice as long (measured).
 */
function fetchPage(connection, id, from, page) {
  let tell;
  const told = new Promise((resolve) => (tell = resolve));
  const values = connection.run('readonly', async (chunks, heads) => {
    const stored = readHeads(heads, id);
    const keys = await resultOf(chunks.getAllKeys(keyRange(id, from), page));
    const asked = keys.map((key) => resultOf(chunks.get(key)));
    const read = await stored;
    if (read.head === undefined && keys.length > 0) throw headIsMissing();
    tell({ read, last: keys.at(-1)?.[1], full: keys.length === page });
    return Promise.all(asked);
  });
  const known = Promise.race([told, values]);
  // A page that turns out not to be wanted may fail unseen.
  for (const promise of [known, values]) promise.catch(() => {});
  return { from, known, values };
}
