/** Whether two byte arrays hold the same. */
export function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Byte arrays one behind the other, each copied once. */
export function joinedBytes(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
