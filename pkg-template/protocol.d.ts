// Ids, messages, entries, and what an entry becomes.
//
// "Characters" are UTF-16 code units everywhere, as `.length` counts them; times are epoch milliseconds.
// "Lossless JSON" is what JSON.stringify and JSON.parse give back the same: no `undefined` in arrays, no
// BigInt, NaN, Infinity or -0, no cycles, holes, Dates, Maps or other instances. A property whose value is
// `undefined` counts as absent.

import type { LLMMessage, MessageId as MessageIdText, SessionHistoryEntry, SessionId as SessionIdText } from './turnlog.js';

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
