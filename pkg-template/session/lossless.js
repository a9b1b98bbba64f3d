// Values that come in: copied in one pass, refused with a code of the session's, a getter's own error let through.

import { SessionError, snapshot } from '../glue.js';

/**
 * A deeply frozen copy of `value`. What a getter throws is thrown as it is (spec 1.3); what JSON cannot hold is a
 * SessionError of this code, with the path and `details`.
 */
export function lossless(value, code, what, details) {
  try {
    return snapshot(value, false);
  } catch (error) {
    if ('cause' in error) throw error.cause;
    throw new SessionError(code, `${what} is not losslessly JSON: ${error.message}`, { path: error.path, details });
  }
}

/** Whether JSON can hold `value` without loss. Linear in its size. */
export function isJsonValue(value) {
  return snapshotJsonValue(value) !== undefined;
}

/** A deeply frozen copy of a value that JSON can hold without loss, else undefined. */
export function snapshotJsonValue(value) {
  try {
    return snapshot(value, false);
  } catch (error) {
    if ('cause' in error) throw error.cause;
    return undefined;
  }
}
