// The declarations of the transcript: the rich view of a conversation that a client draws (seed 002, in its wire form).

import type { TurnlogError, TurnlogErrorOptions } from './errors.js';
import type { Session, SessionError } from './session.js';

declare const unknownWord: unique symbol;

/**
 * Any word that this version does not know: it is kept, and written back. Lists of words may grow, so a `switch` over one wants
 * a `default`; what comes there is compared as a `string`. (A plain `string` among the words would keep TypeScript from
 * narrowing by the others.)
 */
export type UnknownWord = '(another word)' & { readonly [unknownWord]: true };

/** A 64-bit number that an object can hold: an integer of at most 2^53 - 1. The text forms hold all. */
export type SafeInteger = number;

/** RFC 3339, with up to nine digits of a second: `2026-01-02T03:04:05.000000006Z`. */
export type Timestamp = string;

/** How a text is coloured. */
export type TextTone = 'default' | 'dim' | 'primary' | 'success' | 'warning' | 'error' | 'info' | UnknownWord;

/** How a text is set. */
export interface Emphasis {
  bold: boolean;
  italic: boolean;
  dim: boolean;
  strike: boolean;
  underline: boolean;
}

/** What a text stands for, besides itself. */
export type Entity = { type: 'link'; href: string } | { type: 'code' } | { type: UnknownWord };

/** A piece of a line. */
export interface InlineSpan {
  text: string;
  tone: TextTone;
  emphasis: Emphasis;
  entity?: Entity | null;
}

/** A line of a message. `indent` and `marker` are those of a bullet, `language` that of code. */
export interface MessageLine {
  kind: 'paragraph' | 'bullet' | 'code' | 'quote' | 'separator' | 'metadata' | 'blank' | UnknownWord;
  spans: InlineSpan[];
  indent?: number;
  /** `-`, `3.`, or a text of its own. */
  marker?: string;
  language?: string | null;
}

/** Tokens as they were reported; `total` is no sum that was made here. */
export interface TranscriptTokenUsage {
  prompt: SafeInteger;
  completion: SafeInteger;
  total: SafeInteger;
}

/** What a message was said with. */
export interface MessageMetadata {
  citations: string[];
  token_usage?: TranscriptTokenUsage | null;
}

/** An argument of a tool. A secret holds nothing, and nothing that comes with one is kept. */
export interface ToolArgument {
  name: string;
  value: { type: 'text'; text: string } | { type: 'json'; value: unknown } | { type: 'secret' } | { type: UnknownWord };
}

/** What a command does, as far as that can be told. */
export type ParsedCommand =
  | { type: 'read'; cmd: string; name: string }
  | { type: 'list_files'; cmd: string; path?: string | null }
  | { type: 'search'; cmd: string; query?: string | null; path?: string | null }
  | { type: 'read_command'; cmd: string }
  | { type: 'unknown'; cmd: string }
  | { type: UnknownWord };

/** What becomes of a file. */
export type FileChange =
  | { type: 'add'; content: string }
  | { type: 'delete' }
  | { type: 'update'; unified_diff: string; move_path?: string | null; original_content?: string; new_content?: string }
  | { type: UnknownWord };

/** A part of a section of reasoning. */
export type ReasoningBlock =
  | { type: 'paragraph'; spans: InlineSpan[] }
  | { type: 'bullet'; indent: number; marker: string; spans: InlineSpan[] }
  | { type: 'code'; language?: string | null; content: string }
  | { type: 'quote'; spans: InlineSpan[] }
  | { type: 'separator' }
  | { type: UnknownWord };

/** A piece of a command's output. `offset` counts UTF-8 bytes from the output's start. */
export interface OutputChunk {
  offset: SafeInteger;
  content: string;
}

/** What was noted while a command was waited for. */
export interface WaitNote {
  message: string;
  tone: TextTone;
  timestamp: Timestamp;
}

/** A command that runs or ran. Members marked as extensions are not in the public page. */
export interface ExecPayload {
  call_id?: string | null;
  command: string[];
  parsed: ParsedCommand[];
  action: 'read' | 'search' | 'list' | 'run' | UnknownWord;
  status: 'running' | 'success' | 'error' | UnknownWord;
  stdout_chunks: OutputChunk[];
  stderr_chunks: OutputChunk[];
  exit_code?: number | null;
  /** Milliseconds. */
  wait_total_ms?: SafeInteger | null;
  wait_active: boolean;
  wait_notes: WaitNote[];
  started_at: Timestamp;
  completed_at?: Timestamp | null;
  /** Extension. */
  working_dir?: string | null;
  /** Extension: names and values in order; names may repeat. */
  env?: [name: string, value: string][] | null;
  /** Extension. */
  tags?: string[] | null;
}

/** The payloads, by the type of their record. `merged_exec` and `context` are extensions. */
export interface TranscriptPayloads {
  plain_message: {
    role: 'system' | 'user' | 'assistant' | 'tool' | 'error' | 'background_event' | UnknownWord;
    kind: 'plain' | 'user' | 'assistant' | 'tool' | 'error' | 'background' | 'notice' | UnknownWord;
    header?: { label: string; badge?: string | null } | null;
    lines: MessageLine[];
    metadata?: MessageMetadata | null;
  };
  wait_status: {
    header: { title: string; title_tone: TextTone; summary?: string | null; summary_tone: TextTone };
    details: { label: string; value?: string | null; tone: TextTone }[];
  };
  loading: { message: string };
  running_tool: {
    title: string;
    started_at: Timestamp;
    arguments: ToolArgument[];
    /** Milliseconds. */
    wait_cap_ms?: SafeInteger | null;
    wait_has_target: boolean;
    wait_has_call_id: boolean;
    /** Extension. */
    call_id?: string | null;
  };
  tool_call: {
    status: 'running' | 'success' | 'failed' | UnknownWord;
    title: string;
    /** Milliseconds. */
    duration_ms?: SafeInteger | null;
    arguments: ToolArgument[];
    result_preview?: { lines: string[]; truncated: boolean } | null;
    error_message?: string | null;
    /** Extension. */
    call_id?: string | null;
  };
  plan_update: {
    name: string;
    icon: 'light_bulb' | 'rocket' | 'clipboard' | UnknownWord | { custom: string };
    progress: { completed: SafeInteger; total: SafeInteger };
    steps: { description: string; status: 'pending' | 'in_progress' | 'complete' | 'skipped' | UnknownWord }[];
  };
  upgrade_notice: { current_version: string; latest_version: string; message: string };
  reasoning: {
    in_progress: boolean;
    sections: { heading?: string | null; summary: InlineSpan[]; blocks: ReasoningBlock[] }[];
    hide_when_collapsed: boolean;
    /** Extension. */
    effort?: 'low' | 'medium' | 'high' | UnknownWord | { custom: string } | null;
  };
  exec: ExecPayload;
  merged_exec: { action: ExecPayload['action']; segments: (ExecPayload & { id: SafeInteger })[] };
  assistant_stream: {
    stream_id: string;
    preview_markdown: string;
    deltas: { delta: string; sequence?: SafeInteger | null; received_at: Timestamp }[];
    citations: string[];
    metadata?: MessageMetadata | null;
    in_progress: boolean;
    last_updated_at: Timestamp;
    /** Extension: UTF-8 bytes that were dropped from the front. */
    truncated_prefix_bytes?: SafeInteger;
  };
  assistant_message: {
    stream_id?: string | null;
    markdown: string;
    citations: string[];
    metadata?: MessageMetadata | null;
    token_usage?: TranscriptTokenUsage | null;
    created_at: Timestamp;
    /** Extension. */
    mid_turn?: boolean;
  };
  diff: {
    hunks: { header: string; lines: { kind: 'context' | 'added' | 'removed' | UnknownWord; text: string }[] }[];
    /** Extension. */
    title?: string;
  };
  image: { path: string; caption?: string | null; metadata?: { [key: string]: unknown } | null };
  explore: {
    entries: {
      command: string[];
      cwd?: string | null;
      status: 'running' | 'success' | 'not_found' | UnknownWord | { error: { exit_code?: number | null } };
      /** Extension. */
      action?: string;
      /** Extension. */
      summary?: { type: string };
    }[];
    trailing: boolean;
  };
  rate_limits: {
    /** Percent. */
    primary_used_percent: number;
    secondary_used_percent: number;
    primary_to_secondary_ratio_percent: number;
    primary_window_minutes: SafeInteger;
    secondary_window_minutes: SafeInteger;
    /** From when this was reported on. */
    primary_reset_after_seconds?: SafeInteger | null;
    secondary_reset_after_seconds?: SafeInteger | null;
    /** Extension. */
    legend?: { label: string; description: string; tone: TextTone }[];
  };
  patch: {
    event: 'apply_begin' | 'apply_success' | 'apply_failure' | 'proposed' | UnknownWord;
    auto_approved?: boolean | null;
    changes: { [path: string]: FileChange };
    failure?: { message: string; stdout_excerpt?: string | null; stderr_excerpt?: string | null } | null;
  };
  background_event: { title: string; description: string };
  notice: { title?: string | null; body: MessageLine[] };
  context: {
    cwd?: string | null;
    git_branch?: string | null;
    reasoning_effort?: string | null;
    browser_session_active: boolean;
    expanded: boolean;
    deltas: {
      field: 'cwd' | 'git_branch' | 'reasoning_effort' | 'browser_snapshot' | UnknownWord;
      previous?: string | null;
      current?: string | null;
      sequence?: SafeInteger;
    }[];
    browser_snapshot?: { url: string; title?: string | null; captured_at?: string | null; width?: number; height?: number; metadata?: { [key: string]: string } } | null;
  };
}

/**
 * A record in the document's form. `switch (record.type)` narrows `payload`; a type that this version does not know goes to
 * `default`, and is kept as it is. Members that are not declared are kept, too.
 */
export type TranscriptRecord =
  | { [T in keyof TranscriptPayloads]: { id: SafeInteger; type: T; payload: TranscriptPayloads[T] } }[keyof TranscriptPayloads]
  | { id: SafeInteger; type: UnknownWord; payload: unknown };

/** A record to be added, which gets its id then. */
export type NewTranscriptRecord =
  | { [T in keyof TranscriptPayloads]: { id?: SafeInteger; type: T; payload: TranscriptPayloads[T] } }[keyof TranscriptPayloads]
  | { id?: SafeInteger; type: UnknownWord; payload: unknown };

/** A state as it is stored. Look-ups go from `call_id` and `stream_id` to records. */
export interface TranscriptSnapshot {
  /** In the order in which they are drawn. */
  records: TranscriptRecord[];
  next_id: SafeInteger;
  exec_call_lookup: { [callId: string]: SafeInteger };
  tool_call_lookup: { [callId: string]: SafeInteger };
  stream_lookup: { [streamId: string]: SafeInteger };
  /** Extensions of the application's, which the state does not look at and does not keep. */
  order?: { req: SafeInteger; out: number; seq: SafeInteger }[];
  order_debug?: (string | null)[];
  /** How far a session was drawn, for whoever restores this and follows the session. */
  session_view?: unknown;
}

/** A change to be made; positions count from 0. Unknown members are ignored. */
export type TranscriptEvent =
  /** Beyond the end means the end. */
  | { type: 'insert'; index: number; record: NewTranscriptRecord }
  /** The record keeps its id, whatever its type. */
  | { type: 'replace'; index: number; record: NewTranscriptRecord }
  | { type: 'remove'; index: number }
  /** Begins a running `exec`; beyond the end means the end. */
  | ({ type: 'start_exec'; index: number } & Pick<
      ExecPayload,
      'call_id' | 'command' | 'parsed' | 'action' | 'started_at' | 'working_dir' | 'env' | 'tags'
    >)
  /** A chunk rewrites the output from its offset on. */
  | { type: 'update_exec_stream'; index: number; stdout_chunk?: OutputChunk | null; stderr_chunk?: OutputChunk | null }
  /** Sets all three; a missing total clears it. */
  | { type: 'update_exec_wait'; index: number; wait_total_ms?: SafeInteger | null; wait_active: boolean; wait_notes?: WaitNote[] }
  /** Found by `id`, else by `call_id`. Tails are appended to what was streamed. */
  | {
      type: 'finish_exec';
      id?: SafeInteger | null;
      call_id?: string | null;
      status: ExecPayload['status'];
      exit_code?: number | null;
      completed_at?: Timestamp | null;
      stdout_tail?: string | null;
      stderr_tail?: string | null;
      wait_total_ms?: SafeInteger | null;
      wait_active: boolean;
      wait_notes: WaitNote[];
    }
  | ({ type: 'upsert_assistant_stream' } & AssistantStreamUpdate);

/** What is new of a reply that streams in. */
export interface AssistantStreamUpdate {
  stream_id: string;
  /** All of it so far. */
  preview_markdown: string;
  /** Joined with the one before where both have the same `sequence`, or none. */
  delta?: TranscriptPayloads['assistant_stream']['deltas'][number] | null;
  /** Replaces metadata and citations; without it both stay. */
  metadata?: MessageMetadata | null;
}

/** What became of an event. */
export type TranscriptMutation =
  | { type: 'inserted'; index: number; id: SafeInteger; record: TranscriptRecord }
  | { type: 'replaced'; index: number; id: SafeInteger; record: TranscriptRecord }
  | { type: 'removed'; index: number; id: SafeInteger; record: TranscriptRecord }
  /** Nothing has changed. */
  | { type: 'noop' };

/**
 * What the transcript refuses; nothing has changed. Codes: `not_json`, `invalid` (with the `path` in what was given), `index`
 * (an insertion beyond the end), `offset` (a chunk that would cut through a character), `unsafe_integer` (a number that no object
 * can hold: use the text forms), `native_form` (a record in the form of the program that the document describes, see
 * {@link nativeToDocument}). The conversions also: `document_form` (the other form was given), `time`, `not_finite`,
 * `lone_surrogate`, `unsupported` (what the form to be written has no place for).
 */
export class TranscriptError extends TurnlogError {
  constructor(code: string, message: string, options?: TurnlogErrorOptions);
}

/**
 * The transcript of a conversation: an ordered list of records, with look-ups from call and stream ids.
 *
 * A record keeps all that it came with, unknown members, words and types included, and what no operation has changed comes back
 * byte for byte from the text forms. Secret arguments keep nothing but their type. Objects that are handed out are the caller's.
 * Ids begin at 1, are given in order, and are given again after `truncateAfter` and `restore`.
 *
 * One stream of output keeps its last 33,554,432 bytes, all of them 268,435,456 (then 524,288 each, oldest first), the deltas
 * of one reply 6,291,456.
 */
export class HistoryState {
  /** Empty, or as `restore` makes it. */
  constructor(snapshot?: TranscriptSnapshot);
  /** A session's log, or a list of events, drawn: see docs/transcript.md of the repository for what becomes of which event. */
  static fromSession(source: Session | readonly unknown[]): HistoryState;
  /**
   * Draws the events that are new since the last time: of the same session, or of a list that begins with the same events. The
   * cost is that of the new ones. Records that were taken out meanwhile stay out. A restored snapshot goes on from where it was
   * taken.
   *
   * @throws {SessionError} `seed_json` for a list that JSON cannot hold.
   */
  follow(source: Session | readonly unknown[]): this;
  /** How many records there are. */
  readonly length: number;
  /** The id that the next record gets. */
  readonly nextId: SafeInteger;
  /** Adds a record at the end and gives its id. */
  push(record: NewTranscriptRecord): SafeInteger;
  /** @throws {TranscriptError} `index` beyond the end. */
  insert(index: number, record: NewTranscriptRecord): SafeInteger;
  remove(index: number): TranscriptRecord | undefined;
  get(index: number): TranscriptRecord | undefined;
  record(id: SafeInteger | bigint): TranscriptRecord | undefined;
  /** The position of an id, -1 where there is none. Logarithmic. */
  indexOf(id: SafeInteger | bigint): number;
  /** Makes a change. Its cost is that of the one record. */
  apply(event: TranscriptEvent): TranscriptMutation;
  /** What the look-ups have: the record of an `exec` (or `merged_exec`), of a tool's call, of a reply that streams in. */
  idOfExecCall(callId: string): SafeInteger | undefined;
  idOfToolCall(callId: string): SafeInteger | undefined;
  idOfStream(streamId: string): SafeInteger | undefined;
  /** Adds to a reply that streams in, or begins it at the end; the id of its record. */
  upsertAssistantStream(update: AssistantStreamUpdate): SafeInteger;
  upsertAssistantStream(
    streamId: string,
    previewMarkdown: string,
    delta?: AssistantStreamUpdate['delta'],
    metadata?: MessageMetadata | null,
  ): SafeInteger;
  /**
   * Makes a reply that streamed in a message at the end; or writes the message anew that has its stream id already. What is not
   * given is taken over from the stream. The message's record.
   */
  finalizeAssistantStream(message: {
    stream_id?: string | null;
    markdown: string;
    metadata?: MessageMetadata | null;
    token_usage?: TranscriptTokenUsage | null;
  }): TranscriptRecord;
  finalizeAssistantStream(
    streamId: string | null | undefined,
    markdown: string,
    metadata?: MessageMetadata | null,
    tokenUsage?: TranscriptTokenUsage | null,
  ): TranscriptRecord;
  /** Takes out and gives all records behind the one of this id, all there are for 0, none for one that is not there. */
  truncateAfter(id: SafeInteger | bigint): TranscriptRecord[];
  snapshot(): TranscriptSnapshot;
  /**
   * Takes over a snapshot, as it is: of messages with one stream id the first; look-ups are only made anew where all three are
   * empty. `order` and `order_debug` are not kept.
   */
  restore(snapshot: TranscriptSnapshot): void;
  /** The snapshot as JSON text, without loss for any 64-bit number. */
  snapshotText(): string;
  /** Takes over such a text, or its UTF-8 bytes. */
  restoreText(text: string | Uint8Array): void;
  /** `apply` in text form. */
  applyText(event: string | Uint8Array): string;
}

/**
 * A snapshot as the program "Every Code" stores it, as one in the document's form: JSON text (or its UTF-8 bytes) to JSON text,
 * without loss for any 64-bit number. All spellings of its commands and file changes are read. Linear.
 *
 * @throws {TranscriptError} With the `path` in what was given.
 */
export function nativeToDocument(snapshot: string | Uint8Array): string;
/**
 * The way back. Lost is what the native form has no place for: unknown members and types, steps that were skipped,
 * `hide_when_collapsed`, an explored `command` and `cwd`, other metadata of images.
 *
 * @throws {TranscriptError} With the `path` in what was given; `time` before 1970.
 */
export function documentToNative(snapshot: string | Uint8Array): string;

export {};
