// The names of the localStorage store's keys. A session's id stands in them with `%` and `/` escaped, so that no id
// can be taken for more than itself; what does not match is not ours and never touched.
//
//   PREFIX/e/SESSION/GENERATION/ORDER/TAB[+]   an entry: its JSON text
//   PREFIX/s/SESSION                           the generation that counts; FIRST where there is none
//   PREFIX/d/SESSION/GENERATION/ORDER/TAB[+]   a damaged entry: when it was found, a colon, and its text
//   PREFIX/t/PART                              a part of a draft (drafts.js)
//   PREFIX/v                                   the version of all this
//
// GENERATION is the time of the replacement that began it, in milliseconds, and the tab; `-` follows for a clear.
// TAB is random for each store object, so that no two ever write one key. ORDER and TAB sort a session's entries.
// `+` marks an entry that is no change by itself: it belongs to a replacement, or others of its call follow.

/** The generation of a session that was never replaced or cleared. It sorts before all others. */
export const FIRST = '0';

const SESSION = '((?:[^%/\\p{Cs}]|%25|%2F)+)';
const GENERATION = '(0|[0-9a-z]{17}-?)';
const NAME = '([0-9a-z]{8}/[0-9a-z]{8}\\+?)';
const entryKey = new RegExp(`^/[ed]/${SESSION}/${GENERATION}/${NAME}$`, 'u');
const headKey = new RegExp(`^/s/${SESSION}$`, 'u');
const generation = new RegExp(`^${GENERATION}$`);
const entryName = new RegExp(`^${NAME}$`);

export const isGeneration = (value) => generation.test(value);
export const isName = (value) => entryName.test(value);

/** A number in so many digits, which keep the order of numbers. */
export const digits = (number, width) => number.toString(36).padStart(width, '0');

/** A name for a store object. */
export const newTab = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => digits(byte % 36, 1)).join('');

/** When a generation began, in epoch milliseconds. */
export const beginOf = (name) => Number.parseInt(name.slice(0, 9), 36);

/** The place of an entry's name in the order of its session. */
export const orderOf = (name) => Number.parseInt(name, 36);

/** Where the keys of a kind ('e', 's' or 'd') and a session begin. */
export const pathOf = (prefix, kind, id) => `${prefix}/${kind}/${id.replace(/[%/]/g, encodeURIComponent)}`;

/** `{ kind, id, generation, name }` of a session's key; undefined for any other. */
export function parse(prefix, key) {
  if (!key.startsWith(prefix)) return undefined;
  const rest = key.slice(prefix.length);
  const match = entryKey.exec(rest) ?? headKey.exec(rest);
  const id = match && decodeURIComponent(match[1]);
  return match && id.length <= 512 ? { kind: rest[1], id, generation: match[2], name: match[3] } : undefined;
}
