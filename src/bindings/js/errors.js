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

// Class names must survive minifiers: `name` is part of the contract.
for (const [name, type] of Object.entries({ TurnlogError, ValidationError, StoreError, PlannerError })) {
  Object.defineProperty(type, 'name', { value: name });
}

const classes = [ValidationError, StoreError, PlannerError];

/** An error as the core describes it: `kind` is the index of its class. */
export function makeError(kind, code, message, path, cause, details) {
  const text = path === undefined ? message : `${path}: ${message}`;
  return new classes[kind](code, text, { path, cause, details: details ?? detailsOf(cause) });
}

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
    /^(Turnlog|Validation|Store|Planner)Error$/.test(value.name)
  );
}
