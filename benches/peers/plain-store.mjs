// A store by hand, as a careful JavaScript programmer would write it: checks, copies and freezes each entry
// in one recursive pass that reads every property once, and dedupes by a Map.

const MOST_LEVELS = 1_000;

class Refused extends TypeError {}

function refuse(path, reason) {
  throw new Refused(`${path.join('.')}: ${reason}`);
}

/** A deeply frozen copy of a value that JSON can hold; throws with the path of what it cannot. */
export function frozenCopy(value) {
  return copy(value, []);
}

function copy(value, path) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value) || Object.is(value, -0)) refuse(path, 'is a number that JSON cannot hold');
      return value;
    case 'object':
      break;
    default:
      return refuse(path, `is of type ${typeof value}`);
  }
  if (value === null) return null;
  if (path.length > MOST_LEVELS) refuse(path, 'is too deep, or part of a cycle');
  return Array.isArray(value) ? copyArray(value, path) : copyObject(value, path);
}

function copyArray(source, path) {
  const { length } = source;
  if (Object.getPrototypeOf(source) !== Array.prototype) refuse(path, 'is an array of another class');
  if (Reflect.ownKeys(source).length !== length + 1) refuse(path, 'is sparse or has named properties');
  const target = [];
  for (let index = 0; index < length; index++) {
    path.push(index);
    target.push(copy(source[index], path));
    path.pop();
  }
  return Object.freeze(target);
}

function copyObject(source, path) {
  const prototype = Object.getPrototypeOf(source);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, 'is not a plain object');
  const keys = Object.keys(source);
  if (Reflect.ownKeys(source).length !== keys.length) refuse(path, 'has symbol or hidden properties');
  const target = {};
  for (const key of keys) {
    const value = source[key];
    if (value === undefined) continue;
    path.push(key);
    const kept = copy(value, path);
    path.pop();
    if (key === '__proto__') Object.defineProperty(target, key, { value: kept, enumerable: true });
    else target[key] = kept;
  }
  return Object.freeze(target);
}

/** Throws unless a frozen copy has the shape of a history entry. */
export function checkEntry(entry) {
  const { kind, input, output } = entry ?? {};
  if (kind === 'turn') {
    checkRequest(input);
    if (typeof output?.userMessage !== 'string') refuse(['output.userMessage'], 'must be a string');
  } else if (kind === 'injection') {
    checkMessage(input, 'assistant_message');
    if (typeof input.content !== 'string') refuse(['input.content'], 'must be a string');
  } else {
    refuse(['kind'], 'must be turn or injection');
  }
}

/** Throws unless a frozen copy is a request of the user. */
export function checkRequest(input) {
  checkMessage(input, 'chart_request');
  if (!Array.isArray(input.reasons)) refuse(['input.reasons'], 'must be an array');
  for (const reason of input.reasons) {
    if (typeof reason?.kind !== 'string') refuse(['input.reasons'], 'must have kinds');
    if (reason.kind === 'user_intent' && typeof reason.text !== 'string') refuse(['input.reasons'], 'must have texts');
  }
}

function checkMessage(input, type) {
  checkId(input?.id, 'input.id');
  checkId(input.sessionId, 'input.sessionId');
  if (typeof input.timestamp !== 'number') refuse(['input.timestamp'], 'must be a number');
  if (input.type !== type) refuse(['input.type'], `must be ${type}`);
}

function checkId(id, path) {
  if (typeof id !== 'string' || id.length === 0 || id.length > 512 || !isWellFormed(id)) refuse([path], 'must be an id');
}

function isWellFormed(text) {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

export class PlainStore {
  #sessions = new Map();

  async append(sessionId, entry) {
    return this.appendFrozen(sessionId, frozenCopy(entry));
  }

  /** Appends what another validator has checked and copied. */
  appendFrozen(sessionId, frozen) {
    checkId(sessionId, 'sessionId');
    checkEntry(frozen);
    let session = this.#sessions.get(sessionId);
    if (session === undefined) this.#sessions.set(sessionId, (session = new Map()));
    if (session.has(frozen.input.id)) return 'deduped';
    session.set(frozen.input.id, frozen);
    return 'inserted';
  }

  async get(sessionId) {
    return [...(this.#sessions.get(sessionId)?.values() ?? [])];
  }
}

/** Freezes a value and all it holds. */
export function deepFreeze(value) {
  if (typeof value !== 'object' || value === null) return value;
  for (const key of Object.keys(value)) deepFreeze(value[key]);
  return Object.freeze(value);
}
