// The event-sourced log of each conversation, and the forks of it: sessions stored beside the histories. Nothing of the page is
// known here.
//
// A log follows its conversation: what the history has gained is appended as turns, and what it has dropped counts no more. A
// recording has no history, and is only read. No session stays open: each piece of work opens what it needs, stores what it
// appended and closes it again, one tab at a time, so that tabs never write behind each other's back. A session that was live
// before, since a recording is played into it, is somebody else's: it stays live, and nothing is appended to it.
import { MessageId, applyCompaction, createSessionHistoryStore } from '/pkg/index.js';
import { isRecording } from './recordings.mjs';

const LOCK = 'turnlog-demo.event-logs';

export class EventLogs {
  #store;
  #sessions;
  #history;
  #provenance;
  /** The sessions that the work which goes on has made live, with how many events each had then. */
  #opened = new Map();

  /**
   * @param {{store: import('/pkg/index.js').LocalStore, sessions: import('/pkg/index.js').SessionStore,
   *   provenance: () => {provider: string, model: string}}} options `sessions` are stored in `store`; `provenance` is who answers now
   */
  constructor({ store, sessions, provenance }) {
    this.#store = store;
    this.#sessions = sessions;
    this.#provenance = provenance;
  }

  /**
   * A conversation's own log, or with `id` that of one of its forks, up to date.
   * @returns {Promise<import('/pkg/index.js').Session | undefined>} undefined where nothing was said yet
   */
  read(conversation, id = conversation) {
    return this.#alone(async () => {
      const own = await this.#follow(conversation);
      return id === conversation ? own : this.#open(id);
    });
  }

  /** Takes down what a conversation has gained. */
  async follow(conversation) {
    await this.#alone(() => this.#follow(conversation));
  }

  /**
   * A conversation's log and its forks, each behind what it was forked from.
   * @returns {Promise<{id: string, depth: number, boundary: number | undefined, createdAt: number}[]>} `boundary` is the last
   *   event that a fork has in common with its source
   */
  async family(conversation) {
    return familyOf(conversation, await this.#sessions.stored());
  }

  /** Makes a fork that ends with event `boundary`, a `turn/end`. @returns {Promise<string>} its id */
  fork(id, boundary) {
    return this.#alone(async () => {
      const fork = this.#sessions.fork(await this.#open(id), boundary, `fork-${MessageId()}`);
      this.#opened.set(fork, 0);
      return fork.id;
    });
  }

  /**
   * Puts a summary in the place of the nodes from `start` to `end` of the surface, in a turn of its own.
   * @returns {Promise<number>} the number of the summary's event
   * @throws {import('/pkg/index.js').ContextError} where one of the two is not on the surface any more, or a call is parted from
   *   its result
   */
  replace(id, { start, end, summary }) {
    return this.#alone(async () => {
      const session = await this.#open(id);
      if (!this.#opened.has(session)) throw new Error('The session is still being played. Wait until it has ended.');
      return applyCompaction(session, { start, end }, summary).seq;
    });
  }

  /** Removes a conversation's log and its forks. */
  async remove(conversation) {
    await this.#alone(async () => {
      for (const { id } of await this.family(conversation)) await this.#sessions.remove(id);
    });
  }

  async #follow(conversation) {
    if (isRecording(conversation)) return this.#open(conversation);
    const entries = await this.#store.get(conversation);
    const history = this.#historyOf(this.#provenance());
    const have = idsOf(await history.get(conversation));
    for (const entry of entries) if (!have.has(entry.input.id)) await history.append(conversation, entry);
    const session = this.#sessions.get(conversation);
    if (session === undefined) return undefined;
    // Turns that somebody else has logged stay.
    const taken = idsOf(session.events.filter(({ type }) => type === 'history/entry').map(({ data }) => data.entry));
    const wanted = idsOf(entries);
    const isKept = ({ input }) => wanted.has(input.id) || !taken.has(input.id);
    await history.replace(conversation, (await history.get(conversation)).filter(isKept));
    return session;
  }

  /** Its writes are stored together, when the work is done. */
  #historyOf(provenance) {
    const sessions = this.#sessions;
    const create = (id) => {
      const session = sessions.create(id);
      this.#opened.set(session, session.seq);
      return session;
    };
    const unhurried = { get: (id) => sessions.get(id), create, open: (id) => this.#open(id), flush: async () => {} };
    return createSessionHistoryStore(unhurried, provenance);
  }

  async #open(id) {
    const live = this.#sessions.get(id);
    if (live !== undefined) return live;
    const session = await this.#sessions.open(id);
    this.#opened.set(session, session.seq);
    return session;
  }

  /** Runs `work` while no other tab is at the logs, then stores and closes what it has opened. */
  async #alone(work) {
    const locked = async () => {
      let isDone = false;
      try {
        const result = await work();
        // To look at a log writes nothing: in another tab it may be growing.
        for (const session of this.#live()) if (session.seq > this.#opened.get(session)) await this.#sessions.flush(session);
        isDone = true;
        return result;
      } finally {
        // What could not be stored is taken down from the history another time.
        for (const session of this.#live()) await this.#sessions.close(session, { discard: !isDone });
        this.#opened.clear();
      }
    };
    return navigator.locks === undefined ? this.#inTurn(locked) : navigator.locks.request(LOCK, locked);
  }

  /** What was opened, but for what the work itself has removed. */
  #live() {
    return this.#sessions.list().filter((session) => this.#opened.has(session));
  }

  #last = Promise.resolve();

  /** Without locks (an insecure address) only this tab is kept in order. */
  #inTurn(work) {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

const idsOf = (entries) => new Set(entries.map(({ input }) => input.id));

/** A log and those forked from it, or from one of these, depth first. */
function familyOf(conversation, headers) {
  const list = ({ id, createdAt, seedLength }, depth) => {
    const children = headers.filter(({ parentSession }) => parentSession === id);
    const boundary = depth === 0 ? undefined : seedLength - 1;
    return [{ id, depth, boundary, createdAt }, ...children.flatMap((child) => list(child, depth + 1))];
  };
  const own = headers.find(({ id }) => id === conversation);
  return own === undefined ? [] : list(own, 0);
}
