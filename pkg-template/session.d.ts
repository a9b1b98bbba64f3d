// The declarations of event-sourced sessions. The payloads are those of the session document (seed 003).

import type { StoreError, TurnlogError, TurnlogErrorOptions, ValidationError } from './errors.js';
import type { LocalStore } from './stores.js';
import type { HistoryState } from './transcript.js';

/** Any value that JSON holds without loss. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Pairs a `tool/call` with its `tool/result`. A plain string at run time. */
export type CallId = string;

/** A part of a message. An open sum: types that are not listed here are legal data, and kept. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: CallId; readonly name: string; readonly arguments: string }
  | { readonly type: 'tool-result'; readonly toolCallId: CallId; readonly content: readonly ContentBlock[]; readonly isError?: boolean };

/** Who made a message. An open sum. */
export type MessageSource = { readonly kind: 'user' } | { readonly kind: 'plugin'; readonly plugin: string };

/** Which model said it. */
export interface AssistantProvenance {
  readonly provider: string;
  readonly model: string;
  readonly replayState?: unknown;
}

/** Tokens of one model call; the three input counters are disjoint. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why a model stopped. An open sum. */
export type FinishReason =
  | { readonly kind: 'stop' }
  | { readonly kind: 'tool-calls' }
  | { readonly kind: 'max-tokens' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string };

/** One piece of a streamed reply. */
export type StreamChunk =
  | { readonly type: 'block-start'; readonly index: number; readonly blockType: string }
  | { readonly type: 'text-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'tool-call-delta'; readonly index: number; readonly id: CallId; readonly name?: string; readonly argumentsDelta: string }
  | { readonly type: 'block-end'; readonly index: number; readonly block: ContentBlock }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly replayState?: unknown };

/** How a model is called. */
export interface LlmCallConfig {
  readonly provider: string;
  readonly model: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
}

/** A tool as a model is told of it; `parameters` is a JSON Schema. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** A message as it is derived from events. */
export interface SessionMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
  readonly provenance?: AssistantProvenance;
}

/** What a model request holds besides the messages of the log. In canonical form nothing in it is empty. */
export interface EpochHeader {
  readonly config: LlmCallConfig;
  readonly system?: string;
  readonly tools?: readonly ToolSchema[];
  readonly messagePrefix?: readonly SessionMessage[];
}

/** One entry of a todo list. */
export interface TodoItem {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** What started a turn. An open sum. */
export type TurnTrigger = { readonly kind: 'message' | 'injection'; readonly source: MessageSource };

/** Why a turn ended. An open sum. */
export type TurnEndReason =
  | { readonly kind: 'completed' }
  | { readonly kind: 'aborted'; readonly reason?: string }
  | { readonly kind: 'error'; readonly step: number; readonly message: string; readonly code?: string }
  | { readonly kind: 'disposed' }
  | { readonly kind: 'max-tokens' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'interrupted' };

/**
 * The types of events and what each carries. A plugin adds its own by declaration merging; they are only logged, and never
 * make a message:
 *
 * ```ts
 * declare module 'turnlog' {
 *   interface SessionEventMap {
 *     'notes/added': { note: string };
 *   }
 * }
 * ```
 */
export interface SessionEventMap {
  /** Opens a turn, the unit of durability: every event stands between a `turn/start` and its `turn/end`. */
  'turn/start': { turn: number; trigger: TurnTrigger };
  'turn/end': { turn: number; reason: TurnEndReason };
  /** Opens a step: one model call and the tool calls it asked for. */
  'step/start': { turn: number; step: number };
  'step/end': { turn: number; step: number };
  'user/message': { content: readonly ContentBlock[]; source: MessageSource };
  /** A prompt that was vetoed; no message. */
  'prompt/blocked': { content: readonly ContentBlock[]; source: MessageSource; reason: string };
  /** Context for the model, framed unless `envelope` is `raw`. `meta` is never rendered. */
  'context/message': { content: readonly ContentBlock[]; source: MessageSource; envelope?: 'context' | 'raw'; meta?: unknown };
  'assistant/chunk': { turn: number; step: number; chunk: StreamChunk };
  /** A whole reply. With empty content it is on the surface and makes no message. */
  'assistant/message': {
    turn: number;
    step: number;
    content: readonly ContentBlock[];
    provenance: AssistantProvenance;
    usage?: TokenUsage;
  };
  /** `arguments` is the raw string of the model, never parsed. */
  'tool/call': { turn: number; step: number; callId: CallId; name: string; arguments: string };
  'tool/result': {
    turn: number;
    step: number;
    callId: CallId;
    content: readonly ContentBlock[];
    isError: boolean;
    error?: { name: string; code: string };
    meta?: unknown;
  };
  'steering/message': { turn: number; content: readonly ContentBlock[]; source: MessageSource };
  /** The whole list; the last one counts. */
  'todo/write': { todos: readonly TodoItem[] };
  'request/header': { header: EpochHeader; reason: 'initial' | 'resume' | 'change' };
}

/** The types that have a place on the surface, and of which messages are made. */
export type SurfaceEventType = 'user/message' | 'assistant/message' | 'tool/result' | 'context/message' | 'steering/message';

/** What an event does to the surface: goes behind all others, or takes the place of the nodes from `start` to `end`. */
export type SurfaceOp = 'append' | { readonly op: 'replace'; readonly start: number; readonly end: number };

/** What a surface event is appended with. */
export interface SurfaceIntent {
  readonly surfaceOp: SurfaceOp;
  /** Events it was made from, all earlier; a replacement names at least all it replaces. Empty only on `assistant/message`. */
  readonly sourceEventSeqs?: readonly number[];
}

/** Branded strings are texts, however much TypeScript takes them for objects too. */
type DeepReadonly<T> = T extends string ? T : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/**
 * One event of the types in {@link SessionEventMap}: deeply frozen, and the same object wherever it is read.
 * `switch (event.type)` narrows `data`.
 */
export type SessionEvent = {
  [T in keyof SessionEventMap]: {
    readonly type: T;
    /** Its place in the log, from 0 and without holes. */
    readonly seq: number;
    /** Epoch ms of the append, by the wall clock: it may go back. */
    readonly time: number;
    readonly data: DeepReadonly<SessionEventMap[T]>;
    readonly sourceEventSeqs?: readonly number[];
    readonly surfaceOp?: SurfaceOp;
  };
}[keyof SessionEventMap];

/** What a log is stored with; never an event. Further keys are kept. */
export interface SessionHeader {
  /** Always 0. */
  readonly version: 0;
  readonly id: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** An absolute path. */
  readonly cwd?: string;
  /** The session this one was forked from. */
  readonly parentSession?: string;
  /** How many of its first events came from there. */
  readonly seedLength?: number;
}

/** The events that messages are made of, in their order. */
export interface SessionSurface {
  /** A copy of the sequence numbers in surface order; O(surface) at each look. */
  readonly nodes: readonly number[];
  /** How many replacements there were. */
  readonly replaceGeneration: number;
}

/** See {@link foldSurface}. */
export interface SurfaceFoldResult {
  nodes: number[];
  replacements: { seq: number; start: number; end: number; shadowedSeqs: number[] }[];
}

/**
 * What a rule of the session refuses; nothing has changed. The codes are listed in docs/sessions.md of the repository. `details` holds what a
 * program may want: `index` of a seed's element, `seq`, `missing`…
 */
export class SessionError extends TurnlogError {
  constructor(code: string, message: string, options?: TurnlogErrorOptions);
}

/**
 * A session: an append-only log of events, from which messages, surface and request header are derived.
 * All of it is synchronous and in memory; {@link createSessionStore} looks after many.
 */
export class Session {
  /**
   * @param seed Events to begin with, each checked; they keep their times.
   * @param header What the session is stored with; made where it is absent.
   * @throws {SessionError} `seed_*` or a surface rule's code with the `index` for a bad seed, `hdr_*` for a bad header.
   */
  constructor(id: string, seed?: readonly unknown[] | null, header?: SessionHeader);
  /**
   * A session of a log in the form of JSON lines, as {@link readSessionLog} reads it, checked as a seed: several times as fast
   * as a seed of its events, which become objects when they are looked at.
   *
   * @throws {SessionError} As {@link readSessionLog} and a seed do.
   */
  static fromLog(text: string | Uint8Array): Session;
  readonly id: string;
  /** Deeply frozen. */
  readonly header: SessionHeader;
  /** How many events there are: the `seq` of the next one. */
  readonly seq: number;
  /** All events: a frozen array, the same until the next append; O(events) at the first look after one. */
  readonly events: readonly SessionEvent[];
  /** One object as long as the session lives, always up to date. */
  readonly surface: SessionSurface;
  /**
   * Appends an event. `data` is copied in one pass that reads each property once, and frozen. Any other type than those of
   * {@link SessionEventMap} is only logged. O(data); a replacement O(what it replaces).
   *
   * @returns The event, which is `events[seq]`.
   * @throws {SessionError} `data_json`, `meta_json`, `delta`, `fallback`, `reenter`, or what a surface rule refuses. What a
   * getter throws is thrown as it is.
   */
  append<T extends SurfaceEventType>(type: T, data: SessionEventMap[T], intent: SurfaceIntent): SessionEvent & { readonly type: T };
  append<T extends Exclude<keyof SessionEventMap, SurfaceEventType>>(type: T, data: SessionEventMap[T]): SessionEvent & { readonly type: T };
  /**
   * The messages of the surface, in its order: a fresh array of shared, deeply frozen messages. O(messages), and what is new
   * is made once.
   */
  deriveMessages(): SessionMessage[];
  /** See {@link deriveEventMessage}. */
  deriveEventMessage(event: SessionEvent): SessionMessage | null;
  /**
   * The newest request header in canonical form, the same frozen object until another one is logged.
   *
   * @throws {SessionError} `malformed_header` for one that is none.
   */
  requestHeader(): EpochHeader | undefined;
}

/** The message that one event makes by itself, or null: a fresh object over the event's own content. */
export function deriveEventMessage(event: SessionEvent): SessionMessage | null;
/**
 * The surface of a list of events by the surface rules alone, and what each replacement took from it. Linear.
 *
 * @throws {SessionError} For the first event that breaks one.
 */
export function foldSurface(events: readonly unknown[]): SurfaceFoldResult;
/**
 * The last request header among the events in canonical form, or `from` where there is none.
 *
 * @throws {SessionError} `malformed_header`.
 */
export function foldRequestHeader(events: readonly unknown[], from?: EpochHeader): EpochHeader | undefined;
/**
 * A header without what is empty or unknown, in the order `config`, `system`, `tools`, `messagePrefix`.
 *
 * @throws {SessionError} `malformed_header`.
 */
export function canonicalHeader(header: unknown): EpochHeader;
/** Whether two headers make the same request; absent equals empty for tools and prefix, not for `stop`. */
export function headerEquals(a: EpochHeader, b: EpochHeader): boolean;
/** Whether JSON holds a value without loss. What a getter throws is thrown. */
export function isJsonValue(value: unknown): boolean;
/** A deeply frozen copy of a value that JSON holds without loss, else undefined. */
export function snapshotJsonValue(value: unknown): JsonValue | undefined;
/** Whether events of this type have a place on the surface. */
export function isSurfaceEligibleType(type: unknown): type is SurfaceEventType;
/** Whether an event is of such a type and has a `surfaceOp`. */
export function isSurfaceEvent(event: { readonly type: unknown; readonly surfaceOp?: unknown }): boolean;
/** The events that close the turn, the step and the tool calls that a crash left open; none for a balanced log. */
export function interruptedTurnClosers(events: readonly unknown[]): SessionEvent[];
/**
 * What a stream of chunks comes to.
 *
 * @throws {SessionError} `chunk` with the `index` of a chunk, or for an open block of a type that is not known.
 */
export function assembleChunks(chunks: readonly StreamChunk[]): {
  blocks: ContentBlock[];
  finish: FinishReason;
  usage: TokenUsage | undefined;
  replayState: unknown;
};
/**
 * Checks that a log keeps to turns and steps.
 *
 * @throws {SessionError} `invariant` for the first event that does not.
 */
export function checkInvariants(events: readonly unknown[]): void;

/**
 * Where the surface of a log can be cut without parting tool calls from their results, as a replacement must be.
 * Linear; each question takes constant time.
 *
 * @throws {SessionError} `unpaired` with the `seq` of a result without its call; what a surface rule refuses. The questions:
 * `not_on_surface`.
 */
export function toolPairing(events: readonly unknown[]): {
  /** How many calls are open before each node of the surface, and behind the last one. */
  readonly balances: readonly number[];
  isBalancedBefore(seq: number): boolean;
  isBalancedAfter(seq: number): boolean;
};

/** What an event has to do with others, by sequence numbers. */
export interface EventTrace {
  /** On the surface; once there, and replaced; never there. */
  placement: 'current' | 'shadowed' | 'log-only';
  /** What replaced it, what replaced that, and so on to the last. */
  replacers: number[];
  /** What it replaced itself, in surface order. */
  replaced: number[];
  /** Its sources as it names them; absent if they were not recorded. */
  sources?: number[];
  /** Later events that name it among their sources. */
  citedBy: number[];
}

/**
 * Where the events of a log stand, as it is now. Linear; each question takes what its answer is long.
 *
 * @throws {SessionError} What a surface rule refuses. The questions: `not_on_surface` for a number that is not in the log.
 */
export function traceEvents(events: readonly unknown[]): {
  placement(seq: number): EventTrace['placement'];
  trace(seq: number): EventTrace;
};

/** The format version of session headers and logs. */
export const SESSION_FORMAT_VERSION: 0;

/**
 * Reads a log in the form of JSON lines. What was torn off behind the last complete turn is left out; `committedBytes` is
 * where it began.
 *
 * @throws {SessionError} `corrupt` with the `line`; `unsupported_version`; `delta` or `fallback` for the old formats.
 */
export function readSessionLog(text: string | Uint8Array): {
  header: SessionHeader;
  events: readonly SessionEvent[];
  committedBytes: number;
};
/** Writes a log in that form. */
export function writeSessionLog(header: SessionHeader, events: readonly SessionEvent[]): string;

/** See {@link createSessionStore}. */
export interface SessionStoreOptions {
  /**
   * Where sessions last: a store that this package has made. Event logs and histories of one store do not meet, and may have
   * the same ids. Without it sessions are in memory alone.
   */
  storage?: LocalStore;
  /** How many ms events of a turn that goes on may wait, to be written together: from 0 to 60,000, 100 by default. */
  window?: number;
  /**
   * Has appends be checked as seeds are: a type must be a string, a header or a reply must name its model. On by default where
   * there is a storage, since what breaks these rules could not be opened again.
   */
  strict?: boolean;
  /** Refuses appends that break turns or steps (`invariant`). */
  invariants?: boolean;
  /** Is told of what listeners threw, and of writes that failed and nobody waited for; `console.warn` by default. */
  warn?: (text: string) => void;
}

/** What a store tells of, and with what. */
export interface SessionStoreEvents {
  /** A session is live: it was created, forked or opened. A listener that throws vetoes that. */
  'session/created': (session: Session) => unknown;
  /** An event was appended. */
  'session/event': (session: Session, event: SessionEvent) => unknown;
  /** `flush` was called, which waits for all listeners. */
  'session/flush': (session: Session) => unknown;
  /** A session is live no more. */
  'session/disposed': (session: Session) => unknown;
}

/**
 * Live sessions by id. With a storage, what is appended is written behind the caller's back: at once where a turn ends,
 * else within the window. A session is stored from its first event on.
 */
export interface SessionStore {
  /**
   * A new live session; its id is minted where it is absent: `session-1`, `session-2`… or, where there is a storage, one that
   * nothing else has.
   *
   * @throws {SessionError} `exists`, or as {@link Session} does. What a `session/created` listener throws.
   */
  create(
    id?: string,
    options?: { seed?: readonly unknown[]; meta?: { cwd?: string; parentSession?: string; createdAt?: number; seedLength?: number } },
  ): Session;
  get(id: string): Session | undefined;
  /** In the order in which they were made. */
  list(): Session[];
  /**
   * Resolves when all events that the session has now are stored, as durable as the storage's `durability` says, and all
   * `session/flush` listeners are done; else rejects with the first failure, the storage's before theirs. Events that could
   * not be stored stay in memory, and the next flush tries again.
   *
   * @throws {SessionError} `session_not_live`. `conflict` where somebody else has written to the stored session: nothing of
   * either is lost, this one is stored no more under its id, and can go on as a {@link fork}.
   * @throws {StoreError} What a storage's writes fail with: `quota_exceeded`, `unavailable`, `closed`…
   */
  flush(session: Session): Promise<void>;
  /**
   * Flushes, and then the session is live no more. Rejects as `flush` does; it stays live then. Where nothing was appended
   * since it was opened nothing is written.
   *
   * @param options.discard Gives up what is not stored yet, as after a `conflict`.
   */
  close(session: Session, options?: { discard?: boolean }): Promise<void>;
  /**
   * The live session of this id, or else the stored one made live, as a balanced log: where its last turn was interrupted, the
   * events of {@link interruptedTurnClosers} stand behind it, and are written with the first event that follows. What is
   * damaged behind the last complete turn is cut off and kept aside. Linear; events become objects when they are looked at.
   *
   * @param options.salvage Gives up what stands behind the first damage, and keeps it aside (the storage's `damaged()`).
   * @throws {SessionError} `session_not_found`; `corrupt` for damage before a complete turn, with `details.readable`, the
   * number of events before it; `unsupported_version`, `delta` or `fallback` for the old formats; `no_storage`.
   * @throws {StoreError} `evicted` for a session that is not there where the browser has deleted some; what a storage's reads
   * fail with.
   */
  open(id: string, options?: { salvage?: boolean }): Promise<Session>;
  /**
   * The headers of all stored sessions, in the order of their `createdAt`.
   *
   * @throws {SessionError} `no_storage`.
   * @throws {StoreError} `evicted` where the browser has deleted them; what a storage's reads fail with.
   */
  stored(): Promise<SessionHeader[]>;
  /**
   * Stores a transcript beside the session of this id, whether that is stored or not: the frame, and those groups of 16 records
   * that have changed since the same object was saved or read. All of it or nothing; of two tabs that save, the later one counts.
   * Where the browser deletes its data it can be drawn again from the session.
   *
   * @throws {SessionError} `no_storage`. @throws {StoreError} As `flush`.
   */
  saveTranscript(id: string, state: HistoryState): Promise<void>;
  /**
   * The transcript that was saved, as a new object; undefined where there is none. It can {@link HistoryState.follow} the session
   * from where it was.
   *
   * @throws {SessionError} `no_storage`. @throws {StoreError} `corrupt` where it is damaged; what a storage's reads fail with.
   */
  transcript(id: string): Promise<HistoryState | undefined>;
  /**
   * Deletes a stored session and its transcript, and ends the live one of this id. Whoever else has it live gets `conflict`.
   *
   * @throws {SessionError} `no_storage`.
   */
  remove(id: string): Promise<void>;
  /**
   * A live copy of all events up to a `turn/end`, by default the last event.
   *
   * @throws {SessionError} `session_already_exists`, `session_not_found`, `session_not_live`, `invalid_boundary`, `open_turn`,
   * in this order; then what the child's seed breaks.
   */
  fork(source: Session | string, boundary?: number, childId?: string): Session;
  /**
   * Calls `listener` from now on; the function given back ends that. What listeners throw is contained.
   *
   * @throws {ValidationError} `invalid` for an event that there is not.
   */
  on<E extends keyof SessionStoreEvents>(event: E, listener: SessionStoreEvents[E]): () => void;
}

/**
 * A store of sessions: in memory, or in a storage.
 *
 * @throws {ValidationError} `invalid` with the name of a bad option as path.
 */
export function createSessionStore(options?: SessionStoreOptions): SessionStore;
