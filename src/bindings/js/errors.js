// The error classes. Guards look at the shape and not at the class, so that two copies of the package
// on one page understand each other's errors.

export class TurnlogError extends Error {
  constructor(code, message, { path, details, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    if (path !== undefined) this.path = path;
    if (details !== undefined) this.details = details;
  }
}

export class ValidationError extends TurnlogError {}
export class StoreError extends TurnlogError {}
export class PlannerError extends TurnlogError {}
export class SessionError extends TurnlogError {}
export class TranscriptError extends TurnlogError {}
export class ContextError extends TurnlogError {}

// Class names must survive minifiers: `name` is part of the contract.
const all = { TurnlogError, ValidationError, StoreError, PlannerError, SessionError, TranscriptError, ContextError };
for (const [name, type] of Object.entries(all)) {
  Object.defineProperty(type, 'name', { value: name });
}

const classes = [ValidationError, StoreError, PlannerError];

/** An error as the core describes it: `kind` is the index of its class. */
export function makeError(kind, code, message, path, cause, details) {
  const text = path === undefined ? message : `${path}: ${message}`;
  return new classes[kind](code, text, { path, cause, details: details ?? detailsOf(cause) });
}

/** What a rule of the session refuses: details by name, and the numbers that are missing, if any are. */
export function makeSessionError(code, message, names, values, missing) {
  const details = named(names, values);
  if (missing.length > 0) details.missing = Array.from(missing);
  return new SessionError(code, message, names.length > 0 || missing.length > 0 ? { details } : {});
}

/** What the transcript refuses. */
export function makeTranscriptError(code, message, path, names, values) {
  const text = path === undefined ? message : `${path}: ${message}`;
  return new TranscriptError(code, text, { path, ...(names.length > 0 && { details: named(names, values) }) });
}

/** Why there is no context, or no request. */
export function makeContextError(code, message, path) {
  return new ContextError(code, path === undefined ? message : `${path}: ${message}`, { path });
}

const named = (names, values) => Object.fromEntries(names.map((name, index) => [name, values[index]]));

/** What a DOM exception says, kept where it survives structuredClone of the details. */
function detailsOf(cause) {
  return typeof DOMException === 'function' && cause instanceof DOMException
    ? { name: cause.name, message: cause.message }
    : undefined;
}

export function isTurnlogError(value) {
  return (
    value instanceof Error &&
    typeof value.code === 'string' &&
    /^(Turnlog|Validation|Store|Planner|Session|Transcript|Context)Error$/.test(value.name)
  );
}
