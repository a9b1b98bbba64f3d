// The declarations of the bridges from event-sourced sessions to the history.

import type { HistoryEntry } from './protocol.js';
import type { Session, SessionStore } from './session.js';
import type { HistoryStore } from './stores.js';
import type { SessionHistoryEntry } from './turnlog.js';

declare module './session.js' {
  interface SessionEventMap {
    /** An entry of a history, whole; {@link createSessionHistoryStore} writes it before the messages that say the same. */
    'history/entry': { entry: HistoryEntry };
    /**
     * That of the entries which counted before this turn only those in `ranges` go on counting, each from a place up to but not
     * including another one; and how many `history/entry` of this turn go behind them.
     */
    'history/kept': { ranges: readonly (readonly [from: number, to: number])[]; added: number };
  }
}

/** See {@link sessionHistory}. */
export interface SessionHistoryOptions {
  /**
   * The session that all entries are to name, in place of the session's own id. A list of events has no id: `'session'` by
   * default.
   */
  sessionId?: string;
}

/**
 * A session's log, or a list of events, in the wire form of the history: one entry for each complete turn, oldest first. What
 * is open at the end is none yet. Linear in the events.
 *
 * - A turn with a `user/message` is a `turn`: `userIntent` is the text of its user messages, a blank line between them;
 *   `assistantMessage` that of its last `assistant/message`. Text blocks count, a line each; other blocks do not.
 * - A turn without, whose trigger is an `injection` or in which the assistant said something, is an `injection`. One in which
 *   nobody said anything is a `turn` of empty texts.
 * - A message that replaces others says again what was said, and counts nowhere; a turn of nothing else is no entry.
 * - `id` is `<session id>:<n>` for the n-th turn, of which a session id longer than 480 UTF-16 code units gives its first 480
 *   (479, where a surrogate pair would be parted). `timestamp` is the time of `turn/start`.
 * - Turns that {@link createSessionHistoryStore} wrote are the entries that it was given, as far as they still count.
 *
 * @throws {ValidationError} `invalid` with path `sessionId` for a session whose id the history cannot carry (empty, longer than
 * 512 UTF-16 code units, or with a lone surrogate): give another one. With path `source` for what is neither a session nor
 * an array.
 * @throws {SessionError} `corrupt` with the `seq` of a `history/*` event that was not written by this package. `seed_json` for a
 * list that JSON cannot hold.
 */
export function sessionHistory(source: Session | readonly unknown[], options?: SessionHistoryOptions): SessionHistoryEntry[];

/** See {@link createSessionHistoryStore}. */
export interface SessionHistoryStoreOptions {
  /** The provider that replies are said to come from; `'unknown'` by default. */
  provider?: string;
  /** The model that replies are said to come from; `'unknown'` by default. */
  model?: string;
}

/**
 * A history store on event-sourced sessions: `createEngine({ planner, history: { store: createSessionHistoryStore(sessions) } })`
 * runs on them. Each entry is one turn of the session of its id, which holds the entry whole and the messages it derives to;
 * turns that others logged are entries as {@link sessionHistory} says. A session is made by the first write that needs it.
 *
 * - A session that is not live is opened with `sessions.open`, if there is that.
 * - A write has resolved once `sessions.flush` has. Where that fails the write rejects, but the session keeps what was appended:
 *   the next write of the session, the same one again for instance, flushes it. Where somebody else has the session open and
 *   wrote to it, every write rejects with `conflict`.
 * - `replace` and `clear` delete nothing from the log. They log which entries go on counting, and an empty `assistant/message`
 *   takes the place of what the others said, so that `deriveMessages()` shows what counts.
 * - A fork has the entries of its source up to where it was forked, as its own.
 *
 * Writes of a session take turns, also those of other history stores over the same `sessions`. An append takes the time of its
 * entry; `replace` that of the session's surface and both lists.
 *
 * @throws {ValidationError} `invalid` for what is no session store, or an empty `provider` or `model`. Methods reject as those
 * of other stores do, and as `sessions.open` does (`evicted` for a session that is not there where the browser has deleted
 * some); a write rejects with the {@link SessionError} `open_turn` while somebody else's turn is open.
 */
export function createSessionHistoryStore<TMeta = unknown>(
  sessions: Pick<SessionStore, 'get' | 'create' | 'flush'> & { open?(id: string): Promise<Session> },
  options?: SessionHistoryStoreOptions,
): HistoryStore<TMeta>;
