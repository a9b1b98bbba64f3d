// The history of an engine on event-sourced sessions: a store with the five methods, each entry a turn of the session's log.
//
// The log is the truth (log-history.js reads it), and the surface follows it: what the session derives is what its entries
// say. A write is one turn, appended without a pause and flushed before it is acknowledged.

import { core } from '../core.js';
import { SessionError, snapshot, textOf } from '../glue.js';
import { Lanes } from '../indexed-db/lanes.js';
import { readOptions, refuse } from '../options.js';
import { ENTRY, KEPT, LogHistory, STORE } from './log-history.js';
import { innerOf } from './session.js';

/** Who said what the application put in: no model. */
const INJECTED = Object.freeze({ provider: 'turnlog', model: 'injection' });
const APPEND = Object.freeze({ surfaceOp: 'append' });

/** Why a session cannot be opened that can be made: it is not stored, or nothing is. */
const ABSENT = ['session_not_found', 'no_storage'];

/** By session store, what all history stores over it share: who writes which session, and which are being opened. */
const shared = new WeakMap();
/** By session: its history, and up to where it was flushed. */
const histories = new WeakMap();
const flushed = new WeakMap();

export function createSessionHistoryStore(sessions, options) {
  for (const method of ['get', 'create', 'flush']) {
    if (typeof sessions?.[method] !== 'function') refuse('sessions', `must have the method ${method}`);
  }
  const { provider = 'unknown', model = 'unknown' } = readOptions(options, ['provider', 'model']);
  for (const [name, value] of Object.entries({ provider, model })) {
    if (typeof value !== 'string' || value === '') refuse(name, 'must be a non-empty string');
  }
  return new SessionHistoryStore(sessions, { provider, model });
}

class SessionHistoryStore {
  #sessions;
  #provenance;
  #lanes;
  #opening;

  constructor(sessions, provenance) {
    this.#sessions = sessions;
    this.#provenance = provenance;
    if (!shared.has(sessions)) shared.set(sessions, { lanes: new Lanes(async () => {}, () => {}), opening: new Map() });
    ({ lanes: this.#lanes, opening: this.#opening } = shared.get(sessions));
  }

  async append(sessionId, entry) {
    const id = core().checkSessionId(sessionId);
    const frozen = snapshot(entry, true);
    core().checkEntry(frozen);
    return this.#lanes.alone(id, async () => {
      const session = (await this.#find(id)) ?? this.#sessions.create(id);
      const history = historyOf(session);
      const isNew = !history.has(frozen.input.id);
      if (isNew && history.isTorn) this.#set(session, history, [...history.entries(), frozen]);
      else if (isNew) this.#write(session, history, undefined, [frozen]);
      // One that was there may still have to be flushed.
      await this.#flush(session);
      return isNew ? 'inserted' : 'deduped';
    });
  }

  async get(sessionId) {
    const session = await this.#find(core().checkSessionId(sessionId));
    return session === undefined ? [] : historyOf(session).entries();
  }

  async replace(sessionId, entries) {
    if (!Array.isArray(entries)) refuse('entries', 'must be an array');
    const id = core().checkSessionId(sessionId);
    const frozen = snapshot(entries, true);
    checkList(id, frozen);
    await this.#lanes.alone(id, async () => {
      const found = await this.#find(id);
      if (found === undefined && frozen.length === 0) return;
      const session = found ?? this.#sessions.create(id);
      this.#set(session, historyOf(session), frozen);
      await this.#flush(session);
    });
  }

  async clear(sessionId) {
    await this.replace(sessionId, []);
  }

  async getResponseById(sessionId, messageId) {
    const session = await this.#find(core().checkSessionId(sessionId));
    return session === undefined ? undefined : historyOf(session).entry(messageId)?.output;
  }

  /** The live session of the id, or the stored one; undefined where there is none. */
  async #find(id) {
    const live = this.#sessions.get(id);
    if (live !== undefined || typeof this.#sessions.open !== 'function') return live;
    let opening = this.#opening.get(id);
    if (opening === undefined) {
      opening = this.#open(id).finally(() => this.#opening.delete(id));
      this.#opening.set(id, opening);
    }
    return opening;
  }

  async #open(id) {
    try {
      return await this.#sessions.open(id);
    } catch (error) {
      // Somebody else may have made it live meanwhile.
      const live = this.#sessions.get(id);
      if (live === undefined && !ABSENT.includes(error?.code)) throw error;
      return live;
    }
  }

  /** Has exactly these entries count: those that can stay do, the others are said again behind them. */
  #set(session, history, list) {
    const { count, ranges, isAll } = history.staying(list, (one, other) => textOf(one) === textOf(other));
    if (isAll && !history.isTorn) return;
    this.#write(session, history, ranges, list.slice(count));
  }

  /** One turn: which older entries go on counting, unless all do, and the entries that are new. */
  #write(session, history, ranges, added) {
    if (history.hasOpenTurn) throw new SessionError('open_turn', `session "${session.id}" is in the middle of a turn`);
    const messages = added.map((entry) => core().defaultLLMContext(entry));
    const isInjection = added.every(({ kind }) => kind === 'injection');
    const turn = history.nextTurn;
    session.append('turn/start', { turn, trigger: { kind: isInjection ? 'injection' : 'message', source: STORE } });
    if (ranges !== undefined) session.append(KEPT, { ranges, added: added.length });
    let step = 0;
    for (const [index, entry] of added.entries()) {
      session.append(ENTRY, { entry });
      for (const { role, content } of messages[index]) {
        const blocks = [{ type: 'text', text: content }];
        if (role === 'user') session.append('user/message', { content: blocks, source: { kind: 'user' } }, APPEND);
        else inStep(session, { turn, step: ++step }, blocks, entry.kind === 'turn' ? this.#provenance : INJECTED, APPEND);
      }
    }
    if (ranges !== undefined) {
      historyOf(session);
      for (const run of history.runsBeside(ranges, session.surface.nodes)) {
        const surfaceOp = { op: 'replace', start: run[0], end: run.at(-1) };
        inStep(session, { turn, step: ++step }, [], INJECTED, { surfaceOp, sourceEventSeqs: run });
      }
    }
    session.append('turn/end', { turn, reason: { kind: 'completed' } });
  }

  /** Has all of the session be as durable as its store can make it. */
  async #flush(session) {
    const { seq } = session;
    if (flushed.get(session) === seq) return;
    await this.#sessions.flush(session);
    flushed.set(session, seq);
  }
}

/** A model's message in a step of its own. With no content it takes the place of others and derives to nothing. */
function inStep(session, place, content, provenance, intent) {
  session.append('step/start', place);
  session.append('assistant/message', { ...place, content, provenance }, intent);
  session.append('step/end', place);
}

/** The history of a session, up to its last event. */
function historyOf(session) {
  const known = histories.get(session);
  if (known !== undefined) return known.follow(session.seq, innerOf(session).at);
  const history = new LogHistory(session.id, session.header.seedLength);
  histories.set(session, history);
  // Of a stored session all events together are read faster than one by one.
  const { events } = session;
  return history.follow(events.length, (seq) => events[seq]);
}

/** Refuses a list as the stores of entries do: what is no entry, and an id that is there twice. */
function checkList(id, frozen) {
  const raw = new (core().RawStore)();
  try {
    raw.beginReplace(id, frozen);
  } finally {
    raw.free();
  }
}
