// Events as live objects: what the core's rules look at, and the messages made of them.
//
// What a message shares with its event is the event's own frozen content, so messages are put together here; the core does
// the same for stored text (src/session/derive.rs), and a test holds the two against each other.

import { core } from '../core.js';

const NONE = 0;
const APPEND = 1;
const REPLACE = 2;
const UNKNOWN = 3;
const BAD_REPLACE = 4;

/** What the core says of a type: bits of `typeFlags`. A session has few types, and asks for each event. */
const ELIGIBLE = 1;
const LEGACY = 2;
const SHAPED = 4;
const flagsOf = new Map();

function flags(type) {
  if (typeof type !== 'string') return 0;
  let found = flagsOf.get(type);
  if (found === undefined) {
    found = core().sessionTypeFlags(type);
    // Types are words of programs; a log that makes them up must not fill the memory.
    if (flagsOf.size < 1_000) flagsOf.set(type, found);
  }
  return found;
}

export const isSurfaceEligibleType = (type) => (flags(type) & ELIGIBLE) !== 0;
/** Whether the type, or what the data says of it, may be of a format that is not supported any more. */
export const mayBeLegacy = (type) => (flags(type) & LEGACY) !== 0;
/** Whether seeds and strict sessions look at the data of this type. */
export const hasShape = (type) => (flags(type) & SHAPED) !== 0;

export function isSurfaceEvent(event) {
  return isSurfaceEligibleType(event.type) && event.surfaceOp !== undefined;
}

/** Has the core check an event's place (`raw.check`); it stays planned until `raw.apply`. */
export function check(raw, { type, seq, surfaceOp, sourceEventSeqs }) {
  const [op, start, end] = opOf(surfaceOp);
  const isList = Array.isArray(sourceEventSeqs);
  const sources = isList ? Float64Array.from(sourceEventSeqs, numberOf) : undefined;
  const kind = typeof type === 'string' ? type : '';
  return raw.check(kind, numberOf(seq), op, start, end, sources, sourceEventSeqs !== undefined && !isList);
}

const numberOf = (value) => (typeof value === 'number' ? value : NaN);

function opOf(op) {
  if (op === undefined) return [NONE, 0, 0];
  if (op === 'append') return [APPEND, 0, 0];
  if (typeof op !== 'object' || op === null || Array.isArray(op)) return [UNKNOWN, 0, 0];
  const isReplace = op.op === 'replace' && Object.keys(op).length === 3 && Object.hasOwn(op, 'start') && Object.hasOwn(op, 'end');
  return isReplace ? [REPLACE, numberOf(op.start), numberOf(op.end)] : [BAD_REPLACE, 0, 0];
}

/**
 * The message that one event makes by itself, or null (spec 6): a fresh object over the event's own content.
 */
export function deriveEventMessage(event) {
  const data = event.data ?? {};
  switch (event.type) {
    case 'user/message':
      return { role: 'user', content: data.content };
    case 'assistant/message':
      if (data.content?.length === 0) return null;
      return { role: 'assistant', content: data.content, provenance: data.provenance };
    case 'tool/result': {
      const { callId, content, isError } = data;
      return { role: 'user', content: [{ type: 'tool-result', toolCallId: callId, content, isError }] };
    }
    case 'context/message':
      return { role: 'user', content: data.envelope === 'raw' ? data.content : framed('context', data) };
    case 'steering/message':
      return { role: 'user', content: framed('steering', data) };
    default:
      return null;
  }
}

function framed(tag, { content, source }) {
  const kind = JSON.stringify(source?.kind);
  const blocks = Array.isArray(content) ? content : [];
  return [{ type: 'text', text: `<${tag} source=${kind}>` }, ...blocks, { type: 'text', text: `</${tag}>` }];
}

/** Freezes a derived message: its wrapper, and the blocks that are not the event's own. */
export function frozenMessage(message) {
  if (message === null) return null;
  if (Array.isArray(message.content) && !Object.isFrozen(message.content)) {
    for (const block of message.content) Object.freeze(block);
    Object.freeze(message.content);
  }
  return Object.freeze(message);
}
