// A local server that speaks the OpenAI chat completions protocol over plain HTTP, for the demo's tests. It keeps
// every request it got, and each test says, byte by byte if it likes, how it answers.
import { createServer } from 'node:http';

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-allow-methods': 'POST, OPTIONS',
};

/** One streamed piece of a reply, as the provider frames it. */
export function piece(content, finish = null) {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
}

export const END = `${piece('', 'stop')}data: [DONE]\n\n`;

/** Begins an event stream on `response`. */
export function beginStream(response) {
  response.writeHead(200, { ...CORS, 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

/** Streams `text` word by word, whole. */
export function streamText(response, text) {
  beginStream(response);
  for (const word of text.match(/\S+\s*/gu) ?? []) response.write(piece(word));
  response.end(END);
}

export function refuse(response, status, body, type = 'application/json') {
  response.writeHead(status, { ...CORS, 'content-type': type }).end(body);
}

/**
 * @returns {Promise<{baseUrl: string, requests: {body: any, headers: object, closed: boolean}[],
 *   answer: (response: import('node:http').ServerResponse, body: any, number: number) => unknown, close(): Promise<void>}>}
 *   `answer` may be replaced at any time; it is called with the number of the request, from 1
 */
export async function startModelServer() {
  const model = {
    requests: [],
    answer: (response, body, number) => streamText(response, `Answer ${number}.`),
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'OPTIONS') return response.writeHead(204, CORS).end();
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return refuse(response, 404, '{}');
    const bytes = [];
    for await (const chunk of request) bytes.push(chunk);
    const body = JSON.parse(Buffer.concat(bytes).toString('utf8'));
    const record = { body, headers: request.headers, closed: false };
    response.on('close', () => {
      record.closed = true;
    });
    model.requests.push(record);
    return model.answer(response, body, model.requests.length);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  model.baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
  model.close = () =>
    new Promise((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return model;
}
