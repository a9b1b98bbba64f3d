// Event logs that last as long as the page: a place like those of the databases.

import { joinedBytes } from '../bytes.js';

export class MemoryLogs {
  #logs = new Map();

  async read(key) {
    const { header, segments = [] } = this.#logs.get(key) ?? {};
    return { header, rows: [], values: segments.map(({ value }) => value) };
  }

  async write(key, { header, end, isNew }, { from, keys, values }) {
    const log = this.#logs.get(key);
    const isThere = isNew ? log === undefined : log?.header === header;
    if (!isThere || (log?.end ?? 0) !== end) return false;
    const kept = (log?.segments ?? []).filter(({ last }) => last < from);
    this.#logs.set(key, { header, end: keys.at(-2) + 1, segments: [...kept, ...whole(keys, values)] });
    return true;
  }

  async remove(key) {
    this.#logs.delete(key);
  }

  async list() {
    return Array.from(this.#logs, ([key, { header }]) => [key, header]);
  }
}

/** Segments whose parts are put together again. */
function whole(keys, values) {
  const segments = [];
  values.forEach((value, at) => {
    if (keys[2 * at + 1] === 0) segments.push({ last: keys[2 * at], parts: [value] });
    else segments.at(-1).parts.push(value);
  });
  return segments.map(({ last, parts }) => ({ last, value: joinedBytes(parts) }));
}
