// Makers of the entries and messages that the store tests use. Imported by pages, workers and Node alike.

/** A turn; `more` adds fields to its output. */
export function turn(session, id, more = {}) {
  return {
    kind: 'turn',
    input: {
      type: 'chart_request',
      id,
      sessionId: session,
      timestamp: 1_700_000_000_000,
      reasons: [{ kind: 'user_intent', text: `asked in ${id}` }],
    },
    output: { userMessage: `answered ${id}`, ...more },
  };
}

/** `count` turns with the ids `prefix`0, `prefix`1, … */
export function turns(session, count, prefix = 'm') {
  return Array.from({ length: count }, (_, index) => turn(session, `${prefix}${index}`));
}

/** A request of a user who says `text`. */
export function request(session, id, text = `asked in ${id}`) {
  return {
    type: 'chart_request',
    id,
    sessionId: session,
    timestamp: 1_700_000_000_000,
    reasons: [{ kind: 'user_intent', text }],
  };
}

export function injection(session, id, content) {
  return { type: 'assistant_message', id, sessionId: session, timestamp: 1_700_000_000_000, content };
}

/** Texts and keys that a careless encoding changes: half surrogate pairs, control characters, `__proto__`. */
export function oddities() {
  return {
    texts: ['half \ud83d', '\ude00 half', '\ude00\ud83d', '\u0000\u001f\u2028\u2029\ufeff', '\ufffd', '"\\u0041'],
    '\udc00': 'a key that is half a pair',
    nested: JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null}'),
    numbers: [1e21, 5e-324, 2 ** 53, 0.1 + 0.2],
  };
}

/** Text of `length` characters that does not compress: what it takes on disk is its length at least. */
export function noise(length) {
  const block = new Uint8Array(65_536);
  let text = '';
  while (text.length < length) {
    crypto.getRandomValues(block);
    text += String.fromCharCode(...block.map((byte) => 48 + (byte % 64)).subarray(0, 8_192));
  }
  return text.slice(0, length);
}
