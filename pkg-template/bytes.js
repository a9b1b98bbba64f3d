/** Whether two byte arrays hold the same. */
export function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
