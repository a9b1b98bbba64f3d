// Rows of transcripts in localStorage, a key each: PREFIX/r/KEY/N, and PREFIX/m/KEY, which says under which mark they were
// written last and how many there are. (What a place of rows is: session/stored-transcripts.js.)

import { areaError, keysIn, openArea, putAll } from './area.js';
import { pathOf } from './keys.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class NotedRows {
  #prefix;

  constructor(prefix) {
    this.#prefix = prefix;
  }

  async readRows(key) {
    return this.#with((area) => {
      const { mark, count = 0 } = this.#head(area, key);
      const texts = Array.from({ length: count }, (_, row) => area.getItem(this.#row(key, row)));
      return { mark, rows: texts.map((text) => (text === null ? undefined : encoder.encode(text))) };
    });
  }

  async writeRows(key, mark, next, count, changed) {
    return this.#with((area) => {
      if (mark !== undefined && this.#head(area, key).mark !== mark) return false;
      const pairs = changed.map(([row, value]) => [this.#row(key, row), decoder.decode(value)]);
      const before = pairs.map(([name]) => [name, area.getItem(name)]);
      try {
        // The old ones make room first; what says that they count comes last.
        for (const [name] of pairs) area.removeItem(name);
        putAll(area, this.#prefix, [...pairs, [this.#path('m', key), JSON.stringify({ mark: next, count })]]);
      } catch (error) {
        for (const [name, text] of before) if (text !== null) area.setItem(name, text);
        throw error;
      }
      for (const name of this.#rows(area, key)) if (Number(name.slice(name.lastIndexOf('/') + 1)) >= count) area.removeItem(name);
      return true;
    });
  }

  async removeRows(key) {
    this.#with((area) => {
      for (const name of [...this.#rows(area, key), this.#path('m', key)]) area.removeItem(name);
    });
  }

  /** `{ mark, count }`; neither where that is not there, or cannot be read. */
  #head(area, key) {
    try {
      return JSON.parse(area.getItem(this.#path('m', key))) ?? {};
    } catch {
      return {};
    }
  }

  #with(work) {
    try {
      return work(openArea(this.#prefix));
    } catch (error) {
      throw areaError(error);
    }
  }

  #path(kind, key) {
    return pathOf(this.#prefix, kind, key);
  }

  #row(key, row) {
    return `${this.#path('r', key)}/${row}`;
  }

  #rows(area, key) {
    return keysIn(area, `${this.#path('r', key)}/`);
  }
}
