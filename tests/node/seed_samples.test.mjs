// Every code sample of seed 001 runs as it is printed. Only import specifiers are changed, and what the page leaves
// to the reader in comments is filled in; each filling is written out below.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { ChartRequestMessage, SessionId, ValidationError, isErr, isOk } from 'turnlog';
import { testHistoryStore } from 'turnlog/testing';
import { startServer, streamText } from './chat_completions_server.mjs';

const PAGE = fileURLToPath(new URL('../fixtures/seed_001.txt', import.meta.url));

/** The page's samples in their order: a sample begins at an import or a `history:` block and ends at prose. */
function samplesOf(page) {
  const samples = [];
  let [sample, margin] = [null, 0];
  for (const line of page.split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (sample !== null && line.trim() !== '' && indent <= margin && /^[A-Z0-9•]|\.$/.test(line.trim())) sample = null;
    if (sample === null && /^\s*(import .* from '|history: \{)/.test(line)) {
      [sample, margin] = [[], indent];
      samples.push(sample);
    }
    sample?.push(line.slice(margin));
  }
  return samples.map((lines) => lines.join('\n').trim());
}

const samples = samplesOf(await readFile(PAGE, 'utf8'));
let folder;
let server;
let files = 0;

before(async () => {
  server = await startServer((body, response) => streamText(response, [`answer to ${body.messages.at(-1).content}`]));
  folder = await mkdtemp(join(tmpdir(), 'seed-samples-'));
  // Stands where '@tanstack/ai-gemini' is imported from: the same kind of adapter, real, asking the local server.
  await writeFile(join(folder, 'gemini.mjs'), `
    import { createOpenaiChatCompletions } from ${JSON.stringify(import.meta.resolve('@tanstack/ai-openai'))};
    export const geminiText = (model) => (
      createOpenaiChatCompletions(model, 'key', { baseURL: ${JSON.stringify(server.baseURL)}, maxRetries: 0 })
    );
  `);
  await writeFile(join(folder, 'backing.mjs'), `
    import { plainStore } from ${JSON.stringify(new URL('plain_store.mjs', import.meta.url).href)};
    export const backing = plainStore();
  `);
});

after(async () => {
  await server?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** Runs TypeScript as a module, with the page's packages found where they are here; gives what it exports. */
async function run(source) {
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  const specifiers = {
    '@maelstrom-co/engine': import.meta.resolve('turnlog'),
    '@maelstrom-co/protocol': import.meta.resolve('turnlog'),
    '@maelstrom-co/planner-llm': import.meta.resolve('turnlog'),
    '@tanstack/ai-gemini': pathToFileURL(join(folder, 'gemini.mjs')).href,
  };
  const text = code.replace(/(from\s*)(["'])([^"']+)\2/g, (all, from, quote, name) => (
    name in specifiers ? `${from}${JSON.stringify(specifiers[name])}` : all
  ));
  files += 1;
  const file = join(folder, `sample-${files}.mjs`);
  await writeFile(file, text);
  return import(pathToFileURL(file).href);
}

/** The sample with each filling put in; a filling that finds nothing to replace is an error in this file. */
function filled(sample, fillings) {
  let text = sample;
  for (const [gap, filling] of fillings) {
    assert.ok(text.includes(gap), `the sample holds ${gap}`);
    text = text.replace(gap, () => filling);
  }
  return text;
}

const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const ask = (text, sessionId = 'user-42') => ChartRequestMessage({ sessionId: SessionId(sessionId), reasons: [{ kind: 'user_intent', text }] });
const IMPORTS = `
  import { createEngine, createInMemoryStore } from '@maelstrom-co/engine';
  import { llmPlanner } from '@maelstrom-co/planner-llm';
  import { geminiText } from '@tanstack/ai-gemini';
`;

test('the page has seven samples', () => {
  assert.deepEqual(samples.map((sample) => sample.split('\n')[0]), [
    "import { createEngine, createInMemoryStore } from '@maelstrom-co/engine';",
    'history: {',
    "import type { HistoryStore } from '@maelstrom-co/engine';",
    "import { createEngine, createInMemoryStore } from '@maelstrom-co/engine';",
    'history: {',
    "import { AssistantInjectionMessage, SessionId, isOk } from '@maelstrom-co/protocol';",
    "import { SessionId } from '@maelstrom-co/protocol';",
  ]);
});

test('"Pick a store": the engine, and "Verify": the second request sees the first', async (t) => {
  const { engine, store } = await run(`${samples[0]}\nexport { store };`);
  value(await engine.handle(ask('one')));
  value(await engine.handle(ask('two')));
  assert.deepEqual(server.requests.at(-1).body.messages.map(({ role, content }) => [role, content]), [
    ['user', 'one'], ['assistant', 'answer to one'], ['user', 'two'],
  ]);
  const log = t.mock.method(console, 'log', () => {});
  globalThis.storeOfTheSample = store;
  try {
    await run(`const store = globalThis.storeOfTheSample;\n${samples[6]}`);
  } finally {
    delete globalThis.storeOfTheSample;
  }
  assert.deepEqual(log.mock.calls.map((call) => call.arguments), [['history depth:', 2]]);
});

test('"Add a truncation budget"', async () => {
  const { engine, store } = await run(`${IMPORTS}
    export const store = createInMemoryStore();
    export const engine = createEngine({ planner: llmPlanner({ adapter: geminiText('gpt-4o-mini') }), ${samples[1]} });
  `);
  for (let n = 0; n < 52; n += 1) value(await engine.handle(ask(`${n}`)));
  assert.equal((await store.get('user-42')).length, 50);
});

test('"Persist beyond the process": the store is one that an engine takes', async () => {
  const { createPostgresStore } = await postgresStore();
  const { engine } = await run(`${IMPORTS}
    export const make = createEngine;
    export const engine = (store) => createEngine({ planner: llmPlanner({ adapter: geminiText('gpt-4o-mini') }), history: { store } });
  `);
  const store = createPostgresStore();
  value(await engine(store).handle(ask('one')));
  assert.equal((await store.get('user-42')).length, 1);
});

// The statements that the page leaves to the reader, with a store in plain JavaScript in the database's place.
async function postgresStore() {
  return run(`import { backing } from ${JSON.stringify(pathToFileURL(join(folder, 'backing.mjs')).href)};
    ${filled(samples[2], [
    ['/* INSERT ... ON CONFLICT DO NOTHING */', 'return backing.append(sessionId, entry);'],
    ['/* SELECT ... ORDER BY inserted_at */', 'return backing.get(sessionId);'],
    ['/* transaction */', 'return backing.replace(sessionId, entries);'],
    ['/* DELETE */', 'return backing.clear(sessionId);'],
    ['/* point lookup */', 'return backing.getResponseById(sessionId, messageId);'],
  ])}`);
}

test('"Persist beyond the process": filled in well, the store keeps the contract', async () => {
  const cases = [];
  testHistoryStore(async () => {
    const { createPostgresStore } = await postgresStore();
    const store = createPostgresStore();
    for (const session of ['session', 'one', 'two', 'other', 'a']) await store.clear(session);
    return store;
  }, { test: (name, fn) => cases.push([name, fn]) });
  for (const [, fn] of cases.filter(([name]) => /getResponseById|replace gives|deduped|clear/.test(name))) await fn();
});

test('"Attach typed metadata to every entry"', async () => {
  const { engine } = await run(`import { geminiText } from '@tanstack/ai-gemini';
    ${filled(samples[3], [['/* ... */', "geminiText('gpt-4o-mini')"], ['store: createInMemoryStore(),', 'store: (globalThis.storeOfTheSample = createInMemoryStore()),']])}`);
  const store = globalThis.storeOfTheSample;
  delete globalThis.storeOfTheSample;
  value(await engine.handle(ask('one')));
  assert.deepEqual((await store.get('user-42')).map((entry) => ({ ...entry.metadata })), [{ tenantId: 'acme-corp', tokensUsed: 0 }]);
});

test('"Project entries to the LLM differently"', async () => {
  const { engine } = await run(`${IMPORTS}
    const store = createInMemoryStore();
    export const engine = createEngine({ planner: llmPlanner({ adapter: geminiText('gpt-4o-mini') }), ${
  filled(samples[4], [['/* sensitive content */', "entry.output.userMessage.includes('secret')"]])} });
  `);
  value(await engine.handle(ask('a secret')));
  value(await engine.handle(ask('open')));
  assert.deepEqual(value(await engine.getLLMContext(SessionId('user-42'))).map((message) => message.content), [
    '[redacted prior turn]', 'open', 'answer to open',
  ]);
});

test('"Seed assistant context without invoking the LLM"', async () => {
  const before = server.requests.length;
  const { engine, result } = await run(`${samples[0]}\n${samples[5]}\nexport { result };`);
  assert.deepEqual({ ...value(result) }, { type: 'assistant_message_result', outcome: 'inserted' });
  assert.equal(server.requests.length, before, 'the model was not asked');
  value(await engine.handle(ask('one')));
  assert.deepEqual(server.requests.at(-1).body.messages[0], { role: 'assistant', content: 'FYI: this user prefers compact summaries.' });
});

test('"assistant_message requires history": without it the sample’s result is a ValidationError', async () => {
  const { result } = await run(`
    import { createEngine } from '@maelstrom-co/engine';
    const engine = createEngine({ planner: () => ({ userMessage: '' }) });
    ${samples[5]}\nexport { result };`);
  assert.ok(isErr(result) && result.error instanceof ValidationError);
});
