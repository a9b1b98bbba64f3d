// The event-sourced log of each conversation, and the forks of it: sessions stored beside the histories. Nothing of the page is
// known here.
//
// A log follows its conversation: what the history has gained is appended as turns, and what it has dropped counts no more. No
// session stays open: each piece of work opens what it needs, stores what it appended and closes it again, one tab at a time,
// so that tabs never write behind each other's back.
import { MessageId, createSessionHistoryStore, createSessionStore } from '/pkg/index.js';

const LOCK = 'turnlog-demo.event-logs';
/** Who makes a summary. */
const COMPACT = Object.freeze({ kind: 'plugin', plugin: 'compact' });

export class EventLogs {
  #store;
  #sessions;
  #history;
  #provenance;

  /**
   * @param {import('/pkg/index.js').LocalStore} store
   * @param {() => {provider: string, model: string}} provenance who answers now
   */
  constructor(store, provenance) {
    this.#store = store;
    this.#provenance = provenance;
    this.#sessions = createSessionStore({ storage: store });
  }

  /**
   * A conversation's own log, or with `id` that of one of its forks, up to date.
   * @returns {Promise<import('/pkg/index.js').Session | undefined>} undefined where nothing was said yet
   */
  read(conversation, id = conversation) {
    return this.#alone(async () => {
      const own = await this.#follow(conversation);
      return id === conversation ? own : this.#sessions.open(id);
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
      const fork = this.#sessions.fork(await this.#sessions.open(id), boundary, `fork-${MessageId()}`);
      return fork.id;
    });
  }

  /**
   * Puts a summary in the place of the nodes from `start` to `end` of the surface, in a turn of its own.
   * @returns {Promise<number>} the number of the summary's event
   * @throws {import('/pkg/index.js').SessionError} where one of the two is not on the surface any more
   */
  replace(id, { start, end, summary }) {
    return this.#alone(async () => {
      const session = await this.#sessions.open(id);
      const { nodes } = session.surface;
      const shadowed = nodes.slice(nodes.indexOf(start), nodes.indexOf(end) + 1);
      const turn = 1 + session.events.filter(({ type }) => type === 'turn/start').length;
      session.append('turn/start', { turn, trigger: { kind: 'injection', source: COMPACT } });
      const { seq } = session.append(
        'user/message',
        { content: [{ type: 'text', text: summary }], source: COMPACT },
        { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs: shadowed },
      );
      session.append('turn/end', { turn, reason: { kind: 'completed' } });
      return seq;
    });
  }

  /** Removes a conversation's log and its forks. */
  async remove(conversation) {
    await this.#alone(async () => {
      for (const { id } of await this.family(conversation)) await this.#sessions.remove(id);
    });
  }

  async #follow(conversation) {
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
    const unhurried = { get: (id) => sessions.get(id), create: (id) => sessions.create(id), open: (id) => sessions.open(id), flush: async () => {} };
    return createSessionHistoryStore(unhurried, provenance);
  }

  /** Runs `work` while no other tab is at the logs, then stores and closes what it has opened. */
  async #alone(work) {
    const locked = async () => {
      let isDone = false;
      try {
        const result = await work();
        for (const session of this.#sessions.list()) await this.#sessions.flush(session);
        isDone = true;
        return result;
      } finally {
        // What could not be stored is taken down from the history another time.
        for (const session of this.#sessions.list()) await this.#sessions.close(session, { discard: !isDone });
      }
    };
    return navigator.locks === undefined ? this.#inTurn(locked) : navigator.locks.request(LOCK, locked);
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
