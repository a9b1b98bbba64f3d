// The few assertions and makers of entries that the cases need. Everything here is plain JSON data.

/** Throws unless `condition` holds. */
export function check(condition, message) {
  if (!condition) throw new Error(message);
}

/**
 * Throws unless both are the same JSON value: every field, every number, every UTF-16 code unit. The order of an
 * object's keys does not count (one case of its own looks at it), and `undefined` counts as absent.
 */
export function same(actual, expected, what) {
  const found = difference(actual, expected, '');
  if (found !== undefined) throw new Error(`${what}: ${found}`);
}

function difference(actual, expected, path) {
  const at = path === '' ? '' : ` at ${path}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `expected an array${at}, got ${show(actual)}`;
    if (actual.length !== expected.length) return `expected ${expected.length} items${at}, got ${actual.length}`;
    return first(expected.keys(), (index) => difference(actual[index], expected[index], `${path}[${index}]`));
  }
  if (expected !== null && typeof expected === 'object') {
    if (actual === null || typeof actual !== 'object' || Array.isArray(actual)) {
      return `expected an object${at}, got ${show(actual)}`;
    }
    const names = new Set([...present(expected), ...present(actual)]);
    return first(names, (name) => difference(own(actual, name), own(expected, name), path === '' ? name : `${path}.${name}`));
  }
  return Object.is(actual, expected) ? undefined : `expected ${show(expected)}${at}, got ${show(actual)}`;
}

function first(items, find) {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const present = (object) => Object.keys(object).filter((name) => object[name] !== undefined);

/** Not `object[name]`, which for the name `__proto__` would be the prototype. */
const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

function show(value) {
  // JSON.stringify gives undefined for what JSON has no word for.
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}… (${text.length} characters)` : text;
}

/** A chart_request turn. `more.input`, `more.output` and `more.metadata` add fields. */
export function turn(sessionId, id, more = {}) {
  const entry = {
    kind: 'turn',
    input: {
      type: 'chart_request', id, sessionId, timestamp: 1_700_000_000_000,
      reasons: [{ kind: 'user_intent', text: `asked in ${id}` }],
      ...more.input,
    },
    output: { userMessage: `answered ${id}`, ...more.output },
  };
  if ('metadata' in more) entry.metadata = more.metadata;
  return entry;
}

/** A developer-supplied assistant message. */
export function injection(sessionId, id, content = `injected ${id}`, more = {}) {
  const entry = {
    kind: 'injection',
    input: { type: 'assistant_message', id, sessionId, timestamp: 1_700_000_000_000, content, ...more.input },
  };
  if ('metadata' in more) entry.metadata = more.metadata;
  return entry;
}

/** `count` turns with the ids `prefix`0, `prefix`1, … */
export function turns(sessionId, count, prefix = 'm') {
  return Array.from({ length: count }, (_, index) => turn(sessionId, `${prefix}${index}`));
}

/** Appends one after the other, and holds each to be new. */
export async function appendAll(store, sessionId, entries) {
  for (const entry of entries) {
    const outcome = await store.append(sessionId, entry);
    check(outcome === 'inserted', `append of the new id ${show(entry.input.id)} gave ${show(outcome)}, not 'inserted'`);
  }
}

/** Throws unless the session holds exactly these entries in this order. */
export async function holds(store, sessionId, entries, what = 'the session') {
  same(await store.get(sessionId), entries, what);
}

/** The ids of the session's entries, in order. */
export async function ids(store, sessionId) {
  return (await store.get(sessionId)).map((entry) => entry.input.id);
}

/** Whether `call` was refused, by throwing or by rejecting. */
export async function refused(call) {
  try {
    await call();
    return false;
  } catch {
    return true;
  }
}
