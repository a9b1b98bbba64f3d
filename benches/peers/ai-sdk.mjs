// The AI SDK: `convertToModelMessages` and `pruneMessages`, with the options of their references' examples.

import { convertToModelMessages, pruneMessages, validateUIMessages } from 'ai';
import { argumentsOf, outputOf, textsOf } from './neutral.mjs';

export { convertToModelMessages, validateUIMessages };

const encoder = new TextEncoder();

/** The bytes of its model messages, of texts that stand in messages as `useChat` keeps them. */
export async function bodyOf(messages) {
  const ui = messages.map(({ role, content }, index) => ({ id: `m${index}`, role, parts: [{ type: 'text', text: content }] }));
  return encoder.encode(JSON.stringify(await convertToModelMessages(ui)));
}

/** It has no budget: it takes out reasoning and calls that are not in the last messages. */
export function prune(messages) {
  return pruneMessages({ messages, reasoning: 'before-last-message', toolCalls: 'before-last-2-messages', emptyMessages: 'remove' });
}

/**
 * Messages as `useChat` keeps them: a result stands in the part of its call, wherever it was. So this form has no result without a
 * call, and none out of order; what it cannot hold is left out.
 */
export function toUiMessages(list) {
  const open = new Map();
  const messages = list.map(({ role, content }, index) => {
    const parts = role === 'assistant' ? assistantParts(content, open) : textsOf(content).map(({ text }) => ({ type: 'text', text }));
    if (role === 'user') answer(content, open);
    return { id: `m${index}`, role, parts };
  });
  // A message of results alone is in the parts of the calls.
  return messages.filter(({ parts }, index) => parts.length > 0 || !holdsResults(list[index]));
}

const holdsResults = ({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'tool-result');

function assistantParts(content, open) {
  if (!Array.isArray(content)) return textsOf(content);
  return content.flatMap((block) => {
    if (block.type === 'text' || block.type === 'reasoning') return [{ type: block.type, text: block.text }];
    if (block.type !== 'tool-call') return [];
    const part = { type: 'dynamic-tool', toolName: block.name, toolCallId: block.id, state: 'input-available', input: argumentsOf(block) };
    open.set(block.id, [...(open.get(block.id) ?? []), part]);
    return [part];
  });
}

function answer(content, open) {
  for (const block of Array.isArray(content) ? content : []) {
    const part = block.type === 'tool-result' ? open.get(block.toolCallId)?.shift() : undefined;
    if (part === undefined) continue;
    if (block.isError) Object.assign(part, { state: 'output-error', errorText: outputOf(block) });
    else Object.assign(part, { state: 'output-available', output: outputOf(block) });
  }
}

/** A list of model messages, the SDK's or turnlog's, as messages with results in those of the user. */
export function fromModelMessages(messages) {
  return messages.map(({ role, content }) => {
    if (typeof content === 'string') return { role, content };
    const blocks = content.map((part) => {
      if (part.type === 'tool-call') return { type: 'tool-call', id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(part.input) };
      if (part.type !== 'tool-result') return { type: part.type, text: part.text };
      return { type: 'tool-result', toolCallId: part.toolCallId, content: [{ type: 'text', text: String(part.output.value) }] };
    });
    return { role: role === 'tool' ? 'user' : role, content: blocks };
  });
}
