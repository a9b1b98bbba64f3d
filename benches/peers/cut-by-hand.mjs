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

/** The same of any list, which is made legal before: calls and results paired, blank texts left out, neighbours of one role merged. */
export function legalByHand(messages, maxChars) {
  return cutByHand(legal(messages), maxChars);
}

function legal(messages) {
  const list = [];
  const results = new Map();
  let calls = [];
  const answer = () => {
    if (calls.length > 0) add(list, 'user', calls.map((id) => results.get(id) ?? interrupted(id)));
    calls = [];
    results.clear();
  };
  for (const message of messages) {
    const parts = partsOf(message).filter(({ type, text }) => type !== 'text' || text.trim() !== '');
    if (message.role !== 'assistant') {
      for (const part of parts) if (calls.includes(part.toolCallId) && !results.has(part.toolCallId)) results.set(part.toolCallId, part);
    }
    const said = message.role === 'assistant' ? parts : parts.filter(({ type }) => type !== 'tool-result');
    if (said.length === 0) continue;
    answer();
    add(list, message.role, said);
    if (message.role === 'assistant') calls = said.filter(({ type }) => type === 'tool-call').map(({ id }) => id);
  }
  answer();
  return list;
}

function add(list, role, content) {
  const last = list.at(-1);
  if (last?.role === role) list[list.length - 1] = { role, content: [...last.content, ...content] };
  else list.push({ role, content });
}

const interrupted = (id) => ({ type: 'tool-result', toolCallId: id, content: [{ type: 'text', text: 'interrupted' }], isError: true });
