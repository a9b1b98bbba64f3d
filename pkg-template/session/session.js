// A session: an append-only log of events as live, deeply frozen objects, and what is read from it. The rules are the
// core's; the objects are the caller's own values, copied once.

import { core } from '../core.js';
import { SessionError, frozenOf, textOf } from '../glue.js';
import { check, deriveEventMessage, frozenMessage, hasShape, isSurfaceEligibleType, mayBeLegacy } from './events.js';
import { lossless } from './lossless.js';

const encoder = new TextEncoder();
/** A frozen value as the core reads it. */
export const bytesOf = (value) => encoder.encode(textOf(value));

const REPLACED = 2;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
/** What a store may do with a session of its own, and nobody else. */
const inner = new WeakMap();

/** Events as texts for a seed, which need not be objects before somebody looks at them. */
class TextSeed {
  /** `take(raw)` has the core take them over, checked, and gives the session's header. */
  constructor(take) {
    this.take = take;
  }
}

export class Session {
  #id;
  #header;
  #raw;
  /** Stored ones are missing until somebody looks at them. */
  #events = [];
  /** How many of the first events stand in the core, and whether one of them may be missing here. */
  #stored = 0;
  #mayMiss = false;
  #frozenEvents;
  #surface;
  /** The nodes in surface order; undefined after a replacement, until somebody asks. */
  #nodes = [];
  /** Each event's message, by its number; undefined where nobody asked yet. */
  #messages = [];
  #derived = { messages: [], nodes: 0 };
  /** The newest request/header event, and the header made of it. */
  #headerEvent;
  #requestHeader;
  #attached;

  constructor(id, seed, header) {
    this.#id = id;
    this.#raw = new (core().RawSession)();
    if (seed instanceof TextSeed) {
      this.#header = Object.freeze(this.#takeOver(seed));
      this.#id = this.#header.id;
    } else {
      if (seed) this.#replay(seed);
      this.#header = headerOf(id, header);
    }
    this.#surface = surfaceOf(() => [...this.#nodesNow()], () => this.#raw.replaceGeneration());
    inner.set(this, {
      attach: (store) => (this.#attached = store),
      at: (seq) => this.#at(seq),
      text: (from, to) => this.#text(from, to),
      headerSeq: () => this.#headerEvent?.seq,
      surface: () => ({
        nodes: this.#nodesNow(),
        generation: this.#raw.replaceGeneration(),
        text: (seqs) => this.#textOf(seqs),
        addTo: (conversation, seqs) => this.#addTo(conversation, seqs),
      }),
    });
  }

  static fromLog(text) {
    const bytes = typeof text === 'string' ? encoder.encode(text) : text;
    return new Session(undefined, new TextSeed((raw) => frozenOf(raw.seedLines(bytes))));
  }

  get id() {
    return this.#id;
  }

  get header() {
    return this.#header;
  }

  get seq() {
    return this.#events.length;
  }

  get events() {
    if (this.#mayMiss) this.#readAll();
    return (this.#frozenEvents ??= Object.freeze(this.#events.slice()));
  }

  get surface() {
    return this.#surface;
  }

  append(type, data, intent) {
    const { sourceEventSeqs, surfaceOp } = intent ?? {};
    const what = `the data of a session event "${String(type)}"`;
    const kept = lossless(data, 'data_json', what);
    const kind = lossless(type, 'data_json', 'the type of a session event');
    if (mayBeLegacy(kind)) core().checkLegacyEvent(kind, bytesOf(kept));
    if (this.#attached?.isStrict && typeof kind !== 'string') throw new SessionError('seed_envelope', 'the type of an event must be a string');
    if (this.#attached?.isStrict && hasShape(kind)) core().checkEventShape(kind, bytesOf(kept));
    const meta = 'surfaceOp and sourceEventSeqs';
    const sources = sourceEventSeqs === undefined ? undefined : lossless(sourceEventSeqs, 'meta_json', meta);
    const op = surfaceOp === undefined ? undefined : lossless(surfaceOp, 'meta_json', meta);
    this.#attached?.enter(this);
    const event = { type: kind, seq: this.#events.length, time: Date.now(), data: kept };
    if (sources !== undefined) event.sourceEventSeqs = sources;
    if (op !== undefined) event.surfaceOp = op;
    Object.freeze(event);
    const effect = check(this.#raw, event);
    this.#attached?.admit(this, event);
    this.#push(event, effect);
    this.#attached?.publish(this, event);
    return event;
  }

  deriveMessages() {
    const nodes = this.#nodesNow();
    if (this.#mayMiss && this.#derived.nodes === 0) this.#readNodes(nodes);
    const { messages } = this.#derived;
    for (; this.#derived.nodes < nodes.length; this.#derived.nodes++) {
      const message = this.#messageOf(nodes[this.#derived.nodes]);
      if (message !== null) messages.push(message);
    }
    return messages.slice();
  }

  deriveEventMessage(event) {
    return deriveEventMessage(event);
  }

  requestHeader() {
    if (this.#headerEvent === undefined) return undefined;
    return (this.#requestHeader ??= frozenOf(core().canonicalHeader(bytesOf(this.#headerEvent.data?.header ?? null))));
  }

  #push(event, effect) {
    this.#raw.apply();
    this.#events.push(event);
    this.#frozenEvents = undefined;
    if (event.type === 'request/header') {
      this.#headerEvent = event;
      this.#requestHeader = undefined;
    }
    if (effect === 0) return;
    if (effect === REPLACED) {
      this.#nodes = undefined;
      this.#derived = { messages: [], nodes: 0 };
    } else {
      this.#nodes?.push(event.seq);
    }
  }

  #nodesNow() {
    return (this.#nodes ??= Array.from(this.#raw.nodes()));
  }

  #messageOf(seq) {
    let message = this.#messages[seq];
    if (message === undefined) {
      message = frozenMessage(deriveEventMessage(this.#at(seq)));
      this.#messages[seq] = message;
    }
    return message;
  }

  #at(seq) {
    return (this.#events[seq] ??= frozenOf(this.#raw.eventTexts(seq, seq + 1))[0]);
  }

  /** Makes objects of the stored events on the surface, all at once. */
  #readNodes(nodes) {
    const missing = nodes.filter((seq) => this.#events[seq] === undefined);
    frozenOf(this.#raw.eventTextsOf(Uint32Array.from(missing))).forEach((event, at) => (this.#events[missing[at]] = event));
  }

  #readAll() {
    frozenOf(this.#raw.eventTexts(0, this.#stored)).forEach((event, seq) => (this.#events[seq] ??= event));
    this.#mayMiss = false;
  }

  /** Events as one JSON array. */
  #text(from, to) {
    const between = Math.min(Math.max(from, this.#stored), to);
    const stored = between > from ? utf8.decode(this.#raw.eventTexts(from, between)).slice(1, -1) : '';
    const live = this.#events.slice(between, to).map(textOf).join();
    return `[${stored}${stored && live && ','}${live}]`;
  }

  /** The events of these numbers as one JSON array, in bytes. */
  #textOf(seqs) {
    const isStored = seqs.every((seq) => seq < this.#stored);
    if (isStored) return this.#raw.eventTextsOf(Uint32Array.from(seqs));
    return encoder.encode(`[${seqs.map((seq) => textOf(this.#at(seq))).join()}]`);
  }

  /** Adds events to a conversation of which requests are made. Those that are texts still never become objects. */
  #addTo(conversation, seqs) {
    for (let from = 0; from < seqs.length; ) {
      const isStored = seqs[from] < this.#stored;
      let to = from + 1;
      while (to < seqs.length && seqs[to] < this.#stored === isStored) to++;
      const run = Uint32Array.from(seqs.slice(from, to));
      if (isStored) conversation.extendStored(this.#raw, run);
      else conversation.extendSaid(encoder.encode(textOf(seqs.slice(from, to).map((seq) => this.#messageOf(seq)))), run);
      from = to;
    }
  }

  #takeOver(seed) {
    const header = seed.take(this.#raw);
    this.#stored = this.#raw.storedLength();
    this.#events.length = this.#stored;
    this.#mayMiss = this.#stored > 0;
    this.#nodes = undefined;
    const last = this.#raw.lastHeader();
    if (last !== undefined) this.#headerEvent = this.#at(last);
    return header;
  }

  /** Takes over a seed's events, each checked (spec 3.3). */
  #replay(seed) {
    const { length } = seed;
    for (let index = 0; index < length; index++) {
      const event = lossless(seed[index], 'seed_json', `seed event ${index}`, { index });
      this.#push(event, this.#raw.checkSeed(bytesOf(event)));
    }
  }
}

/** A session of what is stored, its turns closed. Throws as a seed does. */
export function sessionOf(log, header) {
  const take = (raw) => {
    raw.seedStored(log);
    return header;
  };
  return new Session(undefined, new TextSeed(take));
}

/** What a store may do with a session. */
export const innerOf = (session) => inner.get(session);

function headerOf(id, header) {
  const bytes = header === undefined ? undefined : bytesOf(lossless(header, 'hdr_json', 'the session header'));
  return frozenOf(core().sessionHeader(bytesOf(id), bytes, Date.now()));
}

/** One object for as long as the session lives; what it hands out is a copy, so that nobody can change the session. */
function surfaceOf(nodes, replaceGeneration) {
  return Object.freeze(
    Object.defineProperties({}, {
      nodes: { get: nodes, enumerable: true },
      replaceGeneration: { get: replaceGeneration, enumerable: true },
    }),
  );
}
