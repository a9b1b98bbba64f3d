// What the checkers of lists and bodies share: a note of each rule that is broken, and how they look at texts.

/** The faults of one list or body. */
export class Faults {
  #found = [];

  /** Notes a fault of this rule unless it `holds`. */
  wanted(holds, rule, at) {
    if (!holds) this.#found.push({ rule, at: JSON.stringify(at)?.slice(0, 300) });
  }

  get all() {
    return this.#found;
  }
}

/** Nothing but white space, or no text. */
export const isBlank = (text) => typeof text !== 'string' || text.trim() === '';

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value) => (Array.isArray(value) ? value : []);

/** All strings in a value, names of members too. */
export function* stringsIn(value) {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield name;
      yield* stringsIn(item);
    }
  }
}
