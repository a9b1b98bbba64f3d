/** A session's name: 1 to 512 UTF-16 code units without a lone surrogate. */
export type SessionId = string & { readonly __brand: 'SessionId' };
export function SessionId(raw: string): SessionId;
export type MessageId = string & { readonly __brand: 'MessageId' };
/** Without an argument: a fresh UUIDv7. */
export function MessageId(raw?: string): MessageId;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
export type UpdateReason = { kind: 'user_intent'; text: string } | { kind: string; [field: string]: unknown };

export interface AssistantInjectionMessage { readonly type: 'assistant_message'; readonly id: MessageId; readonly sessionId: SessionId; readonly timestamp: number; readonly content: string; readonly [field: string]: unknown }
export function AssistantInjectionMessage(fields: { id?: string; sessionId: string; timestamp?: number; content: string; [field: string]: unknown }): AssistantInjectionMessage;
export interface ChartRequestMessage { readonly type: 'chart_request'; readonly id: MessageId; readonly sessionId: SessionId; readonly timestamp: number; readonly reasons: readonly UpdateReason[]; readonly [field: string]: unknown }
export function ChartRequestMessage(fields: { id?: string; sessionId: string; timestamp?: number; reasons: readonly UpdateReason[]; [field: string]: unknown }): ChartRequestMessage;
export interface ChartResponseOutput { readonly userMessage: string; readonly [field: string]: unknown }

export type SessionHistoryEntry =
  | { kind: 'turn'; id: MessageId; sessionId: SessionId; timestamp: number; userIntent: string; assistantMessage: string }
  | { kind: 'injection'; id: MessageId; sessionId: SessionId; timestamp: number; content: string };
export type HistoryEntry<TMeta = unknown> =
  | { readonly kind: 'turn'; readonly input: ChartRequestMessage; readonly output: ChartResponseOutput; readonly metadata?: TMeta }
  | { readonly kind: 'injection'; readonly input: AssistantInjectionMessage; readonly metadata?: TMeta };
export interface LLMMessage { role: 'user' | 'assistant' | 'system'; content: string }

export type Result<T, E = TurnlogError> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };
export function ok<T>(value: T): { readonly ok: true; readonly value: T };
export function err<E>(error: E): { readonly ok: false; readonly error: E };
export function isOk<T, E>(result: Result<T, E>): result is { readonly ok: true; readonly value: T };
export function isErr<T, E>(result: Result<T, E>): result is { readonly ok: false; readonly error: E };

/** Base of all errors. `code` is stable; `path` names the first offender, as in `layout.rows[3].width`. */
export class TurnlogError extends Error { readonly code: string; readonly path?: string; readonly details?: unknown }
export class ValidationError extends TurnlogError {}          // codes: 'invalid', 'not_json', 'too_deep'
export class StoreError extends TurnlogError {}               // 'quota_exceeded'|'unavailable'|'blocked'|'version_too_new'|'corrupt'|'closed'|'conflict'|'failed'
export class PlannerError extends TurnlogError {}             // code 'planner_failed' | 'aborted'; `cause` is what the planner threw
export function isTurnlogError(e: unknown): e is TurnlogError;

/** Any object with these five async methods is a store. */
export interface HistoryStore<TMeta = unknown> {
  append(sessionId: SessionId, entry: HistoryEntry<TMeta>): Promise<'inserted' | 'deduped'>;
  get(sessionId: SessionId): Promise<readonly HistoryEntry<TMeta>[]>;
  replace(sessionId: SessionId, entries: readonly HistoryEntry<TMeta>[]): Promise<void>;
  clear(sessionId: SessionId): Promise<void>;
  getResponseById(sessionId: SessionId, messageId: MessageId): Promise<ChartResponseOutput | undefined>;
  withLock?<T>(sessionId: SessionId, fn: () => Promise<T>): Promise<T>;
}
export interface SessionInfo { id: SessionId; entries: number; bytes: number; firstActivity: number; lastActivity: number }
export interface StoreChange { sessionId: SessionId; kind: 'append' | 'replace' | 'clear'; local: boolean }
/** What the stores shipped here do besides. */
export interface LocalStore<TMeta = unknown> extends HistoryStore<TMeta> {
  readonly kind: 'indexeddb' | 'localstorage' | 'memory';
  sessions(): Promise<SessionInfo[]>;
  has(sessionId: SessionId, messageId: MessageId): Promise<boolean>;
  tail(sessionId: SessionId, n: number): Promise<readonly HistoryEntry<TMeta>[]>;
  subscribe(fn: (change: StoreChange) => void): () => void;
  persisted(): Promise<boolean>; requestPersistence(): Promise<boolean>;
  estimate(): Promise<{ usage?: number; quota?: number }>;
  exportSession(sessionId: SessionId): Promise<Uint8Array>;
  importSession(bytes: Uint8Array): Promise<{ sessionId: SessionId; inserted: number; deduped: number }>;
  close(): Promise<void>;
}
export function createInMemoryStore<TMeta = unknown>(): LocalStore<TMeta>;
export function createIndexedDbStore<TMeta = unknown>(options?: { name?: string; durability?: 'relaxed' | 'strict'; onChange?: (change: StoreChange) => void }): LocalStore<TMeta>;

export interface PlannerContext { readonly messages: LLMMessage[]; readonly signal: AbortSignal; readonly sessionId: SessionId; readonly overBudget: boolean }
export type PlanFunction = (request: ChartRequestMessage, context: PlannerContext) => Promise<ChartResponseOutput> | ChartResponseOutput;
export type Planner = PlanFunction | { plan: PlanFunction };
export interface HistoryConfig<TMeta = unknown> {
  store: HistoryStore<TMeta>; maxEntries?: number; maxChars?: number; retention?: 'truncate' | 'keep';
  transformEntry?: (entry: HistoryEntry<TMeta>) => HistoryEntry<TMeta>;
  deriveLLMContext?: (entry: HistoryEntry<TMeta>, defaults: () => LLMMessage[]) => LLMMessage[];
}
export interface Engine {
  handle(message: ChartRequestMessage, options?: { signal?: AbortSignal }): Promise<Result<{ type: 'chart_response'; output: ChartResponseOutput; replayed: boolean; conflict?: true }>>;
  handle(message: AssistantInjectionMessage): Promise<Result<{ type: 'assistant_message_result'; outcome: 'inserted' | 'deduped'; conflict?: true }>>;
  getHistory(sessionId: SessionId): Promise<Result<SessionHistoryEntry[]>>;
  getLLMContext(sessionId: SessionId): Promise<Result<LLMMessage[]>>;
  /** The same list as `getLLMContext`, as UTF-8 JSON text, without making objects. */
  getLLMContextBytes(sessionId: SessionId): Promise<Result<Uint8Array>>;
  importHistory(sessionId: SessionId, entries: readonly SessionHistoryEntry[]): Promise<Result<{ inserted: number; deduped: number; conflicts: MessageId[] }>>;
}
export function createEngine<TMeta = unknown>(options: { planner: Planner; history?: HistoryConfig<TMeta> }): Engine;
/** `adapter`: a TanStack AI text adapter. `onText` gets each streamed piece. */
export function llmPlanner(options: { adapter: unknown; systemPrompt?: string; onText?: (delta: string, request: ChartRequestMessage) => void }): { plan: PlanFunction };
export function deriveUserIntent(message: ChartRequestMessage): string;
export function defaultLLMContext(entry: HistoryEntry): LLMMessage[];
export function toSessionHistoryEntry(entry: HistoryEntry): SessionHistoryEntry;
export function fromSessionHistoryEntry(entry: SessionHistoryEntry): HistoryEntry;

/** Memoised; needed before any other call in browsers; in Node the named exports work without it. */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<typeof import('./index.js')>;
export const version: string;
