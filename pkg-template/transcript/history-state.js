// The transcript of a conversation. The core keeps each record as the text it is and has all the rules; here objects become
// texts and texts objects. An object cannot hold every 64-bit number, the text forms can.

import { core } from '../core.js';
import { TranscriptError, snapshot, textOf, valueOf } from '../glue.js';
import { refuse } from '../options.js';
import { lossless } from '../session/lossless.js';
import { innerOf } from '../session/session.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const raws = new WeakMap();

/** The core's part of a transcript; undefined for anything else. */
export const rawOf = (state) => raws.get(state)?.();

export class HistoryState {
  #raw;
  /** Whether a text has brought in numbers that no object can hold. */
  #isWide = false;

  constructor(from) {
    this.#raw = new (core().RawTranscript)();
    raws.set(this, () => this.#raw);
    if (from !== undefined) this.restore(from);
  }

  static fromSession(source) {
    return new HistoryState().follow(source);
  }

  get length() {
    return this.#raw.length;
  }

  get nextId() {
    return safe(this.#raw.nextId(), 'next_id');
  }

  push(record) {
    const bytes = bytesOf(record, 'record');
    return this.#change((raw) => raw.push(bytes), idOf);
  }

  insert(index, record) {
    const bytes = bytesOf(record, 'record');
    const place = position(index);
    return this.#change((raw) => raw.insert(place, bytes), idOf);
  }

  remove(index) {
    const place = position(index);
    return this.#change((raw) => raw.remove(place), maybeObjectOf);
  }

  get(index) {
    return maybeObjectOf(this.#raw.get(position(index)));
  }

  record(id) {
    const index = this.indexOf(id);
    return index < 0 ? undefined : this.get(index);
  }

  indexOf(id) {
    return this.#raw.indexOf(digitsOf(id)) ?? -1;
  }

  apply(event) {
    const bytes = bytesOf(event, 'event');
    return this.#change((raw) => raw.apply(bytes, Date.now()), objectOf);
  }

  idOfExecCall(callId) {
    return this.#lookUp(0, callId);
  }

  idOfToolCall(callId) {
    return this.#lookUp(1, callId);
  }

  idOfStream(streamId) {
    return this.#lookUp(2, streamId);
  }

  upsertAssistantStream(stream_id, preview_markdown, delta, metadata) {
    const isWhole = typeof stream_id === 'object' && stream_id !== null;
    const bytes = bytesOf(isWhole ? stream_id : { stream_id, preview_markdown, delta, metadata }, 'stream');
    return this.#change((raw) => raw.upsert(bytes, Date.now()), idOf);
  }

  finalizeAssistantStream(stream_id, markdown, metadata, token_usage) {
    const isWhole = typeof stream_id === 'object' && stream_id !== null;
    const bytes = bytesOf(isWhole ? stream_id : { stream_id, markdown, metadata, token_usage }, 'message');
    return this.#change((raw) => raw.finalize(bytes, Date.now()), objectOf);
  }

  truncateAfter(id) {
    const digits = digitsOf(id);
    return this.#change((raw) => raw.truncateAfter(digits), objectOf);
  }

  follow(source) {
    const session = innerOf(source);
    if (session === undefined && !Array.isArray(source)) refuse('source', 'must be a Session or a list of events');
    const [from, to] = [this.#raw.drawn(), session === undefined ? source.length : source.seq];
    if (from < to) this.#raw.draw(encoder.encode(session === undefined ? eventsText(source.slice(from)) : session.text(from, to)));
    return this;
  }

  snapshot() {
    return objectOf(this.#raw.snapshot());
  }

  restore(from) {
    this.#raw.restore(bytesOf(from, 'snapshot'));
    this.#isWide = false;
  }

  snapshotText() {
    return decoder.decode(this.#raw.snapshot());
  }

  restoreText(text) {
    const bytes = bytesOfText(text, 'text');
    this.#raw.restore(bytes);
    this.#isWide = core().unsafeIntegerIn(bytes) !== undefined;
  }

  applyText(text) {
    const bytes = bytesOfText(text, 'text');
    const mutation = this.#raw.apply(bytes, Date.now());
    this.#isWide ||= core().unsafeIntegerIn(bytes) !== undefined;
    return decoder.decode(mutation);
  }

  #lookUp(lookup, key) {
    const id = this.#raw.lookUp(lookup, encoder.encode(textOf(key)));
    return id === undefined ? undefined : idOf(id);
  }

  /** Makes a change and gives what it came to. Where that cannot be given as objects, nothing has changed. */
  #change(make, give) {
    if (!this.#isWide) return give(make(this.#raw));
    const copy = this.#raw.copy();
    try {
      const given = give(make(copy));
      this.#raw = copy;
      return given;
    } catch (error) {
      copy.free();
      throw error;
    }
  }
}

const eventsText = (events) => textOf(lossless(events, 'seed_json', 'the events'));

/** A snapshot's text in the native form as text in the document form, and back. */
export const nativeToDocument = (text) => decoder.decode(core().nativeToDocument(bytesOfText(text, 'text')));
export const documentToNative = (text) => decoder.decode(core().documentToNative(bytesOfText(text, 'text')));

/** A caller's value as JSON text. What is undefined counts as absent. */
function bytesOf(value, what) {
  try {
    return encoder.encode(textOf(snapshot(value, true)));
  } catch (error) {
    if ('cause' in error) throw error.cause;
    throw new TranscriptError('not_json', `the ${what} is not losslessly JSON: ${error.message}`, { path: error.path });
  }
}

function bytesOfText(text, what) {
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) refuse(what, 'must be a string or a Uint8Array');
  return typeof text === 'string' ? encoder.encode(text) : text;
}

function objectOf(bytes) {
  const path = core().unsafeIntegerIn(bytes);
  if (path !== undefined) throw unsafe(path);
  return valueOf(bytes);
}

const maybeObjectOf = (bytes) => (bytes === undefined ? undefined : objectOf(bytes));
const idOf = (digits) => safe(digits, 'id');

function safe(digits, path) {
  const number = Number(digits);
  if (!Number.isSafeInteger(number)) throw unsafe(path);
  return number;
}

function unsafe(path) {
  return new TranscriptError('unsafe_integer', `${path}: is beyond 2^53 - 1; the text forms hold it`, { path });
}

/** A position as the core takes it; none that there is for what is no position. */
function position(index) {
  return Number.isSafeInteger(index) && index >= 0 ? Math.min(index, 0xffffffff) : refuse('index', 'must be a non-negative integer');
}

/** An id as decimal digits. */
function digitsOf(id) {
  const isId = typeof id === 'bigint' || (Number.isSafeInteger(id) && !Object.is(id, -0));
  if (!isId || id < 0) refuse('id', 'must be a non-negative integer');
  return String(id);
}
