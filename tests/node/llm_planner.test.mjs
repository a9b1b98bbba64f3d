// llmPlanner with the real TanStack AI adapter for OpenAI's chat completions, against a local server.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createOpenaiChatCompletions } from '@tanstack/ai-openai';
import { AssistantInjectionMessage, ChartRequestMessage, PlannerError, SessionId, createEngine, createInMemoryStore, isErr, isOk, llmPlanner } from 'turnlog';
import { beginStream, endStream, fail, startServer, streamText, writeText } from './chat_completions_server.mjs';

const S = SessionId('s');
const KEY = 'sk-test-key-that-must-not-be-kept';
const ask = (text, more) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text }], ...more });
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};

let server;
afterEach(() => server?.close());

/** An engine whose planner asks the server. */
async function engineAsking(respond, { history, ...options } = {}) {
  server = await startServer(respond);
  const store = createInMemoryStore();
  const adapter = createOpenaiChatCompletions('gpt-4o-mini', KEY, { baseURL: server.baseURL, maxRetries: 0 });
  return { store, engine: createEngine({ planner: llmPlanner({ adapter, ...options }), history: { store, ...history } }) };
}
const sent = (n) => server.requests[n].body.messages.map(({ role, content }) => ({ role, content }));

describe('llmPlanner', () => {
  test('streams the answer, and the pieces joined are the userMessage', async () => {
    const pieces = ['Hel', 'lo, ', 'wörld 漢字 ', '😀', '\n"quoted" \\ \u2028'];
    const deltas = [];
    const { engine } = await engineAsking((_, response) => streamText(response, pieces), {
      onText: (delta, request) => deltas.push([delta, request.reasons[0].text]),
    });
    const result = value(await engine.handle(ask('hi')));
    assert.equal(result.output.userMessage, pieces.join(''));
    assert.equal(deltas.map(([delta]) => delta).join(''), pieces.join(''));
    assert.ok(deltas.length > 1, 'more than one piece');
    assert.ok(deltas.every(([, text]) => text === 'hi'));
  });
  test('sends the wire format with the key, the system prompt, the prior context and the new intent', async () => {
    const { engine } = await engineAsking((body, response) => streamText(response, [`answer ${body.messages.length}`]), { systemPrompt: 'Be brief.' });
    value(await engine.handle(AssistantInjectionMessage({ sessionId: S, content: 'fact' })));
    value(await engine.handle(ask('one')));
    value(await engine.handle(ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text: 'two' }, { kind: 'user_intent', text: 'three' }] })));
    const [request] = server.requests;
    assert.deepEqual([request.method, request.path, request.headers.authorization], ['POST', '/v1/chat/completions', `Bearer ${KEY}`]);
    assert.deepEqual([request.body.stream, request.body.model], [true, 'gpt-4o-mini']);
    assert.deepEqual(sent(0), [{ role: 'system', content: 'Be brief.' }, { role: 'assistant', content: 'fact' }, { role: 'user', content: 'one' }]);
    assert.deepEqual(sent(1), [
      { role: 'system', content: 'Be brief.' }, { role: 'assistant', content: 'fact' }, { role: 'user', content: 'one' },
      { role: 'assistant', content: 'answer 3' }, { role: 'user', content: 'two three' },
    ]);
  });
  test('without a system prompt sends none', async () => {
    const { engine } = await engineAsking((_, response) => streamText(response, ['x']));
    value(await engine.handle(ask('one')));
    assert.deepEqual(sent(0), [{ role: 'user', content: 'one' }]);
  });
  test('characters that arrive in two halves are put together', async () => {
    const { engine } = await engineAsking(async (_, response) => {
      beginStream(response);
      const bytes = Buffer.from(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'a😀漢' }, finish_reason: null }] })}\n\n`);
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        if (byte > 127) await new Promise(setImmediate);
      }
      endStream(response);
    });
    assert.equal(value(await engine.handle(ask('one'))).output.userMessage, 'a😀漢');
  });
  test('an answer is recorded and replayed without asking again', async () => {
    const { engine } = await engineAsking((_, response) => streamText(response, ['once']));
    const message = ask('one');
    value(await engine.handle(message));
    assert.equal(value(await engine.handle(message)).replayed, true);
    assert.equal(server.requests.length, 1);
  });
  for (const status of [400, 401, 429, 500, 503]) {
    test(`status ${status} is a PlannerError, nothing is stored, and the next request works`, async () => {
      let failed = false;
      const { engine, store } = await engineAsking((_, response) => {
        if (failed) return streamText(response, ['fine']);
        failed = true;
        return fail(response, status, `the server says ${status}`);
      });
      const message = ask('one');
      const result = await engine.handle(message);
      assert.ok(isErr(result) && result.error instanceof PlannerError, JSON.stringify(result));
      assert.equal(result.error.code, 'planner_failed');
      assert.match(`${result.error.message} ${result.error.cause?.message}`, new RegExp(`the server says ${status}`));
      assert.deepEqual([...await store.get(S)], []);
      assert.equal(value(await engine.handle(message)).output.userMessage, 'fine');
    });
  }
  test('a stream that breaks off is a PlannerError and half an answer is not stored', async () => {
    const { engine, store } = await engineAsking(async (_, response) => {
      beginStream(response);
      writeText(response, 'half');
      await new Promise((resolve) => { setTimeout(resolve, 20); });
      response.destroy();
    });
    const result = await engine.handle(ask('one'));
    assert.ok(isErr(result) && result.error instanceof PlannerError, JSON.stringify(result));
    assert.deepEqual([...await store.get(S)], []);
  });
  test('a server that is not there is a PlannerError', async () => {
    const { engine } = await engineAsking(() => {});
    await server.close();
    const result = await engine.handle(ask('one'));
    assert.ok(isErr(result) && result.error instanceof PlannerError);
  });
  test('an abort in the middle of the stream ends it: code aborted, connection closed, nothing stored', async () => {
    let closed;
    const connectionClosed = new Promise((resolve) => { closed = resolve; });
    const { engine, store } = await engineAsking((_, response) => {
      response.on('close', closed);
      beginStream(response);
      writeText(response, 'half');
    }, { onText: () => controller.abort() });
    const controller = new AbortController();
    const result = await engine.handle(ask('one'), { signal: controller.signal });
    assert.ok(isErr(result) && result.error instanceof PlannerError, JSON.stringify(result));
    assert.equal(result.error.code, 'aborted');
    await connectionClosed;
    assert.deepEqual([...await store.get(S)], []);
  });
  test('a signal that is aborted already sends nothing', async () => {
    const { engine } = await engineAsking((_, response) => streamText(response, ['x']));
    const result = await engine.handle(ask('one'), { signal: AbortSignal.abort() });
    assert.ok(isErr(result) && result.error.code === 'aborted');
    assert.equal(server.requests.length, 0);
  });
  test('the key is in no entry, response or error', async () => {
    const { engine, store } = await engineAsking((body, response) => (
      body.messages.at(-1).content === 'fail' ? fail(response, 401, 'no') : streamText(response, ['x'])
    ));
    const results = [await engine.handle(ask('one')), await engine.handle(ask('fail'))];
    const { error } = results[1];
    const texts = [JSON.stringify(results[0]), JSON.stringify(await store.get(S)), error.message, error.stack, JSON.stringify(error)];
    for (const text of texts) assert.ok(!text.includes(KEY), text);
  });
  test('two requests at once are answered each with its own stream', async () => {
    const { engine } = await engineAsking(async (body, response) => {
      beginStream(response);
      for (const piece of ['to ', body.messages.at(-1).content]) {
        await new Promise((resolve) => { setTimeout(resolve, 5); });
        writeText(response, piece);
      }
      endStream(response);
    });
    const results = (await Promise.all(['a', 'b'].map((text) => engine.handle(ask(text))))).map(value);
    assert.deepEqual(results.map((result) => result.output.userMessage), ['to a', 'to b']);
  });
});
