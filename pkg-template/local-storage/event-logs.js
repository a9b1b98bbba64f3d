// Event-sourced sessions in localStorage. (What a place of event logs is: session/stored-log.js.)
//
//   PREFIX/h/SESSION               the header
//   PREFIX/g/SESSION/FIRST/TAB     a segment: events from number FIRST on, 11 digits
//   PREFIX/x/SESSION/TIME/AT       what was kept aside, when it was found, and which part of it this is
//   PREFIX/n/PAGE:SESSION          what a page had not written when it was left (session/stored-sessions.js)
//
// SESSION is the JSON text of the id, with `%` and `/` escaped. Where two tabs wrote behind the same event the smaller TAB counts,
// for every reader; the other one finds out before it says that anything is written.

import { areaError, keysIn, openArea, putAll } from './area.js';
import { digits, newTab, pathOf } from './keys.js';
import { exclusively, settled } from './section.js';

const DIGITS = 11;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class NotedLogs {
  /** Segments are never put together, so that there is never a moment in which events have two keys or none. */
  merges = false;
  #prefix;
  #tab = newTab();

  constructor(prefix) {
    this.#prefix = prefix;
  }

  async read(key) {
    return this.#with((area) => {
      const names = this.#segments(area, key);
      const header = area.getItem(this.#path('h', key));
      const values = names.map((name) => encoder.encode(area.getItem(name)));
      return { header: header === null ? undefined : encoder.encode(header), rows: names, values };
    });
  }

  async write(key, { header, end, isNew }, { from, keys, values }) {
    return exclusively(`turnlog/${this.#path('g', key)}`, async () => {
      const written = this.#with((area) => {
        const stored = area.getItem(this.#path('h', key));
        const isThere = isNew ? stored === null : stored === decoder.decode(header);
        if (!isThere || this.#end(area, key) !== end) return undefined;
        let first = from;
        const pairs = whole(keys, values).map(([last, text]) => {
          const name = `${this.#path('g', key)}/${digits(first, DIGITS)}/${this.#tab}/${digits(last, DIGITS)}`;
          first = last + 1;
          return [name, text];
        });
        if (isNew) pairs.unshift([this.#path('h', key), decoder.decode(header)]);
        putAll(area, this.#prefix, pairs);
        return pairs.map(([name]) => name);
      });
      if (written === undefined) return false;
      await settled();
      return this.#with((area) => {
        const names = this.#segments(area, key);
        const isFirst = (name) => names.find((other) => startOf(other) === startOf(name)) === name;
        const own = written.filter((name) => names.includes(name));
        if (own.every(isFirst)) return true;
        for (const name of own) area.removeItem(name);
        return false;
      });
    });
  }

  /** A segment's name is never used again, so what was read is what is there. */
  async setAside(key, sessionId, { header: before, rows, values }, apart, header) {
    this.#with((area) => {
      const old = header === undefined || before === undefined ? [] : [before];
      this.#keep(area, key, [...old, ...apart.map((at) => values[at])].map((value) => decoder.decode(value)));
      if (header !== undefined) area.setItem(this.#path('h', key), decoder.decode(header));
      for (const at of apart) area.removeItem(rows[at]);
    });
    return true;
  }

  async keepText(sessionId, text) {
    this.#with((area) => this.#keep(area, JSON.stringify(sessionId), [text]));
  }

  async remove(key) {
    this.#with((area) => {
      for (const name of this.#segments(area, key)) area.removeItem(name);
      area.removeItem(this.#path('h', key));
    });
  }

  async list() {
    return this.#with((area) => {
      const at = `${this.#prefix}/h/`;
      const keys = keysIn(area, at).map((name) => decodeURIComponent(name.slice(at.length)));
      const listed = keys.filter((key) => this.#segments(area, key).length > 0);
      return listed.map((key) => [key, encoder.encode(area.getItem(this.#path('h', key)))]);
    });
  }

  /** What was kept aside, as the store tells of it. */
  damaged() {
    return this.#with((area) => {
      const found = new Map();
      for (const name of keysIn(area, `${this.#prefix}/x/`).sort()) {
        const [key, time] = name.slice(this.#prefix.length + 3).split('/');
        const sessionId = JSON.parse(decodeURIComponent(key));
        const id = `${key}/${time}`;
        if (!found.has(id)) found.set(id, { sessionId, found: Number.parseInt(time, 36), entries: 0, bytes: [] });
        found.get(id).bytes.push(encoder.encode(area.getItem(name)));
      }
      return [...found.values()];
    });
  }

  discardDamage(sessionId) {
    this.#with((area) => {
      for (const name of keysIn(area, `${this.#path('x', JSON.stringify(sessionId))}/`)) area.removeItem(name);
    });
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

  #segments(area, key) {
    return keysIn(area, `${this.#path('g', key)}/`).sort();
  }

  /** The number behind the last event. */
  #end(area, key) {
    const lasts = this.#segments(area, key).map((name) => Number.parseInt(name.slice(-DIGITS), 36));
    return Math.max(-1, ...lasts) + 1;
  }

  #keep(area, key, texts) {
    const at = `${this.#path('x', key)}/${digits(Date.now(), DIGITS)}`;
    putAll(area, this.#prefix, texts.map((text, index) => [`${at}/${digits(index, DIGITS)}`, text]));
  }
}

/** Where a segment's events begin, with the name up to there. */
const startOf = (name) => name.slice(0, -DIGITS - 1 - newTab().length - 1);

/** `[last, text]` of each segment, its parts put together. */
function whole(keys, values) {
  const segments = [];
  values.forEach((value, at) => {
    if (keys[2 * at + 1] === 0) segments.push([keys[2 * at], [value]]);
    else segments.at(-1)[1].push(value);
  });
  return segments.map(([last, parts]) => [last, textOf(parts)]);
}

function textOf(parts) {
  // A part may end within a character.
  const streaming = new TextDecoder();
  return parts.map((part) => streaming.decode(part, { stream: true })).join('');
}
