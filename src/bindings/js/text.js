// Live values to JSON text and back, whatever their depth.

/**
 * A frozen snapshot as JSON text. Lone surrogates come out as escapes, so the text survives UTF-8.
 */
export function textOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify recurses, and gives up some thousand levels down: with a RangeError, or in Firefox with an error of its
    // own. There is nothing else in a snapshot that it could fail at.
    return deepTextOf(value);
  }
}

function deepTextOf(root) {
  const pieces = [];
  const stack = [{ text: undefined, value: root }];
  while (stack.length > 0) {
    const { text, value } = stack.pop();
    if (text !== undefined) {
      pieces.push(text);
    } else if (typeof value !== 'object' || value === null) {
      pieces.push(JSON.stringify(value));
    } else {
      const isArray = Array.isArray(value);
      const parts = [{ text: isArray ? '[' : '{' }];
      for (const key of Object.keys(value)) {
        const comma = parts.length > 1 ? ',' : '';
        parts.push({ text: isArray ? comma : `${comma}${JSON.stringify(key)}:` }, { value: value[key] });
      }
      parts.push({ text: isArray ? ']' : '}' });
      for (let index = parts.length - 1; index >= 0; index--) stack.push(parts[index]);
    }
  }
  return pieces.join('');
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The value of JSON text (UTF-8 bytes) the core kept, deeply frozen. */
export function frozenOf(bytes) {
  const root = JSON.parse(utf8.decode(bytes));
  const stack = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    Object.freeze(value);
    for (const key of Object.keys(value)) stack.push(value[key]);
  }
  return root;
}

/** The value of JSON text the core wrote for the caller to keep. */
export function valueOf(bytes) {
  return JSON.parse(utf8.decode(bytes));
}

/** Whether a string holds no lone surrogate. */
export function isWellFormed(text) {
  return typeof text.isWellFormed === 'function' ? text.isWellFormed() : !/\p{Surrogate}/u.test(text);
}

/** `count` random bytes for ids. */
export function randomBytes(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}
