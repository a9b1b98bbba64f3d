// Where entries are kept: the contract of a store, and the stores of this package.

import type { StoreError } from './errors.js';
import type { ChartResponseOutput, HistoryEntry, MessageId, SessionId } from './protocol.js';
import type { ImportReport, SessionInfo } from './turnlog.js';

/**
 * Where entries are kept. Any object with these five async methods is a store (seed 001, "Persist beyond the
 * process"); `testHistoryStore` of `turnlog/testing` runs the contract against one. Methods reject on failure.
 */
export interface HistoryStore<TMeta = unknown> {
  /**
   * Atomic check-and-insert on `entry.input.id` within the session. `'deduped'`: an entry of that id was there, and
   * nothing changed. Of several concurrent appends of one id exactly one is `'inserted'`.
   */
  append(sessionId: SessionId, entry: HistoryEntry<TMeta>): Promise<'inserted' | 'deduped'>;
  /** Every retained entry in insertion order, not in that of timestamps; `[]` for an unknown session. */
  get(sessionId: SessionId): Promise<readonly HistoryEntry<TMeta>[]>;
  /**
   * Sets all entries at once: readers see the old list or the new one, and a failure leaves the old one. An id that
   * occurs twice is refused (the stores of this package: `invalid`) or kept once, never stored twice.
   */
  replace(sessionId: SessionId, entries: readonly HistoryEntry<TMeta>[]): Promise<void>;
  /** Forgets the session. No failure where there is none. */
  clear(sessionId: SessionId): Promise<void>;
  /** The stored response to that message, or `undefined`; meant to be a point look-up, not a scan. */
  getResponseById(sessionId: SessionId, messageId: MessageId): Promise<ChartResponseOutput | undefined>;
  /**
   * Runs `fn` while nobody else, in any process, is inside for the same session (seed 001, "Multi-instance
   * deployments"). Used for truncation. A store without it is only safe to truncate from one process.
   */
  withLock?<T>(sessionId: SessionId, fn: () => Promise<T>): Promise<T>;
}

/** That a session changed. A hint: after it, ask the store. */
export interface StoreChange {
  sessionId: SessionId;
  kind: 'append' | 'replace' | 'clear';
  /** `true` for a write through this store object, `false` for one of another tab, worker or store object. */
  local: boolean;
}

/** What is known of sessions that are gone: as of the last note that was taken of them, some seconds before. */
export interface Eviction {
  /** How many sessions there were; `undefined` where only that there were some is known. */
  sessions?: number;
  /** How many entries they had in all, likewise. */
  entries?: number;
  /** How many event-sourced sessions there were; absent where there was none, or nothing is known. */
  logs?: number;
  /** When the loss was noticed, in epoch milliseconds. */
  noticed: number;
}

/** Values of one session that were damaged, found together. */
export interface Damage {
  /** The session; `''` for what a closed page had left behind unwritten and cannot be read. */
  sessionId: SessionId | '';
  /** When it was found, in epoch milliseconds. */
  found: number;
  /**
   * How many entries could not be read, as far as that can be told; 0 where none is missing (the session's head alone
   * was damaged) or nothing is known.
   */
  entries: number;
  /**
   * What was stored: chunks, each with a header of 32 bytes and many entries' JSON text behind it, or a head (see
   * docs/architecture.md). Something else than bytes stands here as its JSON. Empty where values were missing. From
   * localStorage: the text of one entry, in UTF-8. Of an event-sourced session: its segments as they are stored, or the
   * events of a page that others were before, as text.
   */
  bytes: Uint8Array[];
}

/** A reply that streams in and is stored while it does; see {@link LocalStore.draft}. */
export interface Draft {
  /** All that was written to this object, stored or not. */
  readonly text: string;
  /**
   * Adds text: at once, and to the store within the window. The text may end in the middle of a surrogate pair.
   *
   * @throws {ValidationError} Unless it is a string.
   * @throws {StoreError} With `closed` once the draft has ended.
   */
  write(text: string): void;
  /**
   * Resolves when all that was written before is stored, or the draft has ended.
   *
   * @throws {StoreError} Rejects with the reason where it cannot be stored (`quota_exceeded`, say). Nothing is dropped:
   * it is tried again with the next window and the next flush.
   */
  flush(): Promise<void>;
  /** Ends the draft and removes what is stored of it. Another call tries again where that failed. */
  discard(): Promise<void>;
}

/** See {@link LocalStore.draft}. */
export interface DraftOptions {
  /**
   * Milliseconds, 0 to 60,000, in which text is gathered and then stored with one write; 100 by default. It is what
   * a kill of the page or browser can take. The end of a page takes nothing: what is left then goes to localStorage.
   */
  window?: number;
}

/** A stream that has not come to its end; see {@link LocalStore.drafts}. */
export interface UnfinishedDraft {
  messageId: MessageId;
  /** Its text as far as it is stored. */
  text: string;
  /** When it was last written to the store, in epoch milliseconds. */
  updated: number;
}

/**
 * A store of this package. Entries it gives are deeply frozen; lists are the caller's own. What it is given is
 * checked (`ValidationError`) and copied before the method returns its promise. Appends and cuts of an engine
 * are one transaction in it, across tabs too.
 */
export interface LocalStore<TMeta = unknown> extends HistoryStore<TMeta> {
  /** Where the entries are. */
  readonly kind: 'indexeddb' | 'localstorage' | 'memory';
  /**
   * All sessions, latest activity first. Reads no entries.
   *
   * @throws {StoreError} Rejects with `evicted` when the database that held sessions is gone (the browser evicted it,
   * somebody cleared the site's data or deleted it), or some sessions are gone that nobody cleared, with an
   * {@link Eviction} in `details`, until `acceptLoss` is called: an empty list would look like a history that never was.
   */
  sessions(): Promise<SessionInfo[]>;
  /** Takes note of an eviction: `sessions()` lists what there is from then on, in every tab and after a restart. */
  acceptLoss(): Promise<void>;
  /**
   * Stored values that were found damaged, oldest first. The readable rest of their sessions goes on in their place;
   * what was damaged is kept as it is, until `discardDamaged`. Empty for a store in memory.
   */
  damaged(): Promise<Damage[]>;
  /** Deletes what is kept of a session's damaged values. */
  discardDamaged(sessionId: SessionId): Promise<void>;
  /** Whether the session holds an entry of this id. A hash look-up once the session is in memory. */
  has(sessionId: SessionId, messageId: MessageId): Promise<boolean>;
  /**
   * The newest `n` entries, oldest first. In IndexedDB it reads only what holds them, unless the session is in
   * memory already.
   *
   * @throws {ValidationError} Rejects unless `n` is a non-negative integer.
   */
  tail(sessionId: SessionId, n: number): Promise<readonly HistoryEntry<TMeta>[]>;
  /**
   * Begins to store a reply that streams in, before there is an entry of it. It ends with `discard`, with the entry of
   * that id (by `append` or `engine.handle`), or with `clear`, and what is stored of it is then removed. One that was
   * there for the id, of another page perhaps, is not continued: the new one replaces it with its first write.
   *
   * @throws {ValidationError} For ids that are none, or another window.
   * @throws {StoreError} With `closed` once the store was.
   */
  draft(sessionId: SessionId, messageId: MessageId, options?: DraftOptions): Draft;
  /**
   * The session's unfinished streams, in the order they began: those that a page left behind, and those under way in
   * any page. One whose id has an entry by now is finished: it is not listed, and removed. (That is how a draft of one
   * page ends when another page appends its entry.)
   */
  drafts(sessionId: SessionId): Promise<UnfinishedDraft[]>;
  /** Calls `fn` after each change of any session, by whomever; the function it gives ends that. */
  subscribe(fn: (change: StoreChange) => void): () => void;
  /** Whether the browser has promised not to evict this origin's data. `false` where it cannot say. */
  persisted(): Promise<boolean>;
  /** Asks the browser for that promise; it may ask the user. `false` where it was not given. */
  requestPersistence(): Promise<boolean>;
  /** The browser's estimate for the whole origin, in bytes; empty where it gives none. */
  estimate(): Promise<{ usage?: number; quota?: number }>;
  /** The session as UTF-8 JSON lines: a header, then one entry a line. */
  exportSession(sessionId: SessionId): Promise<Uint8Array>;
  /**
   * Adds the entries of an export to the session it names, those with known ids left out, all or none in one
   * transaction.
   *
   * @throws {ValidationError} Rejects with the path of the first bad line, counted from 0, as in `[3].input.id`.
   * @throws {StoreError} Rejects with `version_too_new` for an export of a later format.
   */
  importSession(bytes: Uint8Array): Promise<{ sessionId: SessionId } & ImportReport>;
  /**
   * Stores what drafts hold (rejects where that fails), ends the notices and closes the database. Calls to an IndexedDB
   * store then reject with `closed`.
   */
  close(): Promise<void>;
}

/** A store in this page's memory, for development, tests and servers that keep nothing (seed 001). */
export function createInMemoryStore<TMeta = unknown>(): LocalStore<TMeta>;

/** See {@link createIndexedDbStore}. */
export interface IndexedDbStoreOptions {
  /** The database's name, `'turnlog'` by default. Stores of one name share their sessions, across tabs. */
  name?: string;
  /**
   * What a write waits for before it resolves. `'relaxed'` (the default): that the browser has handed it to the
   * operating system, so that it survives the end of the page and of the browser. `'strict'`: that it was flushed
   * to the disk, so that it also survives a power cut, as far as the disk tells the truth.
   */
  durability?: 'relaxed' | 'strict';
  /**
   * After how many ms without an answer a transaction is given up with `unavailable`, 10,000 by default; from 100 to
   * 600,000. Time in which the page is frozen does not count. Opening the database has a limit of its own, 3 seconds.
   */
  timeout?: number;
  /** A first listener, as for `subscribe`. */
  onChange?: (change: StoreChange) => void;
}

/**
 * A store in this origin's IndexedDB. Nothing is opened before the first call; where there is no IndexedDB that
 * call rejects with `unavailable`, and nothing is kept in memory instead. An append is one transaction however
 * long the session is; a session is read once and then kept up to date. When the page is left or frozen, appends that
 * have not resolved are noted in localStorage and in the database; the next store of the name that opens adds them.
 *
 * @throws {ValidationError} For other options than these.
 */
export function createIndexedDbStore<TMeta = unknown>(options?: IndexedDbStoreOptions): LocalStore<TMeta>;

/** See {@link createLocalStorageStore}. */
export interface LocalStorageStoreOptions {
  /**
   * What the names of its keys begin with, `'turnlog'` by default: `PREFIX/…`. Stores of one prefix share their
   * sessions, across tabs. Other keys are never touched.
   */
  prefix?: string;
  /** A first listener, as for `subscribe`. */
  onChange?: (change: StoreChange) => void;
}

/**
 * A store in this origin's localStorage, for where there is no IndexedDB; {@link openStore} chooses. It has a key for
 * each entry, holds some megabytes (5,242,879 UTF-16 code units, of all keys and values of the origin together), and
 * its calls get slower with the number of keys. It is there in pages only: elsewhere, and where localStorage is
 * denied, calls reject with `unavailable`. localStorage is not touched before the first call.
 *
 * - Every call is durable in the page's eyes when it resolves, but a browser that is killed, or a power cut, can take
 *   the last seconds.
 * - Tabs may write one session at once: no entry is lost, and an id is read once, in one order for all readers. Where
 *   the same new id is appended by two tabs in the same few milliseconds, both may be told `'inserted'`; one of the
 *   two entries counts, the same for everybody.
 * - Out of room, calls reject with `quota_exceeded` and `details: { used, needed }` in UTF-16 code units; nothing of
 *   the call is kept. `clear` always works. A `replace` needs room for both lists; without it, it is done in place, and
 *   a tab that is killed just then leaves it half done.
 * - Change notices of other tabs come with the data, as `storage` events.
 *
 * @throws {ValidationError} For other options than these.
 */
export function createLocalStorageStore<TMeta = unknown>(options?: LocalStorageStoreOptions): LocalStore<TMeta>;

/** See {@link openStore}. */
export interface OpenStoreOptions {
  /** The name of the database, and the prefix in localStorage; `'turnlog'` by default. */
  name?: string;
  /** The best kind of store to give, `'indexeddb'` by default. Lesser ones are given where it does not work. */
  prefer?: 'indexeddb' | 'localstorage' | 'memory';
  /** As in {@link IndexedDbStoreOptions}; for IndexedDB only. */
  durability?: 'relaxed' | 'strict';
  /** As in {@link IndexedDbStoreOptions}; for IndexedDB only. */
  timeout?: number;
  /** A first listener, as for `subscribe`. */
  onChange?: (change: StoreChange) => void;
}

/** A store, and what became of choosing it. */
export interface OpenedStore<TMeta = unknown> extends LocalStore<TMeta> {
  /** Why the store is not of the preferred kind; `undefined` where it is. */
  readonly reason: StoreError | undefined;
  /**
   * What was moved from localStorage into IndexedDB: how many sessions, and how many entries that were not there yet.
   * `error` is why the rest was not; it is where it was, and is tried again at the next opening. `undefined` for a
   * store of another kind than IndexedDB.
   */
  readonly migrated: { sessions: number; entries: number; error?: unknown } | undefined;
}

/**
 * Opens the best store that works here: IndexedDB, which is tried with a first read; else localStorage, with a first
 * write; else memory. `kind` and `reason` say which it is and why.
 *
 * What an earlier, lesser store of this name kept in localStorage is moved into IndexedDB, behind what is there, by id,
 * unless a tab that was given that store still has it open (where the browser has Web Locks, which tell). Nothing is
 * deleted before it is flushed to the disk there, so an interrupted move neither loses nor doubles anything. An entry
 * whose id stands for something else in IndexedDB stays in localStorage.
 *
 * @throws {ValidationError} Rejects for other options than these.
 * @throws {StoreError} Rejects where data is there that a lesser store would not show: with `version_too_new`,
 * `corrupt` (the database belongs to something else), `blocked` and whatever else is not `unavailable`, `failed` or
 * `quota_exceeded`.
 */
export function openStore<TMeta = unknown>(options?: OpenStoreOptions): Promise<OpenedStore<TMeta>>;
