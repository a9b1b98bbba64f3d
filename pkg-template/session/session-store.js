// Live sessions by id: made, announced, observed, forked. (Spec 9; what lasts beyond the page is stored-sessions.js.)

import { core } from '../core.js';
import { SessionError, textOf, valueOf } from '../glue.js';
import { Listeners } from './listeners.js';
import { lossless } from './lossless.js';
import { Session, bytesOf, innerOf } from './session.js';

export function createSessionStore(options = {}) {
  return new SessionStore(options);
}

class SessionStore {
  #live = new Map();
  #minted = 0;
  #options;
  #listeners;
  /** The session whose append is being published. */
  #publishing = new Set();

  constructor({ strict = false, invariants = false, warn = (text) => console.warn(text) }) {
    this.#options = { strict, invariants };
    this.#listeners = new Listeners(warn);
  }

  create(id, { seed, meta } = {}) {
    const session = this.#prepare(id, seed, meta);
    this.#enter(session);
    return session;
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
    this.#need(session);
    await this.#listeners.settle('session/flush', session);
  }

  fork(source, boundary, childId) {
    if (childId !== undefined && this.#live.has(childId)) throw new SessionError('session_already_exists', `session "${childId}" is live already`);
    const live = this.#source(source);
    const { events } = innerOf(live);
    const given = boundary === undefined ? undefined : typeof boundary === 'number' ? boundary : NaN;
    const copied = core().forkLength(events.length, given, (seq) => events[seq].type === 'turn/end');
    const id = childId ?? this.#mint();
    const { cwd } = live.header;
    const meta = { ...(cwd !== undefined && { cwd }), parentSession: live.id, seedLength: copied };
    // A copy of its own: the child's events are other objects than the source's.
    return this.create(id, { seed: JSON.parse(textOf(events.slice(0, copied))), meta });
  }

  #prepare(id, seed, meta) {
    const own = id ?? this.#mint();
    if (this.#live.has(own)) throw new SessionError('exists', `session "${own}" is live already`);
    const kept = meta === undefined || meta === null ? undefined : bytesOf(lossless(knownMeta(meta), 'hdr_json', 'the session header'));
    const header = valueOf(core().createdHeader(bytesOf(own), kept, Date.now()));
    return new Session(own, seed, header);
  }

  #enter(session) {
    const { id } = session;
    const entry = { session, invariants: undefined };
    if (this.#options.invariants) {
      entry.invariants = new (core().RawInvariants)();
      for (const event of session.events) entry.invariants.advance(bytesOf(event));
    }
    this.#live.set(id, entry);
    innerOf(session).attach(this.#attachment(entry));
    try {
      this.#listeners.call('session/created', [session], true);
    } catch (error) {
      this.#leave(session);
      throw error;
    }
  }

  #leave(session) {
    innerOf(session).attach(undefined);
    this.#live.delete(session.id);
    this.#listeners.call('session/disposed', [session]);
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
        this.#publishing.add(session);
        try {
          this.#listeners.call('session/event', [session, event]);
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
    do id = `session-${++this.#minted}`;
    while (this.#live.has(id));
    return id;
  }
}

/** Of what a caller says of a session, what a header knows. */
function knownMeta({ cwd, parentSession, createdAt, seedLength }) {
  const meta = { cwd, parentSession, createdAt, seedLength };
  for (const key of Object.keys(meta)) if (meta[key] === undefined) delete meta[key];
  return meta;
}
