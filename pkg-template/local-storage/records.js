// What the keys of localStorage hold, kept in the core: read at each call, loaded where it is new, and what is no
// entry moved out of the way.

import { keysIn, openArea } from './area.js';
import { FIRST, isGeneration, isName, parse, pathOf } from './keys.js';
import { sweep } from './sweep.js';

/** What the core says of a stored text. */
const LOADED = 0;
const DOUBLE = 1;

/** A session's keys: `at` is where those of its generation begin. */
export class Known {
  /** The names of the records in the core, in their order. */
  keys = [];
  /** Names whose entry has the id of another one that counts. */
  doubles = new Set();
  /** Names of what is no entry and could not be moved, with the time when it was found. */
  stuck = new Map();

  constructor(at) {
    this.at = at;
  }
}

export class Records {
  #prefix;
  #raw;
  #area;
  #known = new Map();

  constructor(prefix, raw) {
    this.#prefix = prefix;
    this.#raw = raw;
  }

  /** localStorage, which is not touched before the first call. */
  get area() {
    if (this.#area === undefined) {
      const area = openArea(this.#prefix);
      sweep(area, this.#prefix);
      this.#area = area;
    }
    return this.#area;
  }

  /** The ids of all sessions that have entries, or had some when last looked at. */
  ids() {
    const stored = keysIn(this.area, `${this.#prefix}/e/`).map((key) => parse(this.#prefix, key)?.id);
    return [...new Set([...this.#known.keys(), ...stored])].filter((id) => id !== undefined);
  }

  /** Makes the session's records in the core those that are stored now. */
  catchUp(id) {
    const at = `${pathOf(this.#prefix, 'e', id)}/${this.#generation(id)}/`;
    const names = keysIn(this.area, at)
      .map((key) => key.slice(at.length))
      .filter(isName)
      .sort();
    let known = this.#known.get(id);
    if (known?.at !== at || !this.#follow(id, known, names)) {
      this.#raw.forget(id);
      known = this.knowing(id, new Known(at));
      this.#load(id, known, names);
    }
    return known;
  }

  /** What is known since the last look. */
  known(id) {
    return this.#known.get(id);
  }

  /** Takes note of what was written. */
  knowing(id, known) {
    this.#known.set(id, known);
    return known;
  }

  /** Moves what is no entry out of the way: the copy first, and where there is no room for it, not at all. */
  setAside(known, name, time) {
    const key = known.at + name;
    try {
      this.#area.setItem(
        `${this.#prefix}/d/${key.slice(this.#prefix.length + 3)}`,
        `${time}:${this.#area.getItem(key)}`,
      );
      this.#area.removeItem(key);
    } catch {
      known.stuck.set(name, time);
    }
  }

  /** What was found that is no entry. */
  damaged() {
    for (const id of this.ids()) this.catchUp(id);
    const found = this.#setAsideKeys().map(([key, id]) => {
      const [, time, text] = /^(\d*):?([^]*)$/.exec(this.#area.getItem(key));
      return damage(id, Number(time), text);
    });
    for (const [id, { at, stuck }] of this.#known) {
      for (const [name, time] of stuck) found.push(damage(id, time, this.#area.getItem(at + name)));
    }
    return found.sort((a, b) => a.found - b.found);
  }

  /** Deletes what was set aside of a session. */
  discardDamage(id) {
    for (const [key, other] of this.#setAsideKeys()) if (other === id) this.#area.removeItem(key);
  }

  #setAsideKeys() {
    const keys = keysIn(this.area, `${this.#prefix}/d/`).map((key) => [key, parse(this.#prefix, key)?.id]);
    return keys.filter(([, id]) => id !== undefined);
  }

  #generation(id) {
    const value = this.area.getItem(pathOf(this.#prefix, 's', id)) ?? FIRST;
    if (isGeneration(value)) return value;
    // What says it is damaged: the newest one that has entries.
    const stored = keysIn(this.#area, `${pathOf(this.#prefix, 'e', id)}/`).map(
      (key) => parse(this.#prefix, key)?.generation,
    );
    return stored.reduce((newest, other) => (other > newest ? other : newest), FIRST);
  }

  /** Goes on from what is known where the stored names only lost old ones and gained new ones since. */
  #follow(id, known, stored) {
    const { keys, doubles, stuck } = known;
    const hidden = doubles.size + stuck.size > 0;
    const names = hidden ? stored.filter((name) => !doubles.has(name) && !stuck.has(name)) : stored;
    const first = keys.findIndex((name) => name >= names[0]);
    const dropped = first < 0 ? keys.length : first;
    const kept = keys.slice(dropped);
    if (kept.some((name, index) => name !== names[index])) return false;
    if (dropped === 0 && names.length === kept.length) return true;
    // A double counts once the other one is gone, so everything is looked at again.
    if (hidden) return false;
    if (dropped > 0) this.#raw.dropOldest(id, dropped);
    known.keys = kept;
    this.#load(id, known, names.slice(kept.length));
    return true;
  }

  #load(id, known, names) {
    if (names.length === 0) return;
    const texts = names.map((name) => this.#area.getItem(known.at + name));
    this.#raw.loadTexts(id, texts).forEach((taken, index) => {
      const name = names[index];
      if (taken === LOADED) known.keys.push(name);
      else if (taken === DOUBLE) known.doubles.add(name);
      else this.setAside(known, name, Date.now());
    });
  }
}

function damage(sessionId, found, text) {
  return { sessionId, found, entries: 1, bytes: [new TextEncoder().encode(text)] };
}
