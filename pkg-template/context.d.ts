// The declarations of contexts: what a model is sent of a conversation, and summaries in the place of what they sum up.

import type { Engine } from './engine.js';
import type { TurnlogError, TurnlogErrorOptions } from './errors.js';
import type { HistoryEntry, SessionId } from './protocol.js';
import type { AssistantProvenance, JsonValue, Session, SessionEvent, ToolSchema } from './session.js';
import type { UnknownWord } from './transcript.js';
import type { SessionHistoryEntry } from './turnlog.js';

/**
 * What a block says of its origin: it goes before what its message says. `replayState` is what a provider gave with the block
 * and wants back unchanged (signatures, encrypted reasoning, item ids); it is sent to the model that produced it and to no other.
 */
export interface BlockOrigin {
  readonly provenance?: AssistantProvenance;
  readonly replayState?: unknown;
}

/**
 * A part of a message in a context. `switch (block.type)` narrows; types that are not listed here go to `default`. Members that
 * are not declared are kept.
 */
export type ContextBlock =
  | (BlockOrigin & { readonly type: 'text'; readonly text: string })
  | (BlockOrigin & { readonly type: 'reasoning'; readonly text?: string | null })
  /** `arguments` is JSON text, and at least `{}`. */
  | (BlockOrigin & { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly arguments: string })
  /** `content` is a list of blocks, or what else a tool has answered with: `0`, `''`, `false` and `null` are answers. */
  | (BlockOrigin & {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly content?: readonly ContextBlock[] | JsonValue;
      readonly isError?: boolean;
    })
  | { readonly type: UnknownWord; readonly [member: string]: unknown };

/** One message of a context, deeply frozen. One that no rule has changed is as it was given, unknown members included. */
export interface ContextMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly ContextBlock[];
  readonly provenance?: AssistantProvenance;
}

/**
 * A message as a source may have it: content may be missing or null, a call's `arguments` a value instead of its text. Blocks of
 * other types are the API's own, such as images, and need the option `unknownBlocks`.
 */
export interface SourceMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content?: string | null | readonly (ContextBlock | { readonly type: string; readonly [member: string]: unknown })[];
  readonly provenance?: AssistantProvenance;
}

/**
 * What a context can be made of at once: a session, of which the messages of its surface count; or a list of messages and of
 * history entries in either form, which say what {@link defaultLLMContext} says. Lists are read once and never changed.
 */
export type LocalSource = Session | readonly (SourceMessage | HistoryEntry | SessionHistoryEntry)[];

/** A session that an engine keeps: the messages of `engine.getLLMContext(sessionId)`, so cut to the engine's own bounds already. */
export interface EngineSource {
  readonly engine: Pick<Engine, 'getLLMContextBytes'>;
  readonly sessionId: SessionId;
}

/** What a context can be made of. */
export type ContextSource = LocalSource | EngineSource;

/** The forms of request that bodies are made in; docs/context.md of the repository has what each wants. */
export type Provider = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'ai-sdk';

/**
 * The budget of a context, and what becomes of what is not legal. `null` is as if nothing was said. System messages belong to no
 * budget. A limit of 0 is one: nothing but what is always kept.
 */
export interface ContextBudget {
  /** The most messages, results' messages included. From 0 to 2^53 - 1, as all of these. */
  readonly maxMessages?: number | null;
  /** The most characters (UTF-16 code units) of texts, reasoning, results, and names and arguments of calls. */
  readonly maxChars?: number | null;
  /** The most tokens of the same, as `countTokens` or {@link estimateTokens} has it. What an API adds to each message is not in it. */
  readonly maxInputTokens?: number | null;
  /**
   * Counts the tokens of a text: a number of 0 or more, rounded up. Called once for each step and each word of the user, with its
   * texts a line each, if there is a limit of tokens. What it says is remembered for a session as long as the same function is
   * given, so make the function once. What it throws is thrown.
   */
  readonly countTokens?: ((text: string) => number) | null;
  /**
   * So many percent of an exceeded limit are dropped at once, so that the next requests begin alike, as prompt caches want it,
   * until that much was added. From 0, the default, to 99.
   */
  readonly dropInSteps?: number | null;
  /** A call without a result gets one that says `interrupted` (the default), or its message goes with all its results. */
  readonly missingResults?: 'interrupted' | 'drop' | null;
  /** Blocks of other types are refused with `unknown_block` (the default), copied as they are, or dropped. */
  readonly unknownBlocks?: 'error' | 'keep' | 'drop' | null;
  /** The user's message to put before an assistant that begins the list, where the API refuses that; not blank. */
  readonly openingMessage?: string | null;
}

/** The options of {@link buildContext}. */
export interface ContextOptions extends ContextBudget {
  /** Stands for `maxInputTokens` where that is not given. (In a request it is the answer's.) */
  readonly maxTokens?: number | null;
  /**
   * Whose rules say where the list may begin and end. Without it any role may. What else an API wants, such as ids of calls, is a
   * matter of the body.
   */
  readonly api?: Provider | null;
}

/**
 * The options of {@link buildRequest}. What is not given is taken from a session's request header in force: `system` and `tools`
 * from itself, `model`, `maxTokens` and all others from its `config`. What the API does not know is left out.
 */
export interface RequestOptions extends ContextBudget {
  /** Has to be known, here or from the header, where the body names the model: everywhere but for `gemini` and `ai-sdk`. */
  readonly model?: string | null;
  /**
   * Who runs the model, as `provenance.provider` says it: reasoning and other opaque state go to the provider and model that
   * produced them. By default the API's own names.
   */
  readonly provider?: string | null;
  /** Goes before the system messages of the list. */
  readonly system?: string | null;
  readonly tools?: readonly ToolSchema[] | null;
  /** The most tokens of the answer: a positive integer. `anthropic-messages` wants it and gets 4,096 by default. */
  readonly maxTokens?: number | null;
  readonly temperature?: number | null;
  readonly topP?: number | null;
  readonly topK?: number | null;
  readonly frequencyPenalty?: number | null;
  readonly presencePenalty?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  /** Members that are copied into the body (`stream`, say) and go before what would be written there, but for the messages. */
  readonly extra?: { readonly [member: string]: unknown } | null;
  /**
   * Whether the body may be a view of this package's memory, where that saves a copy of it: of a {@link Session} of which nothing is
   * dropped. It is right until the next call of anything in this package, and empty or other bytes after that: hand it to `fetch`
   * at once, which copies it before it returns. False by default.
   */
  readonly view?: boolean | null;
}

/** The rows of the table of legality in docs/context.md of the repository. */
export type RepairRule =
  | 'missing_result'
  | 'orphan_result'
  | 'result_order'
  | 'blank_text'
  | 'arguments'
  | 'same_role'
  | 'opening'
  | 'system'
  | 'call_id'
  | 'reasoning'
  | 'lone_surrogate'
  | 'unknown_block'
  | 'misplaced'
  | 'trailing_space'
  | UnknownWord;

/** Something that was changed to make a list legal. */
export interface Repair {
  rule: RepairRule;
  /**
   * Where what it concerns came from: the index in the list that was given; of a session the `seq` of the event, for messages that
   * a request header puts in front that of the header's.
   */
  message: number;
  /** The id of the call it concerns, with U+FFFD for lone surrogates. */
  callId?: string;
}

/** What was done to a list. Places are those of {@link Repair.message}. */
export interface ContextReport {
  /** How many places `dropped` has. */
  droppedEntries: number;
  /** What the budget dropped, wholly or in part; ascending. */
  dropped: number[];
  /** Of which results were clipped in the middle, because their step alone exceeds the budget. */
  clipped: number[];
  /** UTF-16 code units of what is left, without system texts. */
  chars: number;
  /** Its tokens, if there is a limit of them. */
  tokens?: number;
  /** Whether what is always kept exceeds the budget: the newest word of the user, and a step whose results the model waits for. */
  overBudget: boolean;
  /** By place, then in the order of {@link RepairRule}. Also what was changed in messages that the budget then dropped. */
  repairs: Repair[];
}

/** A list that is legal and, unless `overBudget`, within its budget. */
export interface Context extends ContextReport {
  /** Deeply frozen. */
  messages: readonly ContextMessage[];
}

/** JSON in UTF-8, for `fetch`. Well-formed: a lone surrogate of the log is U+FFFD here. */
export type RequestBody = Uint8Array & { readonly buffer: ArrayBuffer };

/** A body of a request, and what was done to the list for it. */
export interface PreparedRequest extends ContextReport {
  body: RequestBody;
}

/**
 * The list of messages that a model can be sent: legal, and cut to a budget newest first (spec 4-context.md). A call, its results
 * and the reasoning with it are kept or dropped as one. A list that is legal and fits comes out as it went in, and what comes out
 * goes in again unchanged. Nothing is changed in the source.
 *
 * Linear in the source. Of a session only what is new since the last call is read from events, and from the first place on where
 * something was replaced; what a budget drops is not looked at again.
 *
 * @throws {ContextError} `invalid`, `not_json`, `unknown_block`; with `api` also `begins_with_assistant` and `ends_on_assistant`.
 * What `countTokens` or a getter throws. From an engine it is a rejection, also with what the engine's call fails with.
 */
export function buildContext(source: LocalSource, options?: ContextOptions | null): Context;
/** The same of a session that an engine keeps: it has to be waited for, and errors are rejections. */
export function buildContext(source: EngineSource, options?: ContextOptions | null): Promise<Context>;
/** The same of any source. */
export function buildContext(source: ContextSource, options?: ContextOptions | null): Context | Promise<Context>;

/**
 * The body of a request for an API: system texts, tools and settings, then the list of {@link buildContext} in the API's form,
 * with ids, orders and ends as the API wants them (spec 4-context.md, "Bodies"). Where a session's request header has a
 * `messagePrefix` those messages go before the session's, and are the first that a budget drops. `ai-sdk` gives the bare
 * `ModelMessage[]`.
 *
 * Messages come last and what stays is written the same, so that two requests begin alike as long as nothing before is dropped.
 *
 * Linear in the source. Of a session the time is that of what is new since the last request of this kind, or, where a budget drops
 * something, of what it keeps; besides that the body is copied, unless a `view` will do. What is kept for that takes the memory of
 * two bodies, for as long as the session is referred to.
 *
 * @throws {ContextError} As {@link buildContext}; `invalid` with path `provider` for no {@link Provider}, with path `model` where
 * the API wants one; `empty` where no message is left. @throws {SessionError} `malformed_header`.
 */
export function buildRequest(provider: Provider, source: LocalSource, options?: RequestOptions | null): RequestBody;
/** The same of a session that an engine keeps: it has to be waited for, and errors are rejections. */
export function buildRequest(provider: Provider, source: EngineSource, options?: RequestOptions | null): Promise<RequestBody>;
/** The same of any source. */
export function buildRequest(
  provider: Provider,
  source: ContextSource,
  options?: RequestOptions | null,
): RequestBody | Promise<RequestBody>;

/** {@link buildRequest}, with the report. */
export function prepareRequest(provider: Provider, source: LocalSource, options?: RequestOptions | null): PreparedRequest;
/** The same of a session that an engine keeps: it has to be waited for, and errors are rejections. */
export function prepareRequest(provider: Provider, source: EngineSource, options?: RequestOptions | null): Promise<PreparedRequest>;
/** The same of any source. */
export function prepareRequest(
  provider: Provider,
  source: ContextSource,
  options?: RequestOptions | null,
): PreparedRequest | Promise<PreparedRequest>;

/**
 * About how many tokens of `o200k_base` a text is; 0 only for the empty one. Within 2 % on the texts it was fitted to, which are in
 * eight languages, code and data; docs/context.md of the repository has the distribution. Linear.
 *
 * @throws {ContextError} `invalid` with path `text` for what is no string.
 */
export function estimateTokens(text: string): number;

/** How much of a session is to be left beside the summary. Without a target all that may go goes. */
export interface CompactionTarget {
  /** UTF-16 code units, counted as {@link ContextBudget.maxChars} does. */
  readonly targetChars?: number | null;
  /** Tokens, counted as {@link ContextBudget.maxInputTokens} does. */
  readonly targetTokens?: number | null;
  /** Called once for each event that says something, if the target is one of tokens. What it throws is thrown. */
  readonly countTokens?: ((text: string) => number) | null;
}

/** A range of a session's surface. */
export interface CompactionRange {
  /** The `seq` of the first event. It may exceed `end`, since places on the surface count. */
  readonly start: number;
  readonly end: number;
  /** Its tokens, to be logged with the summary; estimated where they are not given. */
  readonly tokens?: number;
}

/** What to sum up. Frozen. */
export interface CompactionPlan extends CompactionRange {
  /** All events of the range, in surface order: make the summary of their messages. */
  readonly shadowed: readonly number[];
  /** UTF-16 code units of the range. */
  readonly chars: number;
  /**
   * Whether what is left beside the summary has no more than the target. False where the newest message of the user and what
   * follows it, or a call without its result, leave no more to replace.
   */
  readonly reachesTarget: boolean;
}

/** What {@link applyCompaction} writes besides the text; the model that made it is logged. */
export interface CompactionSummary {
  /** Not blank. */
  readonly text: string;
  /** `'unknown'` by default, as `model`. */
  readonly provider?: string;
  readonly model?: string;
  /** What the model was allowed to say. */
  readonly maxTokens?: number;
}

declare module './session.js' {
  interface SessionEventMap {
    /** A compaction begins. One without its `compact/end` in the open turn bars the next one. */
    'compact/start': { turn: number };
    /** The text that goes in the place of a range, and what that range was. */
    'compact/summary': {
      summary: string;
      shadowedRange: { start: number; end: number };
      shadowedSeqs: readonly number[];
      shadowedTokenCount: number;
      provider: string;
      model: string;
      maxTokens?: number;
    };
    /** A compaction is over; with `error` nothing was replaced. */
    'compact/end': { turn: number; error?: string };
  }
}

/**
 * The shortest range from the beginning of a session's surface whose replacement leaves no more than the target; undefined where
 * there is no more than that, or nothing that may go. It ends before the newest message of the user, and where no call is parted
 * from its result. The summary is not counted: leave room for it (spec 2-session.md, 13). Linear in the surface; nothing is changed.
 *
 * @throws {ContextError} `invalid` with the path of what is refused. @throws {SessionError} `unpaired` with the `seq` of a result
 * without its call.
 */
export function planCompaction(session: Session, target?: CompactionTarget | null): CompactionPlan | undefined;

/**
 * Replaces a range of a session's surface, from {@link planCompaction} or by hand, by a summary: `compact/start`,
 * `compact/summary`, a `user/message` of the plugin `compact`, `compact/end`, in the turn that is open or else in one of their own.
 * All at once; the log keeps what was replaced, and the store writes it as any turn. Linear in the log.
 *
 * @returns The `user/message`.
 * @throws {ContextError} `invalid`; `unbalanced` for a range that parts a call from its result; `compacting` where another
 * compaction is not over. @throws {SessionError} `unpaired`, `reenter`; nothing was appended then. What the replacement is refused
 * with: `compact/end` has its message as `error` then, and the surface is as it was.
 */
export function applyCompaction(
  session: Session,
  range: CompactionRange,
  summary: string | CompactionSummary,
): SessionEvent & { readonly type: 'user/message' };

/** See {@link ContextError}. */
export type ContextErrorCode =
  | 'invalid'
  | 'not_json'
  | 'unknown_block'
  | 'begins_with_assistant'
  | 'ends_on_assistant'
  | 'empty'
  | 'compacting'
  | 'unbalanced';

/**
 * Why there is no context, no request or no compaction. `path` is the option or the argument that is refused, or the place in the
 * list, as in `[3].content[0].text`; of a session the number is the event's `seq`. Nothing was changed.
 */
export class ContextError extends TurnlogError {
  constructor(code: ContextErrorCode, message: string, options?: TurnlogErrorOptions);
  readonly code: ContextErrorCode;
}
