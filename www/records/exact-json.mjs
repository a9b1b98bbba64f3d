// JSON whose integers may have 64 bits. Those that a number cannot hold become bigints, where the browser gives a reader the
// source text of a number; elsewhere they are rounded as JSON.parse does it.

/** @throws {SyntaxError} for what is no JSON */
export function readExactly(text) {
  return JSON.parse(text, (key, value, context) => {
    const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isInexact && /^-?\d+$/u.test(context?.source ?? '') ? BigInt(context.source) : value;
  });
}

export function writeExactly(value) {
  return JSON.stringify(value, (key, member) => (typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member), 2) ?? 'undefined';
}
