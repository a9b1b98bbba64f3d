// A local HTTP server that answers as an OpenAI-compatible API does: chat completions, streamed.
import { createServer } from 'node:http';

/**
 * Starts it on a free port of 127.0.0.1. `respond(body, response, request)` writes the answer; `requests` holds what
 * was asked, parsed, with its headers and path.
 */
export async function startServer(respond) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    requests.push({ path: request.url, method: request.method, headers: request.headers, body });
    await respond(body, response, request);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    requests,
    baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
}

function event(delta, finish_reason = null) {
  return `data: ${JSON.stringify({
    id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'a-model',
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`;
}

export function beginStream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event({ role: 'assistant', content: '' }));
}

export function writeText(response, text) {
  response.write(event({ content: text }));
}

export function endStream(response) {
  response.write(event({}, 'stop'));
  response.end('data: [DONE]\n\n');
}

/** Streams `pieces` and ends. */
export function streamText(response, pieces) {
  beginStream(response);
  for (const piece of pieces) writeText(response, piece);
  endStream(response);
}

export function fail(response, status, message) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null, param: null } }));
}
