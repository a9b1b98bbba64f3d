// The body of a chat request by hand, from messages with blocks: what OpenAI's reference shows.

export const MODEL = 'model-1';

const encoder = new TextEncoder();

const textOf = (content) => content.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');

function chatMessages({ role, content }) {
  if (role === 'assistant') {
    const calls = content.filter(({ type }) => type === 'tool-call');
    const message = { role, content: textOf(content) };
    if (calls.length > 0) {
      message.tool_calls = calls.map(({ id, name, arguments: given }) => ({ id, type: 'function', function: { name, arguments: given } }));
    }
    return message;
  }
  const results = content.filter(({ type }) => type === 'tool-result');
  if (results.length === 0) return { role, content: textOf(content) };
  return results.map((result) => ({ role: 'tool', tool_call_id: result.toolCallId, content: textOf(result.content) }));
}

/** UTF-8, as `fetch` sends it. */
export function chatBody(messages) {
  return encoder.encode(JSON.stringify({ model: MODEL, messages: messages.flatMap(chatMessages) }));
}
