// Rows of transcripts in the database. (What a place of rows is: session/stored-transcripts.js.)
//
// `['transcript', key]` says under which mark they were written last, and how many there are; `['transcript', key, n]` is
// one of them.

import { SIDE } from './opening.js';
import { resultOf } from './requests.js';

const head = (key) => ['transcript', key];
const rowsFrom = (key, row) => IDBKeyRange.bound(['transcript', key, row], ['transcript', key, []]);

export class StoredRows {
  #connection;

  constructor(connection) {
    this.#connection = connection;
  }

  readRows(key) {
    const read = async (side) => {
      const [found, rows] = await Promise.all([side.get(head(key)), side.getAll(rowsFrom(key, 0))].map(resultOf));
      const { mark, count } = found ?? {};
      // A row that is missing is one that cannot be read.
      return { mark, rows: mark === undefined || rows.length === count ? rows : [undefined] };
    };
    return this.#connection.run('readonly', read, [SIDE]);
  }

  writeRows(key, mark, next, count, changed) {
    const write = async (side, ending) => {
      const stored = resultOf(side.get(head(key)));
      side.delete(rowsFrom(key, mark === undefined ? 0 : count));
      for (const [row, value] of changed) side.put(value, ['transcript', key, row]);
      const put = resultOf(side.put({ mark: next, count }, head(key)));
      if (mark !== undefined && (await stored)?.mark !== mark) {
        ending.abort();
        return false;
      }
      await put;
      return true;
    };
    return this.#connection.run('readwrite', write, [SIDE]);
  }

  async removeRows(key) {
    const remove = (side) => {
      side.delete(rowsFrom(key, 0));
      return resultOf(side.delete(head(key)));
    };
    await this.#connection.run('readwrite', remove, [SIDE]);
  }
}
