// Transcripts beside their sessions: the frame of a snapshot, and its records in groups by position, each a value of its own
// with a check value, so that what is written is what has changed.
//
// A place keeps rows under a key: `readRows(key)` gives `{ mark, rows }`, with `rows` from 0 without holes, and
// `writeRows(key, mark, next, count, changed)` puts `[n, value]` of the rows that are others than under `mark`, as one; false
// where the stored ones are of another mark, unless that is undefined: then all rows are given, and no other ones stay.

import { core } from '../core.js';
import { StoreError } from '../glue.js';
import { mark as newMark } from '../mark.js';
import { keyOf } from './stored-log.js';

/** How many records stand in one value. */
const GROUP = 16;
/** The bytes of a sealed value that tell it from others. */
const SEAL = 17;
/** How a frame begins, which has no records. */
const EMPTY = '{"records":[]';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const latin = new TextDecoder('latin1');

export class StoredTranscripts {
  #place;
  /** By state, and in it by key: the mark it was saved or read under, and the seals of its rows. */
  #known = new WeakMap();

  constructor(place) {
    this.#place = place;
  }

  async save(id, state, raw) {
    const key = keyOf(id);
    const rows = [raw.frame()];
    for (let at = 0; at < raw.length; at += GROUP) rows.push(raw.records(at, at + GROUP));
    const values = rows.map((text) => core().sealText(key, text));
    const seals = values.map((value) => latin.decode(value.subarray(0, SEAL)));
    const known = this.#known.get(state)?.get(key);
    const all = values.map((value, row) => [row, value]);
    const changed = all.filter(([row]) => seals[row] !== known?.seals[row]);
    const mark = newMark();
    const isWritten = known !== undefined && (await this.#place.writeRows(key, known.mark, mark, all.length, changed));
    if (!isWritten) await this.#place.writeRows(key, undefined, mark, all.length, all);
    this.#note(state, key, mark, seals);
  }

  /** Hands the stored snapshot's text to `restore`, which gives the state; undefined where there is none. */
  async open(id, restore) {
    const key = keyOf(id);
    const { mark, rows } = await this.#place.readRows(key);
    if (mark === undefined) return undefined;
    const texts = rows.map((value) => this.#unsealed(key, value));
    const [frame, ...groups] = texts;
    if (frame?.startsWith(EMPTY) !== true) throw damaged(id);
    const records = groups.map((text) => text.slice(1, -1)).join();
    const state = restore(`${EMPTY.slice(0, -1)}${records}]${frame.slice(EMPTY.length)}`);
    this.#note(state, key, mark, rows.map((value) => latin.decode(value.subarray(0, SEAL))));
    return state;
  }

  async remove(id) {
    await this.#place.removeRows(keyOf(id));
  }

  #unsealed(key, value) {
    if (!(value instanceof Uint8Array)) throw damaged(JSON.parse(key));
    try {
      return decoder.decode(core().unsealText(key, value));
    } catch (error) {
      throw error.code === 'corrupt' ? damaged(JSON.parse(key)) : error;
    }
  }

  #note(state, key, mark, seals) {
    if (!this.#known.has(state)) this.#known.set(state, new Map());
    this.#known.get(state).set(key, { mark, seals });
  }
}

const damaged = (id) => new StoreError('corrupt', `the stored transcript of "${id}" is damaged`);
