// What callers give, as the core reads it; refused as a ContextError, a getter's own error let through.

import { ContextError, snapshot, textOf } from '../glue.js';

const encoder = new TextEncoder();

/** A frozen value as JSON text. */
export const bytesOf = (value) => encoder.encode(textOf(value));

/** A frozen copy of a caller's value, in one pass that reads each property once; `undefined` as a property counts as absent. */
export function jsonIn(value, what) {
  try {
    return snapshot(value, true);
  } catch (error) {
    if ('cause' in error) throw error.cause;
    throw new ContextError('not_json', `${what}: ${error.message}`, { path: error.path });
  }
}

/** The named options, and a frozen copy of the others, which are JSON. What is null was not said. */
export function optionsIn(options, names) {
  if (options !== undefined && options !== null && typeof options !== 'object') refuse('options', 'must be an object');
  const others = { ...options };
  const read = {};
  for (const name of names) {
    read[name] = others[name] ?? undefined;
    delete others[name];
  }
  return { ...read, others: jsonIn(others, 'options') };
}

/** Throws the refusal of an argument or an option. */
export function refuse(path, reason) {
  throw new ContextError('invalid', `${path}: ${reason}`, { path });
}
