// Drafts in the database. A draft's head is the key `[draft, session, message, ref, started]`, put with the first part;
// a part's key is no more than `[ref, at]`, since a part is short itself: what is written stays below one and a half
// times the text.

import { NotedDrafts } from '../local-storage/drafts.js';
import { noteKeys, readNote, removeNote, writeNote } from '../page-storage.js';
import { SIDE } from './opening.js';
import { keysAndValues, resultOf } from './requests.js';

const headsOf = (...of) => IDBKeyRange.bound(['draft', ...of], ['draft', ...of, []]);
const partsOf = (ref, last = ref) => IDBKeyRange.bound([ref], [last, []]);

export class StoredDrafts {
  #connection;
  /** What a page had not stored when it was left or frozen. */
  #notes;
  /** Drafts of this page with such a note. */
  #noted = new Set();

  constructor(connection, name) {
    this.#connection = connection;
    const notes = { keys: noteKeys, get: readNote, set: writeNote, delete: removeNote };
    this.#notes = new NotedDrafts(`turnlog:${name}:draft:`, notes);
  }

  async put([session, message, ref, started, at], text) {
    const isFirst = at === started;
    await this.#write(async (side) => {
      if (isFirst) {
        await forget(side, session, message);
        side.put(0, ['draft', session, message, ref, started]);
      }
      return resultOf(side.put(compact(text), [ref, at]));
    });
    if (this.#noted.delete(ref) || isFirst) this.#notes.remove(session, message);
  }

  keep(part, text) {
    this.#noted.add(part[2]);
    this.#notes.keep(part, text);
  }

  async read(session) {
    let lost;
    const read = async (side) => {
      const requests = [side.getAllKeys(headsOf()), side.getAllKeys(partsOf(0, 1))];
      const [heads, parts] = await Promise.all(requests.map(resultOf));
      const refs = new Set(heads.map(([, , , ref]) => ref));
      lost = new Set(parts.map(([ref]) => ref).filter((ref) => !refs.has(ref)));
      return Promise.all(heads.filter(([, of]) => of === session).map((head) => readParts(side, head)));
    };
    const stored = await this.#connection.run('readonly', read, [SIDE]);
    // What another tab wrote after its draft was removed. Where it cannot be deleted it is in nobody's way.
    if (lost.size > 0) await this.#write((side) => deleteParts(side, lost)).catch(() => {});
    return [...stored.flat(), ...this.#notes.read(session)];
  }

  async remove(...of) {
    await this.#write((side) => forget(side, ...of));
    this.#notes.remove(...of);
  }

  #write(work) {
    return this.#connection.run('readwrite', work, [SIDE]);
  }
}

async function forget(side, ...of) {
  const heads = await resultOf(side.getAllKeys(headsOf(...of)));
  await deleteParts(side, heads.map(([, , , ref]) => ref));
  return resultOf(side.delete(headsOf(...of)));
}

function deleteParts(side, refs) {
  return Promise.all(Array.from(refs, (ref) => resultOf(side.delete(partsOf(ref)))));
}

async function readParts(side, [, ...draft]) {
  const [keys, values] = await keysAndValues(side, partsOf(draft[2]));
  return keys.map(([, at], index) => [[...draft, at], textOf(values[index])]);
}

/**
 * UTF-8 where that is shorter than a string, which has one or two bytes for each code unit. Only a string holds halves
 * of surrogate pairs, as at the end of a part when the other half is still to come.
 */
function compact(text) {
  const bytes = new TextEncoder().encode(text);
  const { length } = text;
  return bytes.length > length && bytes.length < 2 * length && textOf(bytes) === text ? bytes : text;
}

function textOf(value) {
  return typeof value === 'string' ? value : new TextDecoder('utf-8', { ignoreBOM: true }).decode(value);
}
