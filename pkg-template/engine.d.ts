// The engine, what it is made of, and the planner that asks a model.

import type {
  AssistantInjectionMessage,
  ChartRequestMessage,
  ChartResponseOutput,
  HistoryEntry,
  SessionId,
} from './protocol.js';
import type { Result } from './result.js';
import type { HistoryStore } from './stores.js';
import type { HistoryLimits, ImportReport, LLMMessage, SessionHistoryEntry } from './turnlog.js';

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
  /** What the next request's planner would get as `messages`. Does not wait for requests under way. */
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
