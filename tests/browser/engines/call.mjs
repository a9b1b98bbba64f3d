// A function call that crosses into a page as text and comes back as text, so that it means the same in every engine.

/** An expression that runs `work(argument)` and comes to what became of it, for `outcomeOf`. */
export function expressionOf(work, argument) {
  // As a literal, a key `__proto__` would set the prototype.
  const given = argument === undefined ? '' : `JSON.parse(${JSON.stringify(JSON.stringify(argument))})`;
  return `(async () => {
  try {
    return JSON.stringify({ value: await (${work})(${given}) });
  } catch (error) {
    const { name, message = String(error), code, details, stack } = error ?? {};
    return JSON.stringify({ failed: { name, message, code, details, stack } });
  }
})()`;
}

/** The value that the page's function returned; throws what it threw. */
export function outcomeOf(text) {
  const { value, failed } = JSON.parse(text);
  if (failed === undefined) return value;
  const { stack, ...told } = failed;
  throw Object.assign(new Error(told.message), told, { inPage: stack });
}
