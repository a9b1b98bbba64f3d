// A quick "surely yes" for entries that are live objects. Whatever it does not accept, the core checks
// and names what is wrong; it accepts nothing that the core would refuse.

/** Whether a frozen snapshot is surely a history entry with a message of its kind. */
export function isPlainEntry(entry) {
  const input = entry?.input;
  return (
    typeof input === 'object' &&
    input !== null &&
    typeof input.id === 'string' &&
    isPlainId(input.sessionId) &&
    typeof input.timestamp === 'number' &&
    (entry.kind === 'turn' ? isTurn(input, entry.output) : entry.kind === 'injection' && isInjection(input))
  );
}

// `input.id` itself is checked where it is used; a session id here is data like any other.
function isPlainId(id) {
  return typeof id === 'string' && id.length > 0 && id.length <= 512 && /^[\x20-\x7e]*$/.test(id);
}

function isTurn(input, output) {
  return (
    input.type === 'chart_request' &&
    Array.isArray(input.reasons) &&
    input.reasons.every(isReason) &&
    typeof output?.userMessage === 'string'
  );
}

function isReason(reason) {
  return typeof reason?.kind === 'string' && (reason.kind !== 'user_intent' || typeof reason.text === 'string');
}

function isInjection(input) {
  return input.type === 'assistant_message' && typeof input.content === 'string';
}
