// A planner that asks a language model through a TanStack AI text adapter.

import { deriveUserIntent } from './protocol.js';
import { readOptions, refuse } from './options.js';

export function llmPlanner(options) {
  const { adapter, systemPrompt, onText } = readOptions(options, ['adapter', 'systemPrompt', 'onText']);
  const { chatStream } = readOptions(adapter, ['chatStream']);
  if (typeof chatStream !== 'function') refuse('adapter', 'must be a TanStack AI text adapter');
  return {
    async plan(request, context) {
      let userMessage = '';
      for await (const chunk of adapter.chatStream(chatOptions(adapter, systemPrompt, request, context))) {
        if (chunk.type === 'TEXT_MESSAGE_CONTENT') {
          userMessage += chunk.delta;
          onText?.(chunk.delta, request);
        } else if (chunk.type === 'RUN_ERROR') {
          throw runError(chunk);
        }
      }
      // Some adapters end their stream quietly when the signal is aborted; half a reply is no reply.
      context.signal.throwIfAborted();
      return { userMessage };
    },
  };
}

function chatOptions(adapter, systemPrompt, request, { messages, signal }) {
  const abortController = new AbortController();
  if (signal.aborted) abortController.abort(signal.reason);
  else signal.addEventListener('abort', () => abortController.abort(signal.reason), { once: true });
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    model: adapter.model,
    messages: [...messages.filter(({ role }) => role !== 'system'), { role: 'user', content: requestText(request) }],
    systemPrompts: systemPrompt === undefined ? system : [systemPrompt, ...system],
    abortController,
    request: { signal: abortController.signal },
    logger: silent,
  };
}

/**
 * What the user asked, and the state the client sent along with it (seed 001: the model sees the
 * current chart state), as JSON.
 */
function requestText(request) {
  const { type, id, sessionId, timestamp, reasons, ...state } = request;
  const others = reasons.filter(({ kind }) => kind !== 'user_intent');
  const extra = { ...(others.length > 0 && { reasons: others }), ...state };
  const intent = deriveUserIntent(request);
  if (Object.keys(extra).length === 0) return intent;
  const json = JSON.stringify(extra);
  return intent === '' ? json : `${intent}\n\n${json}`;
}

function runError({ message, code }) {
  return Object.assign(new Error(message || 'the model run failed'), code !== undefined && { code });
}

// Adapters log through what they are handed; errors reach the caller as results, so nothing is printed.
const silent = Object.freeze(
  Object.fromEntries(
    ['provider', 'output', 'middleware', 'tools', 'sandbox', 'agentLoop', 'config', 'errors', 'request', 'warn']
      .map((name) => [name, () => {}])
      .concat([['isEnabled', () => false]]),
  ),
);
