// Drafts where a text has a key: each part under its own name, which no two tabs share.

export class NotedDrafts {
  #prefix;
  #notes;

  /** `notes` has these methods of a Map: `keys`, which is given the prefix, `get`, `set` and `delete`. */
  constructor(prefix, notes) {
    this.#prefix = prefix;
    this.#notes = notes;
  }

  async put(...part) {
    this.keep(...part);
  }

  keep(part, text) {
    const [session, message, ref, started, at] = part;
    if (at === started) this.remove(session, message, ref);
    // As JSON, since not every browser keeps halves of surrogate pairs here.
    this.#notes.set(this.#prefix + JSON.stringify(part), JSON.stringify(text));
  }

  read(session) {
    return this.#parts(session).map(([key, part]) => [part, parse(this.#notes.get(key))]);
  }

  remove(session, message, except) {
    for (const [key, [, other, ref]] of this.#parts(session)) {
      if (other === (message ?? other) && ref !== except) this.#notes.delete(key);
    }
  }

  #parts(session) {
    const parts = Array.from(this.#notes.keys(this.#prefix), (key) => [key, parse(key.slice(this.#prefix.length))]);
    return parts.filter(([, part]) => Array.isArray(part) && part[0] === session);
  }
}

/** What is no JSON stands for itself. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
