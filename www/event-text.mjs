// Events in words: which kind each is, and what it says in one line.
import { isSurfaceEligibleType } from '/pkg/index.js';

const LINE = 140;

/** The kinds that the list can be cut down to, by the values of its filter. */
export const KINDS = {
  turns: 'Turns and steps',
  messages: 'Messages',
  tools: 'Tools',
  stream: 'Streamed chunks',
  other: 'Everything else',
};

export const PLACES = { current: 'Current', shadowed: 'Shadowed', 'log-only': 'Log only' };

/** One of the keys of {@link KINDS}. */
export function kindOf(type) {
  if (/^(turn|step)\//u.test(type)) return 'turns';
  if (/^tool\//u.test(type)) return 'tools';
  if (type === 'assistant/chunk') return 'stream';
  return isSurfaceEligibleType(type) || type === 'prompt/blocked' ? 'messages' : 'other';
}

/** What an event says, in one line. Payloads may be of any shape. */
export function lineOf({ type, data }) {
  const line = textOf(type, data ?? {}).trim().replace(/\s+/gu, ' ');
  return line.length <= LINE ? line : `${line.slice(0, LINE).toWellFormed()}…`;
}

function textOf(type, data) {
  switch (type) {
    case 'turn/start':
      return `Turn ${data.turn}, ${data.trigger?.kind}`;
    case 'turn/end':
      return `Turn ${data.turn}, ${data.reason?.kind}`;
    case 'step/start':
    case 'step/end':
      return `Turn ${data.turn}, step ${data.step}`;
    case 'tool/call':
      return `${data.name}(${data.arguments})`;
    case 'history/entry':
      return `${data.entry?.kind} ${data.entry?.input?.id}`;
    case 'assistant/chunk':
      return data.chunk?.text ?? data.chunk?.argumentsDelta ?? data.chunk?.type ?? '';
    case 'assistant/message':
      return data.content?.length === 0 ? 'Empty: no message' : contentText(data.content);
    default:
      return Array.isArray(data.content) ? contentText(data.content) : JSON.stringify(data);
  }
}

/** The blocks of a message as text, a line each. */
export function contentText(content) {
  return Array.isArray(content) ? content.map(blockText).join('\n') : JSON.stringify(content ?? null);
}

function blockText(block) {
  switch (block?.type) {
    case 'text':
      return String(block.text);
    case 'reasoning':
      return `[reasoning: ${block.text}]`;
    case 'tool-call':
      return `[tool call: ${block.name}(${block.arguments})]`;
    case 'tool-result':
      return `[tool result: ${contentText(block.content)}]`;
    default:
      return JSON.stringify(block);
  }
}
