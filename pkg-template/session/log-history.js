// What a log says as a history: which of its turns count as entries, followed event by event.
//
// The invariant: the entries are decided by the log alone, so a log that is read again gives the same ones. A turn that the
// history store wrote has its entries verbatim (`history/entry`) and says which older ones go on counting (`history/kept`);
// any other complete turn is an entry by what was said in it.

import { core } from '../core.js';
import { SessionError } from '../glue.js';
import { readOptions, refuse } from '../options.js';
import { isSurfaceEligibleType } from './events.js';
import { lossless } from './lossless.js';
import { Session } from './session.js';

/** Carries an entry, whole. Only logged. */
export const ENTRY = 'history/entry';
/** Says which of the entries before it go on counting. Only logged. */
export const KEPT = 'history/kept';
/** Who has begun a turn that the history store wrote. */
export const STORE = Object.freeze({ kind: 'plugin', plugin: 'history' });

/** How much of a session's id stands in the ids of its turns; the number behind it has room in a message id. */
const ID_UNITS = 480;

/** The turns of a session, or of a list of events, in wire form. */
export function sessionHistory(source, options) {
  const { sessionId } = readOptions(options, ['sessionId']);
  const isSession = source instanceof Session;
  if (!isSession && !Array.isArray(source)) refuse('source', 'must be a Session or a list of events');
  const id = core().checkSessionId(sessionId ?? (isSession ? source.id : 'session'));
  // Whoever names a session wants all entries in it.
  const inherited = sessionId !== undefined ? Infinity : isSession ? source.header.seedLength : 0;
  const events = isSession ? source.events : lossless(source, 'seed_json', 'the events');
  return new LogHistory(id, inherited).follow(events.length, (seq) => events[seq]).wireEntries();
}

/** See the head of this file. */
export class LogHistory {
  #sessionId;
  #inherited;
  /** How many events were looked at. */
  #seen = 0;
  #turns = 0;
  #lastNumber = 0;
  /** The turn that has begun and not ended. */
  #turn;
  /** Those that count: `{ id, unit, isWhole, entry | wire }`. */
  #items = [];
  #byId = new Map();
  /**
   * For each event the unit it speaks for: a turn, or one of the entries in it; 0 outside of turns. A replacement speaks
   * for the last of what it replaced.
   */
  #unitOf = [];
  #units = 0;
  #isTorn = false;

  /** Entries among the first `inherited` events came from another session, and are this one's now. */
  constructor(sessionId, inherited = 0) {
    this.#sessionId = sessionId;
    this.#inherited = inherited;
  }

  /** Looks at the events that are new since the last time: there are `length`, and `at(seq)` gives one. */
  follow(length, at) {
    for (; this.#seen < length; this.#seen++) this.#take(at(this.#seen) ?? {}, this.#seen);
    return this;
  }

  get hasOpenTurn() {
    return this.#turn !== undefined;
  }

  /** The number that the next turn has to have. */
  get nextTurn() {
    return this.#lastNumber + 1;
  }

  /** Whether a write was cut off, so that the surface may not show what counts. */
  get isTorn() {
    return this.#isTorn;
  }

  has(id) {
    return this.#byId.has(id);
  }

  entry(id) {
    const item = this.#byId.get(id);
    return item === undefined ? undefined : entryOf(item);
  }

  /** A list of its own; the entries are frozen. */
  entries() {
    return this.#items.map(entryOf);
  }

  wireEntries() {
    return this.#items.map(({ wire, entry }) => (wire === undefined ? core().toSessionHistoryEntry(entry) : { ...wire }));
  }

  /**
   * How many entries at the head of `list` are there in this order and can stay where they are; `ranges` are their places
   * among those that count now. `isSame` compares an entry with the one of its id.
   */
  staying(list, isSame) {
    const ranges = [];
    let at = 0;
    let count = 0;
    for (const entry of list) {
      const item = this.#byId.get(entry.input.id);
      const place = item === undefined ? -1 : this.#items.indexOf(item, at);
      if (place < 0 || !item.isWhole || !isSame(entryOf(item), entry)) break;
      const last = ranges.at(-1);
      if (last?.[1] === place) last[1]++;
      else ranges.push([place, place + 1]);
      at = place + 1;
      count++;
    }
    return { count, ranges, isAll: count === list.length && count === this.#items.length };
  }

  /**
   * Of nodes in surface order, the runs that speak for nothing that counts any more: not for the entries in `ranges`, nor for
   * those of the turn that is being written. What stands outside of all turns goes with the last of the entries.
   */
  runsBeside(ranges, nodes) {
    const kept = ranges.flatMap(([from, to]) => this.#items.slice(from, to));
    const units = new Set([...kept, ...(this.#turn?.items ?? [])].map(({ unit }) => unit));
    if (kept.length > 0) units.add(0);
    const runs = [];
    let run;
    for (const seq of nodes) {
      if (units.has(this.#unitOf[seq])) run = undefined;
      else if (run !== undefined) run.push(seq);
      else runs.push((run = [seq]));
    }
    return runs;
  }

  #take(event, seq) {
    const { type, data } = event;
    if (type === 'turn/start') this.#begin(event);
    const turn = this.#turn;
    const isSurface = isSurfaceEligibleType(type);
    if (turn !== undefined) {
      if (type === ENTRY) turn.items.push(this.#read(data?.entry ?? null, seq));
      else if (type === KEPT) turn.kept = this.#readKept(data, seq);
      else if (isSurface) hear(turn, event);
    }
    this.#unitOf.push(isSurface ? this.#unitFor(event) : 0);
    if (type === 'turn/end' && turn !== undefined) this.#end(turn, data?.reason?.kind === 'interrupted');
  }

  #begin({ time, data }) {
    const { turn: number, trigger } = data ?? {};
    if (Number.isSafeInteger(number)) this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#turn = { number: ++this.#turns, unit: ++this.#units, time, trigger, says: false, retells: false, items: [] };
  }

  #end(turn, isInterrupted) {
    this.#turn = undefined;
    const { kept, items, says, retells } = turn;
    if (kept === undefined && items.length === 0) {
      const isUnwritten = isInterrupted && turn.trigger?.source?.plugin === STORE.plugin;
      if (says || !(retells || isUnwritten)) this.#add(this.#itemOf(turn));
      return;
    }
    this.#isTorn = isInterrupted;
    if (kept !== undefined) {
      // All of a write counts, or nothing of it does.
      if (items.length < kept.added) return;
      this.#items = kept.ranges.flatMap(([from, to]) => this.#items.slice(from, to));
      this.#byId = new Map(this.#items.map((item) => [item.id, item]));
    }
    for (const item of items) this.#add({ ...item, isWhole: !isInterrupted });
  }

  #add(item) {
    if (this.#byId.has(item.id)) return;
    this.#byId.set(item.id, item);
    this.#items.push(item);
  }

  /** An entry that was logged, as it counts here. */
  #read(entry, seq) {
    try {
      core().checkEntry(entry);
    } catch (cause) {
      throw new SessionError('corrupt', `event ${seq} carries no history entry: ${cause.message}`, { cause, details: { seq } });
    }
    const { input } = entry;
    const isForeign = seq < this.#inherited && input.sessionId !== this.#sessionId;
    const own = isForeign ? Object.freeze({ ...entry, input: Object.freeze({ ...input, sessionId: this.#sessionId }) }) : entry;
    return { id: input.id, unit: ++this.#units, entry: own };
  }

  #readKept(data, seq) {
    const { ranges, added } = data ?? {};
    let last = 0;
    const isNext = (place) => Number.isSafeInteger(place) && place >= last && place <= this.#items.length && ((last = place), true);
    const isRange = (range) => Array.isArray(range) && range.length === 2 && range.every(isNext);
    if (!Number.isSafeInteger(added) || !Array.isArray(ranges) || !ranges.every(isRange)) {
      throw new SessionError('corrupt', `event ${seq} does not say which entries were kept`, { details: { seq } });
    }
    return { ranges, added };
  }

  /** A turn by what was said in it. */
  #itemOf({ number, unit, time, trigger, asked, answer = '' }) {
    if (!Number.isFinite(time)) refuse('time', 'of a turn/start must be a finite number');
    const id = `${cut(this.#sessionId)}:${number}`;
    const envelope = { id, sessionId: this.#sessionId, timestamp: time };
    const isTurn = asked !== undefined || (trigger?.kind !== 'injection' && answer === '');
    const wire = isTurn
      ? { kind: 'turn', ...envelope, userIntent: (asked ?? []).join('\n\n'), assistantMessage: answer }
      : { kind: 'injection', ...envelope, content: answer };
    return { id, unit, isWhole: true, wire };
  }

  #unitFor({ surfaceOp, sourceEventSeqs }) {
    if (isReplacement(surfaceOp) && Array.isArray(sourceEventSeqs)) {
      return sourceEventSeqs.reduce((last, source) => Math.max(last, this.#unitOf[source] ?? 0), 0);
    }
    return this.#turn?.items.at(-1)?.unit ?? this.#turn?.unit ?? 0;
  }
}

const entryOf = (item) => (item.entry ??= core().fromSessionHistoryEntry(item.wire));
const isReplacement = (surfaceOp) => typeof surfaceOp === 'object' && surfaceOp !== null;

/** Takes down what an event says in its turn. A replacement says again what was said before, and is no part of it. */
function hear(turn, { type, surfaceOp, data }) {
  if (isReplacement(surfaceOp)) {
    turn.retells = true;
    return;
  }
  turn.says = true;
  if (type === 'assistant/message') turn.answer = textIn(data);
  if (type !== 'user/message') return;
  turn.asked ??= [];
  const text = textIn(data);
  if (text !== '') turn.asked.push(text);
}

/** The text of a message's text blocks, a line each. Payloads are not checked when they are appended. */
function textIn(data) {
  const blocks = Array.isArray(data?.content) ? data.content : [];
  const texts = blocks.map((block) => (block?.type === 'text' && typeof block.text === 'string' ? block.text : ''));
  return texts.filter((text) => text !== '').join('\n');
}

/** The beginning of an id, no surrogate pair parted. */
const cut = (id) => (id.length <= ID_UNITS ? id : id.slice(0, ID_UNITS).replace(/[\ud800-\udbff]$/, ''));
