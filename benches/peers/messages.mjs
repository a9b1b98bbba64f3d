// The model's message list from entries, by hand: the default projection of seed 001.

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function messagesOf(entries) {
  const messages = [];
  for (const { kind, input, output } of entries) {
    if (kind === 'turn') {
      const said = input.reasons.filter((reason) => reason.kind === 'user_intent').map((reason) => reason.text).join(' ');
      if (said !== '') messages.push({ role: 'user', content: said });
      if (output.userMessage !== '') messages.push({ role: 'assistant', content: output.userMessage });
    } else if (input.content !== '') {
      messages.push({ role: 'assistant', content: input.content });
    }
  }
  return messages;
}

export function bodyOf(entries) {
  return encoder.encode(JSON.stringify(messagesOf(entries)));
}

/** Entries as JSON lines: what is stored where no object is. */
export function toLines(entries) {
  return encoder.encode(entries.map((entry) => JSON.stringify(entry)).join('\n'));
}

export function fromLines(bytes) {
  return decoder.decode(bytes).split('\n').map((line) => JSON.parse(line));
}

/** The messages of an event log's surface, in which nothing was replaced, by hand. */
export function messagesOfEvents(events) {
  return events.filter(({ surfaceOp }) => surfaceOp !== undefined).map(({ type, data }) => {
    if (type === 'assistant/message') return { role: 'assistant', content: data.content };
    if (type === 'user/message') return { role: 'user', content: data.content };
    return { role: 'user', content: [{ type: 'tool-result', toolCallId: data.callId, content: data.content }] };
  });
}
