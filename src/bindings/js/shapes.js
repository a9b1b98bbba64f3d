// The objects of the public API that are put together from live parts.

export function turnOf(input, output) {
  return Object.freeze({ kind: 'turn', input, output });
}

export function injectionOf(input) {
  return Object.freeze({ kind: 'injection', input });
}

export function outputOf(entry) {
  return entry.output;
}

export function okResult(value) {
  return { ok: true, value };
}

export function errResult(error) {
  return { ok: false, error };
}

export function chartResponse(output, replayed, conflict) {
  return { type: 'chart_response', output, replayed, ...(conflict && { conflict }) };
}

export function injectionResult(inserted, conflict) {
  const outcome = inserted ? 'inserted' : 'deduped';
  return { type: 'assistant_message_result', outcome, ...(conflict && { conflict }) };
}

export function plannerContext(messages, signal, sessionId, overBudget) {
  return { messages, signal: signal ?? new AbortController().signal, sessionId, overBudget };
}

/**
 * Holds a store's own lock while the core works: `entered` resolves when the store has called back,
 * `leave()` lets it go and resolves when the store's call is over (a transaction is committed then).
 */
export function hold(store, sessionId) {
  let enter;
  let letGo;
  const entered = new Promise((resolve) => (enter = resolve));
  const work = new Promise((resolve) => (letGo = resolve));
  const held = Promise.resolve(
    store.withLock(sessionId, () => {
      enter();
      return work;
    }),
  );
  // A lock that is refused must not leave the core waiting to get in.
  const missed = held.then(() => {
    throw new TypeError('withLock resolved without calling its function');
  });
  return [
    Promise.race([entered, missed]),
    () => {
      letGo();
      return held;
    },
  ];
}
