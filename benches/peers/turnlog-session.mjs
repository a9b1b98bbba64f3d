// turnlog's own session, behind what the peer has.

import { Session } from '/pkg/index.js';

/** The events as the session's document has them. */
export const payloads = {
  user: (_, content) => ({ content, source: { kind: 'user' } }),
  assistant: (_, turn, content, provenance) => ({ turn, step: 1, content, provenance }),
  result: (_, turn, callId, content) => ({ turn, step: 1, callId, content, isError: false }),
};

export function newSession(events) {
  return new Session('s', events);
}

export function fromBytes(bytes) {
  return Session.fromLog(bytes);
}
