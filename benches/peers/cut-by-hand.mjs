// The newest messages that fit, by hand: a step, which is calls and their results, is kept whole or not at all, and the newest
// word of the user always. It takes legal lists only and repairs nothing.

const partsOf = ({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);
const holdsResults = (message) => partsOf(message).some(({ type }) => type === 'tool-result');

function charsOf(message) {
  let chars = 0;
  for (const { type, text, name, arguments: given, content } of partsOf(message)) {
    if (type === 'tool-call') chars += name.length + given.length;
    else if (type === 'tool-result') for (const part of content) chars += part.text.length;
    else chars += text.length;
  }
  return chars;
}

export function cutByHand(messages, maxChars) {
  const word = messages.findLastIndex((message) => message.role === 'user' && !holdsResults(message));
  let left = maxChars - (word < 0 ? 0 : charsOf(messages[word]));
  let from = messages.length;
  while (from > 0) {
    const first = holdsResults(messages[from - 1]) ? from - 2 : from - 1;
    for (let index = first; index < from; index++) if (index !== word) left -= charsOf(messages[index]);
    if (left < 0) break;
    from = first;
  }
  const kept = messages.slice(from);
  return word >= 0 && word < from ? [messages[word], ...kept] : kept;
}
