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
