// What a page had not written when it was left or frozen: kept in localStorage, which survives that in every browser,
// and (but in WebKit) in the database with one put that nothing waits for. The next store that opens adds it by id.

import { isWebKit } from '../page-life.js';
import { noteKeys, readNote, removeNote, writeNote } from '../page-storage.js';
import { mark } from '../mark.js';
import { SIDE } from './opening.js';
import { keysAndValues, resultOf } from './requests.js';

export class LeftBehind {
  #prefix;
  #own = mark();
  #count = 0;

  constructor(name) {
    this.#prefix = `turnlog:${name}:spill:`;
  }

  /** Keeps sessions in the form of an export. */
  keep(texts) {
    for (const text of texts) writeNote(`${this.#prefix}${this.#own}:${String(this.#count++).padStart(6, '0')}`, text);
  }

  /** The same in the database, for where localStorage is full or denied. */
  keepIn(database, texts) {
    if (texts.length === 0 || isWebKit()) return;
    const transaction = database.transaction(SIDE, 'readwrite');
    transaction.objectStore(SIDE).put(texts, ['spill', this.#own]);
    transaction.commit?.();
  }

  /** `[key, text]` of what other pages left in localStorage. */
  notes() {
    const others = noteKeys(this.#prefix).filter((key) => !key.startsWith(this.#prefix + this.#own)).sort();
    return others.map((key) => [key, readNote(key)]).filter(([, text]) => text !== undefined);
  }

  /** `[key, texts]` of what other pages left in the database. */
  async stored(connection) {
    const range = IDBKeyRange.bound(['spill'], ['spill', []]);
    const [keys, values] = await connection.run('readonly', (side) => keysAndValues(side, range), [SIDE]);
    return keys.map((key, index) => [key, values[index]]).filter(([[, page]]) => page !== this.#own);
  }

  /** It is in the database now. */
  drop(key) {
    removeNote(key);
  }

  dropStored(connection, key) {
    return connection.run('readwrite', (side) => resultOf(side.delete(key)), [SIDE]);
  }

  /** What this page left behind it has written itself by now. */
  async dropOwn(connection) {
    if (this.#count === 0) return;
    this.#count = 0;
    for (const key of noteKeys(this.#prefix + this.#own)) removeNote(key);
    await this.dropStored(connection, ['spill', this.#own]);
  }
}
