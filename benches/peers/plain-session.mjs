// An event log by hand, as a careful JavaScript programmer would write it: each event is checked and copied in one pass, frozen
// and pushed; messages are made of it once. Of what happens to a surface it knows appends.

import { frozenCopy } from './plain-store.mjs';

const ON_THE_SURFACE = new Set(['user/message', 'assistant/message', 'tool/result', 'context/message', 'steering/message']);

export { payloads } from './turnlog-session.mjs';

function refuse(reason) {
  throw new TypeError(reason);
}

class PlainSession {
  #events = [];
  #messages = [];

  get seq() {
    return this.#events.length;
  }

  append(type, data, { surfaceOp, sourceEventSeqs } = {}) {
    if (typeof type !== 'string') refuse('a type must be a string');
    const isOnSurface = ON_THE_SURFACE.has(type);
    if (isOnSurface !== (surfaceOp === 'append')) refuse('what is on the surface, and only that, says so');
    const seq = this.#events.length;
    const event = { type, seq, time: Date.now(), data: frozenCopy(data) };
    if (sourceEventSeqs !== undefined) event.sourceEventSeqs = this.#sources(isOnSurface, sourceEventSeqs, seq);
    if (isOnSurface) event.surfaceOp = surfaceOp;
    Object.freeze(event);
    this.#events.push(event);
    if (isOnSurface) this.#messages.push(messageOf(event));
    return event;
  }

  /** A fresh array of the same frozen messages. */
  deriveMessages() {
    return this.#messages.slice();
  }

  #sources(isOnSurface, seqs, seq) {
    if (!isOnSurface || !Array.isArray(seqs)) refuse('sources are a list, of what is on the surface');
    const kept = frozenCopy(seqs);
    const known = new Set(kept);
    if (known.size !== kept.length) refuse('a source is named twice');
    for (const source of kept) if (!Number.isSafeInteger(source) || source < 0 || source >= seq) refuse('a source is no earlier event');
    return kept;
  }
}

function messageOf({ type, data }) {
  const { content, provenance } = data;
  if (type === 'assistant/message') return Object.freeze({ role: 'assistant', content, provenance });
  if (type !== 'tool/result') return Object.freeze({ role: 'user', content });
  const result = { type: 'tool-result', toolCallId: data.callId, content, isError: data.isError };
  return Object.freeze({ role: 'user', content: Object.freeze([Object.freeze(result)]) });
}

export function newSession(events = []) {
  const session = new PlainSession();
  for (const { type, data, surfaceOp, sourceEventSeqs } of events) session.append(type, data, { surfaceOp, sourceEventSeqs });
  return session;
}
