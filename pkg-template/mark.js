/** A name that nothing else has. Not from `randomUUID`, which only secure contexts have. */
export function mark() {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (word) => word.toString(36)).join('-');
}
