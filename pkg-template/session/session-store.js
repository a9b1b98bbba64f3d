// Live sessions by id: made, announced, observed, forked. (Spec 9; what lasts beyond the page is stored-sessions.js.)

import { core } from '../core.js';
import { SessionError, valueOf } from '../glue.js';
import { Listeners } from './listeners.js';
import { lossless } from './lossless.js';
import { mark } from '../mark.js';
import { Session, bytesOf, innerOf } from './session.js';
import { StoredSessions } from './stored-sessions.js';
import { StoredTranscripts } from './stored-transcripts.js';
import { HistoryState, rawOf } from '../transcript/history-state.js';
import { logsOf } from '../stores.js';
import { readOptions, refuse } from '../options.js';

/** How many ms appends of a turn that goes on wait, to be written together. */
const WINDOW_MS = 100;

export function createSessionStore(options) {
  const read = readOptions(options, ['storage', 'strict', 'invariants', 'window', 'warn']);
  const { storage, strict = storage !== undefined, invariants = false, window = WINDOW_MS, warn = (text) => console.warn(text) } = read;
  const place = storage === undefined ? undefined : logsOf(storage);
  if (storage !== undefined && place === undefined) refuse('storage', 'must be a store that this package has made');
  if (typeof window !== 'number' || !(window >= 0 && window <= 60_000)) refuse('window', 'must be a number of ms from 0 to 60,000');
  return new SessionStore({ strict, invariants }, new Listeners(warn), place && new StoredSessions(place, window, warn), place && new StoredTranscripts(place.rows));
}

class SessionStore {
  #live = new Map();
  #minted = 0;
  #options;
  #listeners;
  /** The sessions of which an append is being published. */
  #publishing = new Set();
  /** Those that listeners are being told of, with a promise for when they have been. */
  #announcing = new Map();

  /** Where sessions last; undefined where they do not. */
  #stored;
  #transcripts;
  /** Sessions that are being opened. */
  #opening = new Map();

  constructor(options, listeners, stored, transcripts) {
    this.#options = options;
    this.#listeners = listeners;
    this.#stored = stored;
    this.#transcripts = transcripts;
  }

  create(id, { seed, meta } = {}) {
    const session = this.#prepare(id, seed, meta);
    this.#enter(session);
    return session;
  }

  async open(id, { salvage = false } = {}) {
    const stored = this.#storage();
    const live = this.get(id);
    if (live !== undefined) return live;
    if (!this.#opening.has(id)) this.#opening.set(id, this.#open(stored, id, salvage).finally(() => this.#opening.delete(id)));
    return this.#opening.get(id);
  }

  async stored() {
    return this.#storage().list();
  }

  async remove(id) {
    const stored = this.#storage();
    const live = this.get(id);
    if (live !== undefined) await this.#leaveLater(live);
    await stored.remove(id);
    await this.#transcripts.remove(id);
  }

  async saveTranscript(id, state) {
    this.#storage();
    await this.#transcripts.save(textId(id), state, rawOf(state) ?? refuse('state', 'must be a HistoryState'));
  }

  async transcript(id) {
    this.#storage();
    return this.#transcripts.open(textId(id), (text) => {
      const state = new HistoryState();
      state.restoreText(text);
      return state;
    });
  }

  async close(session, { discard = false } = {}) {
    this.#need(session);
    if (!discard) await this.#flush(session, true);
    await this.#leaveLater(session);
  }

  get(id) {
    return this.#live.get(id)?.session;
  }

  list() {
    return Array.from(this.#live.values(), ({ session }) => session);
  }

  on(event, listener) {
    return this.#listeners.add(event, listener);
  }

  async flush(session) {
    await this.#flush(session, false);
  }

  /** `isEnd`: it is written for the last time. */
  async #flush(session, isEnd) {
    this.#need(session);
    const stored = this.#stored?.flush(session, isEnd);
    const all = await Promise.allSettled([stored, this.#listeners.settle('session/flush', session)]);
    const failed = all.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  fork(source, boundary, childId) {
    if (childId !== undefined && this.#live.has(childId)) throw new SessionError('session_already_exists', `session "${childId}" is live already`);
    const live = this.#source(source);
    const { at, text } = innerOf(live);
    const given = boundary === undefined ? undefined : typeof boundary === 'number' ? boundary : NaN;
    const copied = core().forkLength(live.seq, given, (seq) => at(seq).type === 'turn/end');
    const id = childId ?? this.#mint();
    const { cwd } = live.header;
    const meta = { ...(cwd !== undefined && { cwd }), parentSession: live.id, seedLength: copied };
    // A copy of its own: the child's events are other objects than the source's.
    return this.create(id, { seed: JSON.parse(text(0, copied)), meta });
  }

  #prepare(id, seed, meta) {
    const own = id ?? this.#mint();
    if (this.#live.has(own)) throw new SessionError('exists', `session "${own}" is live already`);
    const kept = meta === undefined || meta === null ? undefined : bytesOf(lossless(knownMeta(meta), 'hdr_json', 'the session header'));
    const header = valueOf(core().createdHeader(bytesOf(own), kept, Date.now()));
    return new Session(own, seed, header);
  }

  async #open(stored, id, salvage) {
    const opened = await stored.open(id, salvage);
    // It may have been created meanwhile.
    const live = this.get(id);
    if (live !== undefined) return live;
    this.#enter(opened.session, opened.stored);
    return opened.session;
  }

  #storage() {
    if (this.#stored === undefined) throw new SessionError('no_storage', 'this store has no storage');
    return this.#stored;
  }

  #enter(session, stored) {
    const { id } = session;
    const entry = { session, invariants: undefined };
    if (this.#options.invariants) {
      entry.invariants = new (core().RawInvariants)();
      for (const event of session.events) entry.invariants.advance(bytesOf(event));
    }
    this.#live.set(id, entry);
    innerOf(session).attach(this.#attachment(entry));
    this.#stored?.add(session, stored);
    try {
      this.#announce('session/created', [session], true);
    } catch (error) {
      this.#leave(session);
      throw error;
    }
  }

  /** Calls listeners with a session that must not leave meanwhile. */
  #announce(event, given, mayVeto) {
    const [session] = given;
    const before = this.#announcing.get(session);
    let end;
    this.#announcing.set(session, before ?? new Promise((resolve) => (end = resolve)));
    try {
      this.#listeners.call(event, given, mayVeto);
    } finally {
      if (before === undefined) {
        this.#announcing.delete(session);
        end();
      }
    }
  }

  /** The same, not before listeners that are being told of the session have been; once. */
  async #leaveLater(session) {
    while (this.#announcing.has(session)) await this.#announcing.get(session);
    if (this.get(session.id) === session) await this.#leave(session);
  }

  /** It is not live any more; resolves when nothing of it is being written. */
  #leave(session) {
    innerOf(session).attach(undefined);
    this.#live.delete(session.id);
    const dropped = this.#stored?.drop(session);
    this.#listeners.call('session/disposed', [session]);
    return dropped;
  }

  /** What the session asks of its store at each append. */
  #attachment(entry) {
    const { strict } = this.#options;
    return {
      isStrict: strict,
      enter: (session) => {
        if (this.#publishing.has(session)) throw new SessionError('reenter', 'an append from inside a listener of an append');
      },
      admit: (_, event) => entry.invariants?.advance(bytesOf(event)),
      publish: (session, event) => {
        this.#stored?.appended(session, event);
        this.#publishing.add(session);
        try {
          this.#announce('session/event', [session, event]);
        } finally {
          this.#publishing.delete(session);
        }
      },
    };
  }

  #source(source) {
    if (typeof source === 'string') {
      const found = this.get(source);
      if (found === undefined) throw new SessionError('session_not_found', `there is no session "${source}"`);
      return found;
    }
    const found = this.get(source?.id);
    if (found === undefined) throw new SessionError('session_not_found', `there is no session "${source?.id}"`);
    if (found !== source) throw new SessionError('session_not_live', `this is not the live session "${source.id}"`);
    return found;
  }

  #need(session) {
    if (this.get(session?.id) !== session) throw new SessionError('session_not_live', 'the session is not live in this store');
  }

  #mint() {
    let id;
    // What is stored already cannot be known at once, so there the ids are no numbers.
    do id = `session-${this.#stored === undefined ? ++this.#minted : mark()}`;
    while (this.#live.has(id));
    return id;
  }
}

const textId = (id) => (typeof id === 'string' ? id : refuse('id', 'must be a string'));

/** Of what a caller says of a session, what a header knows. */
function knownMeta({ cwd, parentSession, createdAt, seedLength }) {
  const meta = { cwd, parentSession, createdAt, seedLength };
  for (const key of Object.keys(meta)) if (meta[key] === undefined) delete meta[key];
  return meta;
}
