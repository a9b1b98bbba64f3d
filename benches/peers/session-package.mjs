// `@deepseek-ai/dsh-session`, the npm package of the same design, from stored lines to a live session.

import { Session } from '/node_modules/@deepseek-ai/dsh-session/lib/index.js';

const decoder = new TextDecoder();

/** The events as this package writes them: whole messages with an id, and where each came from. */
export const payloads = {
  user: (id, content) => ({ id, role: 'user', content, source: { kind: 'user' } }),
  assistant: (id, turn, content, model) => ({
    turn,
    step: 1,
    message: { id, role: 'assistant', content, source: { kind: 'model', ...model } },
  }),
  result: (id, turn, callId, content) => ({
    turn,
    step: 1,
    message: {
      id,
      role: 'user',
      content: [{ type: 'tool-result', toolCallId: callId, content, isError: false }],
      source: { kind: 'tool', callId },
    },
  }),
};

export function newSession(events) {
  return Session.create('s', events);
}

function parsed(bytes) {
  const [header, ...events] = decoder.decode(bytes).trimEnd().split('\n').map((line) => JSON.parse(line));
  delete header.type;
  return { header, events };
}

/** Each value is copied before it is kept, as of any caller's. */
export function fromBytes(bytes) {
  const { header, events } = parsed(bytes);
  return Session.create(header.id, events, header);
}

/** The package's own way for what nobody else holds: the values are kept as they are, and frozen. */
export function restoredFromBytes(bytes) {
  const { header, events } = parsed(bytes);
  return Session.fromRestore(header.id, events, header);
}
