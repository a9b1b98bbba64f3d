// What the benchmarks work on: a chat whose user says 400 characters and whose assistant 1,200, the same in every run.

/** How many entries a session has. */
export const ENTRIES = 10_000;
export const SESSION = 'bench-session';
const QUESTION = 400;
const REPLY = 1_200;

const WORDS =
  'the a chart shows sales by month and region please make it wider with bars in blue for last year compare totals ' +
  'to plan add axis title sort descending group small values into other done here is your updated view now';
/** About one letter in ten is not ASCII: two, three and four bytes in UTF-8. */
const FOREIGN = 'Größenübersicht naïveté señal Привет мир 売上高 図表 変更 📈 🎉 👩‍🔬 café';
const words = WORDS.split(' ');
const foreign = FOREIGN.split(' ');

/** A generator of the same numbers in every run (mulberry32), from 0 up to 1. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}

/** Text of about `length` UTF-16 code units; now and then a quote or a line break, which JSON escapes. */
export function text(random, length) {
  let out = '';
  while (out.length < length) {
    const chance = random();
    if (chance < 0.24) out += pick(random, foreign);
    else if (chance < 0.26) out += `"${pick(random, words)}"`;
    else out += pick(random, words);
    out += random() < 0.02 ? '.\n' : ' ';
  }
  return out.trimEnd();
}

function uuid(random) {
  const hex = (digits) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
}

/** `count` history entries as a caller would build them, unfrozen. The same `seed` gives the same ones. */
export function makeEntries(count, seed = 1) {
  const random = seeded(seed);
  const entries = Array.from({ length: count }, (_, index) => ({
    kind: 'turn',
    input: {
      type: 'chart_request',
      id: uuid(random),
      sessionId: SESSION,
      timestamp: 1_760_000_000_000 + index * 30_000,
      reasons: [{ kind: 'user_intent', text: text(random, QUESTION) }],
      layout: { rows: [{ width: Math.floor(random() * 1200), height: 300.5 }], dark: random() < 0.5 },
    },
    output: { userMessage: text(random, REPLY) },
  }));
  // Strings put together from pieces are flattened by whoever reads them first; here that is nobody measured.
  return JSON.parse(JSON.stringify(entries));
}

/** `count` entries with the words of `entries` over and over, each with an id of its own that begins with `prefix`. */
export function renamed(entries, count, prefix) {
  return Array.from({ length: count }, (_, index) => {
    const entry = entries[index % entries.length];
    return { ...entry, input: { ...entry.input, id: `${prefix}-${index}` } };
  });
}

/** What the entries look like, for the report. */
export function describeEntries(entries) {
  const encoder = new TextEncoder();
  let bytes = 0;
  let characters = 0;
  let other = 0;
  for (const entry of entries) {
    bytes += encoder.encode(JSON.stringify(entry)).length;
    for (const character of entry.input.reasons[0].text + entry.output.userMessage) {
      characters++;
      if (character > '\x7f') other++;
    }
  }
  return { entries: entries.length, bytesPerEntry: Math.round(bytes / entries.length), nonAsciiShare: other / characters };
}
