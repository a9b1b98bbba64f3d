// Sessions that are played into the session store from a recording, event by event, with the transcript that is drawn of each
// beside it. Nothing of the page is known here; the page learns of each event through `onEvent`.
//
// A session that is being played is live in this tab, and nobody else writes to it. What a page leaves half played is there
// afterwards as far as it was stored, with its last turn closed as interrupted.
import { HistoryState, MessageId } from '/pkg/index.js';
import { agentAtWork } from './agent-sample.mjs';

const PREFIX = 'recording-';
const TITLE = 'An agent at work';

/** Whether an id is that of a session played from a recording, and no conversation's. */
export function isRecording(id) {
  return id.startsWith(PREFIX);
}

export class Recordings {
  #sessions;
  #storage;
  #readLog;
  #onEvent;
  /** Those being played, by id. */
  #playing = new Map();

  /**
   * @param {{storage: import('/pkg/index.js').LocalStore, sessions: import('/pkg/index.js').SessionStore,
   *   readLog: (id: string) => Promise<import('/pkg/index.js').Session>, onEvent: (id: string) => void}} options
   */
  constructor({ storage, sessions, readLog, onEvent }) {
    this.#storage = storage;
    this.#sessions = sessions;
    this.#readLog = readLog;
    this.#onEvent = onEvent;
  }

  /** All there are, as the list of conversations shows them. Forks are not among them. */
  async list() {
    const stored = (await this.#stored()).filter(({ id }) => isRecording(id)).map(({ id, createdAt }) => ({ id, createdAt }));
    const known = new Set(stored.map(({ id }) => id));
    // A session is stored a moment after its first event.
    const fresh = [...this.#playing].filter(([id]) => !known.has(id)).map(([id, { session }]) => ({ id, createdAt: session.header.createdAt }));
    return [...stored, ...fresh].map(({ id, createdAt }) => (
      { id, title: TITLE, lastActivity: createdAt, about: this.#playing.has(id) ? 'playing' : 'recorded' }
    ));
  }

  /**
   * One with its transcript; both grow while it is played.
   * @returns {Promise<{session: import('/pkg/index.js').Session, state: HistoryState}>}
   */
  async read(id) {
    const playing = this.#playing.get(id);
    if (playing !== undefined) return { session: playing.session, state: playing.state };
    const saved = await this.#sessions.transcript(id);
    const session = await this.#readLog(id);
    return { session, state: (saved ?? new HistoryState()).follow(session) };
  }

  /**
   * Plays the recording into a new session.
   * @param {number} pace what its pauses are multiplied by; 0 for none
   * @returns {{id: string, done: Promise<void>}} `done` when it is played and stored
   */
  play(pace) {
    const id = `${PREFIX}${MessageId()}`;
    const controller = new AbortController();
    const playing = { session: this.#sessions.create(id), state: new HistoryState(), controller, done: undefined };
    this.#playing.set(id, playing);
    playing.done = this.#play(playing, pace);
    return { id, done: playing.done };
  }

  /** Stops one being played, for good: what is not stored yet is given up. */
  async stop(id) {
    const playing = this.#playing.get(id);
    playing?.controller.abort();
    await playing?.done;
  }

  async #play({ session, state, controller: { signal } }, pace) {
    let isDone = false;
    try {
      for (const { after, type, data, intent } of agentAtWork()) {
        if (pace > 0) await new Promise((resolve) => setTimeout(resolve, after * pace));
        if (signal.aborted) return;
        session.append(type, data, ...(intent === undefined ? [] : [intent]));
        state.follow(session);
        this.#onEvent(session.id);
        if (type === 'turn/end') await this.#save(session, state);
      }
      isDone = true;
    } finally {
      try {
        await this.#sessions.close(session, { discard: !isDone });
      } finally {
        this.#playing.delete(session.id);
      }
    }
  }

  async #save(session, state) {
    await this.#sessions.flush(session);
    await this.#sessions.saveTranscript(session.id, state);
  }

  /** The loss of conversations is told elsewhere; that of logs alone is taken note of. */
  async #stored() {
    try {
      return await this.#sessions.stored();
    } catch (error) {
      if (error.code !== 'evicted') throw error;
      await this.#storage.acceptLoss();
      return this.#sessions.stored();
    }
  }
}
