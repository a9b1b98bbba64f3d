// Answers from an OpenAI-compatible server: POST {base URL}/chat/completions with `stream: true`.
import { prepareRequest } from '/pkg/index.js';
import { readEventData } from './sse.mjs';

/** What went wrong with the server, in words a person can act on. */
export class ServerError extends Error {
  name = 'ServerError';
}

/**
 * The next request, with what was changed for it to be legal. The request panel shows what this returns, so that it cannot differ
 * from what is sent.
 * @param {{model: string, systemPrompt: string}} settings
 * @param {readonly object[]} past prior messages or entries, oldest first
 * @param {string} text the new user message; none where it is empty
 * @returns {import('/pkg/index.js').PreparedRequest}
 * @throws {import('/pkg/index.js').ContextError} where no request can be made of it
 */
export function nextRequest({ model, systemPrompt }, past, text) {
  return prepareRequest('openai-chat', withText(past, text), { model, system: systemPrompt, extra: { stream: true } });
}

/** What was said before, and the message that goes with it; an empty one is none. */
export function withText(past, text) {
  return text === '' ? past : [...past, { role: 'user', content: text }];
}

/** System prompt, prior context and new user message, as the request is made of them; empty ones are left out. */
export function requestMessages(settings, context, text) {
  return [{ role: 'system', content: settings.systemPrompt }, ...withText(context, text)].filter(
    (message) => message.content !== '',
  );
}

/**
 * Sends `body` and hands each piece of the reply to `onText` as it arrives.
 * @param {{baseUrl: string, key: string, body: Uint8Array, signal: AbortSignal, onText: (delta: string) => void}} call
 * @returns {Promise<string>} the whole reply
 * @throws {ServerError} when the server cannot be reached, refuses, breaks off, or says nothing
 */
export async function streamReply({ baseUrl, key, body, signal, onText }) {
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  if (key !== '') headers.authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new ServerError(`${url} cannot be reached. Is it running, and does it allow requests from this page (CORS)?`, { cause });
  }
  if (!response.ok) throw new ServerError(await refusal(response));
  const type = response.headers.get('content-type') ?? '';
  // Some servers ignore `stream: true` and answer in one piece.
  if (type.includes('application/json')) return wholeReply(await response.text(), onText);
  return streamedReply(response.body, signal, onText);
}

async function streamedReply(stream, signal, onText) {
  let reply = '';
  let ended = false;
  try {
    for await (const data of readEventData(stream)) {
      if (data === '[DONE]') {
        ended = true;
        break;
      }
      const choice = parse(data).choices?.[0];
      const delta = choice?.delta?.content;
      if (typeof delta === 'string' && delta !== '') {
        reply += delta;
        onText(delta);
      }
      if (choice?.finish_reason) ended = true;
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ServerError) throw cause;
    throw new ServerError('The connection broke before the reply was complete.', { cause });
  }
  if (!ended) throw new ServerError('The server stopped before the reply was complete.');
  if (reply === '') throw new ServerError('The server answered without any text.');
  return reply;
}

function wholeReply(text, onText) {
  const reply = parse(text).choices?.[0]?.message?.content;
  if (typeof reply !== 'string' || reply === '') throw new ServerError('The server answered without any text.');
  onText(reply);
  return reply;
}

/** One JSON document of the server's; an `error` inside it is thrown as what it is. */
function parse(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServerError(`The server sent something that is not JSON: ${text.slice(0, 120)}`, { cause });
  }
  if (value?.error) throw new ServerError(`The server reports: ${errorText(value.error)}`);
  return value ?? {};
}

function errorText(error) {
  const text = typeof error === 'string' ? error : error.message;
  return typeof text === 'string' && text !== '' ? text : JSON.stringify(error);
}

async function refusal(response) {
  const status = `${response.status} ${response.statusText}`.trim();
  const hint =
    response.status === 401 || response.status === 403
      ? ' Enter the key in the settings; it is forgotten whenever the page is loaded.'
      : '';
  const text = await response.text();
  let detail = text.slice(0, 300).trim();
  try {
    const { error } = JSON.parse(text);
    if (error) detail = errorText(error);
  } catch {
    // Not JSON (a proxy's page, an empty body): the text itself is the detail.
  }
  return `The server refused (${status})${detail === '' ? '.' : `: ${detail}`}${hint}`;
}
