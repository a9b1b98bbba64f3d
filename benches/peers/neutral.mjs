// What both peers need of a message list `{role, content}[]` to put it into their own form.

export const textsOf = (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []).filter(({ type }) => type === 'text'));

/** A call's arguments as an object. What is none becomes a member of one, as in turnlog's bodies. */
export function argumentsOf({ arguments: given }) {
  if (given === undefined || given === null || given === '') return {};
  if (typeof given !== 'string') return given;
  try {
    const value = JSON.parse(given);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { arguments: given };
}

/** A result's words as one text. */
export function outputOf({ content }) {
  if (Array.isArray(content)) return content.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');
  return typeof content === 'string' ? content : JSON.stringify(content ?? null);
}
