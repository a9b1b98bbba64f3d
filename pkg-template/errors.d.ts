// The error classes and their codes.

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

/** What a store can fail with; `conflict` is reserved and not raised by the stores of this version. */
export type StoreErrorCode =
  | 'quota_exceeded'
  | 'unavailable'
  | 'blocked'
  | 'version_too_new'
  | 'corrupt'
  | 'evicted'
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

/** `planner_failed`: it threw or rejected. `aborted`: the signal was aborted, and it threw or was not asked. */
export type PlannerErrorCode = 'planner_failed' | 'aborted';

/** The planner failed; `cause` is what it threw. Nothing was stored. */
export class PlannerError extends TurnlogError {
  constructor(code: PlannerErrorCode, message: string, options?: TurnlogErrorOptions);
  readonly code: PlannerErrorCode;
}

/** Whether a value is an error of this package, told by its shape: true across two copies of the package. */
export function isTurnlogError(e: unknown): e is TurnlogError;
