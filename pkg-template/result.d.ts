// The outcome of an engine's call.

import type { TurnlogError } from './errors.js';

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
