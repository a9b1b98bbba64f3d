// A local server that stands for the five APIs: it refuses with 400 what breaks their laws, as they do, and answers `ok`.

import { startServer } from '../chat_completions_server.mjs';
import { faultsOfBody } from './body-laws.mjs';

const MODEL = 'm';
const TEXT = 'ok';

const APIS = [
  {
    path: '/v1/chat/completions',
    provider: 'openai-chat',
    answer: {
      id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: MODEL,
      choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', content: TEXT, refusal: null } }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  },
  {
    path: '/v1/responses',
    provider: 'openai-responses',
    answer: {
      id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: MODEL,
      output: [
        { type: 'message', id: 'msg_new', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: TEXT, annotations: [] }] },
      ],
      usage: {
        input_tokens: 1, output_tokens: 1, total_tokens: 2,
        input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 },
      },
    },
  },
  {
    path: '/v1/messages',
    provider: 'anthropic-messages',
    answer: {
      id: 'msg_1', type: 'message', role: 'assistant', model: MODEL, content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  {
    path: '/v1beta/models/m:generateContent',
    provider: 'gemini',
    answer: { candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: TEXT }] } }] },
  },
];

/** Starts it; see `startServer`. `url` is its address without a path. */
export async function startApis() {
  const server = await startServer((body, response, { url }) => {
    const api = APIS.find(({ path }) => url.split('?')[0] === path);
    if (api === undefined) return refuse(response, 404, `no API at ${url}`);
    const faults = faultsOfBody(api.provider, body);
    if (faults.length > 0) return refuse(response, 400, JSON.stringify(faults));
    return say(response, 200, api.answer);
  });
  return { ...server, url: server.baseURL.slice(0, -'/v1'.length) };
}

/** An error that has what each API's has. */
function refuse(response, code, message) {
  say(response, code, { type: 'error', error: { code, message, type: 'invalid_request_error', status: 'INVALID_ARGUMENT' } });
}

function say(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
