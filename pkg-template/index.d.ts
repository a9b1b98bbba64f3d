// The declarations of `turnlog`, for index.js and node.js alike. Plain values are generated from the
// core's Rust types (turnlog.d.ts) and only named here; what generation cannot say is written by hand.
//
// "Characters" are UTF-16 code units everywhere, as `.length` counts them; times are epoch milliseconds.
// "Lossless JSON" is what JSON.stringify and JSON.parse give back the same: no `undefined` in arrays, no
// BigInt, NaN, Infinity or -0, no cycles, holes, Dates, Maps or other instances. A property whose value is
// `undefined` counts as absent.

import type {
  HistoryLimits,
  ImportReport,
  LLMMessage,
  MessageId as MessageIdText,
  SessionHistoryEntry,
  SessionId as SessionIdText,
  SessionInfo,
} from './turnlog.js';

export type { HistoryLimits, ImportReport, LLMMessage, SessionHistoryEntry, SessionInfo } from './turnlog.js';

// ---- ids --------------------------------------------------------------------------------------------

/** Names a session: 1 to 512 UTF-16 code units without a lone surrogate. Branded: a plain string is not one. */
export type SessionId = SessionIdText;

/**
 * Checks a session id and gives it back branded; no `new` (seed 001, "Verify": `SessionId('user-42')`).
 *
 * @throws {ValidationError} `invalid` for what is not a string, is empty, is longer than 512 UTF-16 code
 * units, or holds half of a surrogate pair, which could not be stored as UTF-8.
 */
export function SessionId(raw: string): SessionId;

/** Names a message within its session; what duplicates are told by. The rules of {@link SessionId}. */
export type MessageId = MessageIdText;

/**
 * Checks a message id and gives it back branded. Without an argument: a fresh UUIDv7 (RFC 9562) from
 * `Date.now()`, so that ids made later sort later.
 *
 * @throws {ValidationError} As {@link SessionId}.
 */
export function MessageId(raw?: string): MessageId;

// ---- messages ---------------------------------------------------------------------------------------

/** A value that JSON can hold without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * Why a request is sent: what the user asked, or a reason of the application's own with its fields, all
 * lossless JSON. Only `user_intent` reasons are part of the conversation (seed 000, `userIntent`).
 */
export type UpdateReason = { kind: 'user_intent'; text: string } | { kind: string; [field: string]: unknown };

/**
 * Assistant text that the developer puts into the history without asking the model (seed 001, "Seed assistant
 * context without invoking the LLM"). Frozen. Fields not named here are kept.
 */
export interface AssistantInjectionMessage {
  readonly type: 'assistant_message';
  readonly id: MessageId;
  readonly sessionId: SessionId;
  /** When the client made it, in epoch milliseconds; finite. */
  readonly timestamp: number;
  /** The text, kept verbatim, halves of surrogate pairs included. */
  readonly content: string;
  readonly [field: string]: unknown;
}

/**
 * Makes an injection: a checked, deeply frozen copy of `fields`. `id` defaults to a fresh {@link MessageId},
 * `timestamp` to `Date.now()`. Linear in the size of the fields.
 *
 * @throws {ValidationError} `not_json` or `invalid`, with the path of the first offender.
 */
export function AssistantInjectionMessage(fields: {
  id?: string;
  sessionId: string;
  timestamp?: number;
  content: string;
  [field: string]: unknown;
}): AssistantInjectionMessage;

/**
 * A request for a response (seed 001). Frozen. The state that goes along (vessels, instances, layout, whatever
 * the application has) stands in fields of its own, which are kept as lossless JSON and never interpreted.
 */
export interface ChartRequestMessage {
  readonly type: 'chart_request';
  readonly id: MessageId;
  readonly sessionId: SessionId;
  /** When the client made it, in epoch milliseconds; finite. */
  readonly timestamp: number;
  /** May be empty: a request without user intent adds no user message to the context. */
  readonly reasons: readonly UpdateReason[];
  readonly [field: string]: unknown;
}

/**
 * Makes a request: a checked, deeply frozen copy of `fields`. `id` defaults to a fresh {@link MessageId},
 * `timestamp` to `Date.now()`. Linear in the size of the fields.
 *
 * @throws {ValidationError} `not_json` or `invalid`, with the path of the first offender, as in
 * `reasons[0].text`.
 */
export function ChartRequestMessage(fields: {
  id?: string;
  sessionId: string;
  timestamp?: number;
  reasons: readonly UpdateReason[];
  [field: string]: unknown;
}): ChartRequestMessage;

/** What a planner answers (seed 000): the assistant's reply, and a plan or layout in fields of its own. */
export interface ChartResponseOutput {
  /** The reply, as text. May be empty; an empty one adds no assistant message to the context. */
  readonly userMessage: string;
  readonly [field: string]: unknown;
}

// ---- entries and projections ------------------------------------------------------------------------

/**
 * One record of a session's log: a request with its response, or an injection (seed 001). `metadata` is the
 * application's own, lossless JSON, and is never sent to the model by default (seed 001, "Attach typed metadata
 * to every entry").
 */
export type HistoryEntry<TMeta = unknown> =
  | {
      readonly kind: 'turn';
      readonly input: ChartRequestMessage;
      readonly output: ChartResponseOutput;
      readonly metadata?: TMeta;
    }
  | { readonly kind: 'injection'; readonly input: AssistantInjectionMessage; readonly metadata?: TMeta };

/**
 * All `user_intent` texts of a request, joined by one space; `''` when there is none (seed 000).
 *
 * @throws {ValidationError} For what is not a request.
 */
export function deriveUserIntent(message: ChartRequestMessage): string;

/**
 * What an entry contributes to the model's context by default: a turn a `user` and an `assistant` message, an
 * injection one `assistant` message; no message for an empty text (seed 001, "Project entries to the LLM
 * differently").
 *
 * @throws {ValidationError} For what is not an entry.
 */
export function defaultLLMContext(entry: HistoryEntry): LLMMessage[];

/**
 * The wire form of an entry, as clients render it (seed 000).
 *
 * @throws {ValidationError} For what is not an entry.
 */
export function toSessionHistoryEntry(entry: HistoryEntry): SessionHistoryEntry;

/**
 * The entry that a wire entry stands for, frozen: the one way back, so a turn has one `user_intent` reason, or none
 * for an empty `userIntent`.
 *
 * @throws {ValidationError} For what is not a wire entry, with the path of the first offender.
 */
export function fromSessionHistoryEntry(entry: SessionHistoryEntry): HistoryEntry;

// ---- results and errors -----------------------------------------------------------------------------

/** The outcome of an engine's call, a plain object: engines resolve to one and do not reject. */
export type Result<T, E = TurnlogError> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** A success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T };

/** A failure. */
export function err<E>(error: E): { readonly ok: false; readonly error: E };

/** Whether a result is a success; narrows to `value`. */
export function isOk<T, E>(result: Result<T, E>): result is { readonly ok: true; readonly value: T };

/** Whether a result is a failure; narrows to `error`. */
export function isErr<T, E>(result: Result<T, E>): result is { readonly ok: false; readonly error: E };

/** What an error is made with besides its code and message. */
export interface TurnlogErrorOptions {
  /** See {@link TurnlogError.path}. */
  path?: string;
  /** See {@link TurnlogError.details}. */
  details?: unknown;
  /** What was thrown underneath. */
  cause?: unknown;
}

/**
 * Base of all errors, and by itself the error of loading (`not_initialized`, `wasm_unavailable`). `code` is a word
 * that does not change between releases; docs/errors.md of the repository lists all of them. `cause` is what was
 * thrown underneath, where something was.
 */
export class TurnlogError extends Error {
  constructor(code: string, message: string, options?: TurnlogErrorOptions);
  /** The stable word for what went wrong. */
  readonly code: string;
  /** The first offender, as in `layout.rows[3].width`; absent when the whole call is concerned. */
  readonly path?: string;
  /** For a failure that began as a DOMException: its `{name, message}`. */
  readonly details?: unknown;
}

/** `invalid`: a value the protocol does not take. `not_json`: one that is not lossless JSON. */
export type ValidationErrorCode = 'invalid' | 'not_json';

/** What the caller gave is not what the protocol takes. Nothing was written. */
export class ValidationError extends TurnlogError {
  constructor(code: ValidationErrorCode, message: string, options?: TurnlogErrorOptions);
  readonly code: ValidationErrorCode;
}

/** What a store can fail with; `blocked` and `conflict` are reserved and not raised by the stores of this version. */
export type StoreErrorCode =
  | 'quota_exceeded'
  | 'unavailable'
  | 'blocked'
  | 'version_too_new'
  | 'corrupt'
  | 'closed'
  | 'conflict'
  | 'failed';

/**
 * The place where entries are kept failed. A {@link HistoryStore} of the application's own may throw it to have its
 * code reach the engine's caller; anything else it throws arrives as `failed`, with `cause`.
 */
export class StoreError extends TurnlogError {
  constructor(code: StoreErrorCode, message: string, options?: TurnlogErrorOptions);
  readonly code: StoreErrorCode;
}

/** `planner_failed`: it threw or rejected. `aborted`: it did so, or was not asked, after the signal was aborted. */
export type PlannerErrorCode = 'planner_failed' | 'aborted';

/** The planner failed; `cause` is what it threw. Nothing was stored. */
export class PlannerError extends TurnlogError {
  constructor(code: PlannerErrorCode, message: string, options?: TurnlogErrorOptions);
  readonly code: PlannerErrorCode;
}

/** Whether a value is an error of this package, told by its shape: true across two copies of the package. */
export function isTurnlogError(e: unknown): e is TurnlogError;

// ---- stores -----------------------------------------------------------------------------------------

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

/**
 * A store of this package. Entries it gives are deeply frozen; lists are the caller's own. What it is given is
 * checked (`ValidationError`) and copied before the method returns its promise. Appends and cuts of an engine
 * are one transaction in it, across tabs too.
 */
export interface LocalStore<TMeta = unknown> extends HistoryStore<TMeta> {
  /** Where the entries are. No function of this version makes a `'localstorage'` store. */
  readonly kind: 'indexeddb' | 'localstorage' | 'memory';
  /** All sessions, latest activity first. Reads no entries. */
  sessions(): Promise<SessionInfo[]>;
  /** Whether the session holds an entry of this id. A hash look-up once the session is in memory. */
  has(sessionId: SessionId, messageId: MessageId): Promise<boolean>;
  /**
   * The newest `n` entries, oldest first. In IndexedDB it reads only what holds them, unless the session is in
   * memory already.
   *
   * @throws {ValidationError} Rejects unless `n` is a non-negative integer.
   */
  tail(sessionId: SessionId, n: number): Promise<readonly HistoryEntry<TMeta>[]>;
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
  /** Ends the notices and closes the database; calls to an IndexedDB store then reject with `closed`. */
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
  /** A first listener, as for `subscribe`. */
  onChange?: (change: StoreChange) => void;
}

/**
 * A store in this origin's IndexedDB. Nothing is opened before the first call; where there is no IndexedDB that
 * call rejects with `unavailable`, and nothing is kept in memory instead. An append is one transaction however
 * long the session is; a session is read once and then kept up to date.
 *
 * @throws {ValidationError} For other options than these.
 */
export function createIndexedDbStore<TMeta = unknown>(options?: IndexedDbStoreOptions): LocalStore<TMeta>;

// ---- the engine -------------------------------------------------------------------------------------

/** What a planner gets besides the request. */
export interface PlannerContext {
  /** The prior context, oldest first, cut to the bounds; `[]` without history. The planner's own to change. */
  readonly messages: LLMMessage[];
  /** The signal given to `handle`, or one that is never aborted. */
  readonly signal: AbortSignal;
  readonly sessionId: SessionId;
  /** Whether the newest entry alone exceeds `maxChars`; it is in `messages` all the same. */
  readonly overBudget: boolean;
}

/** Makes a response. What it returns is checked and copied; what it throws becomes a {@link PlannerError}. */
export type PlanFunction = (request: ChartRequestMessage, context: PlannerContext) => Promise<ChartResponseOutput> | ChartResponseOutput;

/** A function, or an object whose `plan` method is it. */
export type Planner = PlanFunction | { plan: PlanFunction };

/**
 * History for an engine (seed 001). The bounds are positive integers, optional and independent ("How truncation
 * actually runs"): on each write the newest entries that fit stay, older ones are dropped, and the newest one
 * stays whatever its size. In a store of this package, and without `deriveLLMContext`, a write does not look at
 * older entries again.
 */
export interface HistoryConfig<TMeta = unknown> extends HistoryLimits {
  /** Required: nothing is kept in memory by default. */
  store: HistoryStore<TMeta>;
  /**
   * Runs once for each entry before it is stored and gives the entry to store instead: `metadata`, `output` and other
   * fields of `input` may differ; `kind`, `input.id`, `input.sessionId` and `input.timestamp` are put back (seed
   * 001, "Attach typed metadata to every entry"). If it throws, the call fails with `invalid`, path
   * `transformEntry`, and nothing is stored.
   */
  transformEntry?: (entry: HistoryEntry<TMeta>) => HistoryEntry<TMeta>;
  /**
   * Gives an entry's messages for the model; `defaults()` gives those of {@link defaultLLMContext}. Runs once for each
   * retained entry for each context read, and on each write under `maxChars`, so keep it cheap and without side
   * effects (seed 001, "Project entries to the LLM differently"). If it throws, the call fails with `invalid`,
   * path `deriveLLMContext`.
   */
  deriveLLMContext?: (entry: HistoryEntry<TMeta>, defaults: () => LLMMessage[]) => LLMMessage[];
}

/** What a request comes to. */
export interface ChartResponse {
  type: 'chart_response';
  /** The planner's answer, frozen. */
  output: ChartResponseOutput;
  /** Whether this id had been answered before: the answer is the stored one, and the planner was not asked. */
  replayed: boolean;
  /** Set where the id had been used for a message that says something else. Only stores of this package tell. */
  conflict?: true;
}

/** What an injection comes to. */
export interface AssistantMessageResult {
  type: 'assistant_message_result';
  /** `'deduped'`: an entry of this id was there, and nothing changed. */
  outcome: 'inserted' | 'deduped';
  /** As for {@link ChartResponse}. */
  conflict?: true;
}

/** A planner and, where history is configured, the place that remembers. No method throws or rejects. */
export interface Engine {
  /**
   * Answers a request: reads the prior context, asks the planner, records the turn, then cuts by the bounds. A
   * message id that has a response is answered with that one. Without history the planner gets no messages and
   * nothing is stored. Two requests of one session at once both see the context stored when they began.
   */
  handle(message: ChartRequestMessage, options?: { signal?: AbortSignal }): Promise<Result<ChartResponse>>;
  /**
   * Puts assistant text into the history. Once it has resolved, the next request sees it. Fails with `invalid`
   * without history, and with path `content` for text longer than `maxChars`.
   */
  handle(message: AssistantInjectionMessage): Promise<Result<AssistantMessageResult>>;
  /** Either of the two, told apart by `type`. */
  handle(
    message: ChartRequestMessage | AssistantInjectionMessage,
    options?: { signal?: AbortSignal },
  ): Promise<Result<ChartResponse | AssistantMessageResult>>;
  /** Every retained entry in wire form, oldest first (seed 000); `[]` without history. */
  getHistory(sessionId: SessionId): Promise<Result<SessionHistoryEntry[]>>;
  /** What the next request's planner would get as `messages`. Waits for no writer. */
  getLLMContext(sessionId: SessionId): Promise<Result<LLMMessage[]>>;
  /** The same list as UTF-8 JSON text, put together without making objects. */
  getLLMContextBytes(sessionId: SessionId): Promise<Result<Uint8Array>>;
  /**
   * Merges wire entries fetched elsewhere, in their order, those with known ids left out; all or none in a store of
   * this package. An entry of another session fails the call with a path such as `[3].sessionId`.
   */
  importHistory(sessionId: SessionId, entries: readonly SessionHistoryEntry[]): Promise<Result<ImportReport>>;
}

/**
 * Makes an engine (seed 001, "Steps").
 *
 * @throws {ValidationError} For a planner, store, bound or hook that is none, with its path, as in
 * `history.maxChars`.
 */
export function createEngine<TMeta = unknown>(options: { planner: Planner; history?: HistoryConfig<TMeta> }): Engine;

/** See {@link llmPlanner}. */
export interface LLMPlannerOptions {
  /** A TanStack AI text adapter, as `openaiText('model-id')` makes one. This package depends on none. */
  adapter: unknown;
  /** Goes before the `system` messages of the context. */
  systemPrompt?: string;
  /** Gets each piece of the reply as it is streamed. */
  onText?: (delta: string, request: ChartRequestMessage) => void;
}

/**
 * A planner that asks a language model (seed 001, "Steps"). It sends the context and, as the last user message, the
 * request's user intent with its other fields as JSON; the reply's text is `userMessage`.
 *
 * @throws {ValidationError} With path `adapter` for what is not a text adapter.
 */
export function llmPlanner(options: LLMPlannerOptions): { plan: PlanFunction };

// ---- loading ----------------------------------------------------------------------------------------

/**
 * Starts the WebAssembly core and resolves to this module's exports. Memoised; after a failure the next call tries
 * again. Browsers and workers need it before any other call (`not_initialized` otherwise); in Node the exports work
 * without it. `source` is where the core comes from if not from the file beside this module.
 *
 * @throws {TurnlogError} Rejects with `wasm_unavailable` where the host has no WebAssembly, and with the host's own
 * error where the file cannot be fetched or compiled.
 */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<typeof import('./index.js')>;

/** The version of this package. */
export const version: string;
