// What can be asked of events without a session. They take any array of events; those that look into the data take it as JSON.

import { core } from '../core.js';
import { frozenOf, textOf, valueOf } from '../glue.js';
import { check } from './events.js';
import { lossless } from './lossless.js';
import { bytesOf } from './session.js';

/** The format version of session headers and logs. */
export const SESSION_FORMAT_VERSION = 0;

const encoder = new TextEncoder();

/** Values as one JSON array, which the core takes apart again. */
const arrayOf = (values, what) => bytesOf(lossless(Array.from(values), 'seed_json', what));

export function foldSurface(events) {
  const raw = new (core().RawSession)();
  try {
    const replacements = [];
    for (const event of events) {
      check(raw, event ?? {});
      const shadowedSeqs = Array.from(raw.shadowed());
      if (shadowedSeqs.length > 0) {
        const { start, end } = event.surfaceOp;
        replacements.push({ seq: event.seq, start, end, shadowedSeqs });
      }
      raw.apply();
    }
    return { nodes: Array.from(raw.nodes()), replacements };
  } finally {
    raw.free();
  }
}

export function canonicalHeader(header) {
  return valueOf(core().canonicalHeader(bytesOf(lossless(header, 'malformed_header', 'a request header'))));
}

export function foldRequestHeader(events, from) {
  const last = Array.from(events).findLast((event) => event?.type === 'request/header');
  return last === undefined ? from : canonicalHeader(last.data?.header ?? null);
}

export function headerEquals(a, b) {
  const [left, right] = [a, b].map((header) => bytesOf(lossless(header, 'malformed_header', 'a request header')));
  return core().headerEquals(left, right);
}

export function interruptedTurnClosers(events) {
  return valueOf(core().interruptedTurnClosers(arrayOf(events, 'the events')));
}

export function assembleChunks(chunks) {
  const { blocks, usage, finish, replayState } = valueOf(core().assembleChunks(arrayOf(chunks, 'the chunks')));
  return { blocks, usage, finish, replayState };
}

export function checkInvariants(events) {
  core().checkInvariants(arrayOf(events, 'the events'));
}

export function toolPairing(events) {
  const raw = new (core().RawPairing)(arrayOf(events, 'the events'));
  return Object.freeze({
    balances: Object.freeze(Array.from(raw.balances())),
    isBalancedBefore: (seq) => raw.isBalanced(seq, false),
    isBalancedAfter: (seq) => raw.isBalanced(seq, true),
  });
}

export function traceEvents(events) {
  const raw = new (core().RawTraces)(arrayOf(events, 'the events'));
  return Object.freeze({
    placement: (seq) => raw.placement(seq),
    trace: (seq) => valueOf(raw.trace(seq)),
  });
}

/** Reads the JSON-lines form of a log: `{ header, events, committedBytes }`. */
export function readSessionLog(text) {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const [read, committedBytes] = core().readSessionLog(bytes);
  const [header, ...events] = frozenOf(read);
  return { header, events, committedBytes };
}

/** Writes it. */
export function writeSessionLog(header, events) {
  const lines = [header, ...events].map((value, index) => {
    const isHeader = index === 0;
    const kept = lossless(value, isHeader ? 'hdr_json' : 'seed_json', isHeader ? 'the session header' : `event ${index - 1}`);
    return `${isHeader ? core().headerLine(bytesOf(kept)) : textOf(kept)}\n`;
  });
  return lines.join('');
}
