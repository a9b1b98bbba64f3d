// The entry `turnlog/history`: what it exports, that it is the same as the part of `turnlog` of that name, and what the two say of
// each other's errors.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as turnlog from 'turnlog';
import * as history from 'turnlog/history';
import * as forBrowsers from '../../pkg/history.js';
import { createFolder } from './markdown_samples.mjs';

const PROMISED = ['AssistantInjectionMessage', 'ChartRequestMessage', 'MessageId', 'PlannerError', 'SessionId', 'StoreError', 'TurnlogError',
  'ValidationError', 'createEngine', 'createInMemoryStore', 'createIndexedDbStore', 'createLocalStorageStore', 'defaultLLMContext', 'deriveUserIntent',
  'err', 'fromSessionHistoryEntry', 'init', 'isErr', 'isOk', 'isTurnlogError', 'llmPlanner', 'ok', 'openStore', 'toSessionHistoryEntry', 'version'];
/** Tests of the history that import from 'turnlog' what this entry has. */
const SAME_TESTS = ['history', 'hooks', 'import_history', 'kit', 'llm_planner', 'memory_store', 'protocol', 'truncation'];

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

test('it exports every promised name, which the whole package has too', () => {
  const names = Object.keys(history);
  assert.deepEqual([...names].sort(), [...PROMISED].sort());
  for (const name of names) assert.equal(typeof history[name], typeof turnlog[name], name);
  assert.deepEqual(Object.keys(forBrowsers), names);
  assert.equal(history.version, turnlog.version);
});

test('init resolves to the same functions', async () => {
  assert.equal((await history.init()).createEngine, history.createEngine);
});

test('each knows the errors of the other by their shape, and has classes of its own', () => {
  for (const [one, other] of [[turnlog, history], [history, turnlog]]) {
    assert.throws(() => one.SessionId(''), (error) => other.isTurnlogError(error) && !(error instanceof other.TurnlogError));
  }
});

test('what one makes the other takes', async () => {
  const sessionId = turnlog.SessionId('s');
  const engine = history.createEngine({ planner: () => ({ userMessage: 'Yes.' }), history: { store: turnlog.createInMemoryStore() } });
  const result = await engine.handle(turnlog.ChartRequestMessage({ sessionId, reasons: [{ kind: 'user_intent', text: 'Both?' }] }));
  assert.equal(result.ok, true);
  assert.equal(history.isOk(result) && turnlog.isOk(result), true);
  assert.deepEqual((await engine.getHistory(sessionId)).value.map(({ userIntent, assistantMessage }) => [userIntent, assistantMessage]), [['Both?', 'Yes.']]);
});

describe('the tests of the history', () => {
  for (const name of SAME_TESTS) {
    test(`pass with it: ${name}`, () => {
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const options = ['--import', here('history-entry/as-turnlog.mjs'), '--test', here(`${name}.test.mjs`)];
      const { status, stdout } = spawnSync(process.execPath, options, { env, encoding: 'utf8' });
      assert.equal(status, 0, stdout);
      assert.match(stdout, /pass [1-9]/u);
    });
  }
});

describe('its declarations', () => {
  let folder;
  before(async () => {
    folder = await createFolder();
  });
  after(() => folder?.remove());

  for (const module of ['nodenext', 'esnext']) {
    test(`have the values that it exports (${module})`, async () => {
      const names = Object.keys(history).map((name) => `${name}: true`);
      const program = `({ ${names.join(', ')} }) satisfies Record<keyof typeof import('turnlog/history'), true>;\nexport {};\n`;
      await folder.write('history.ts', program);
      const moduleResolution = module === 'esnext' ? 'bundler' : module;
      assert.deepEqual(await folder.compile(['history.ts'], { module, moduleResolution }), { code: 0, output: '' });
    });
  }
});

test('its files hold no names of what it leaves out', async () => {
  const files = ['history.js', 'history-node.js', 'turnlog_history_bg.wasm'];
  const texts = await Promise.all(files.map((name) => readFile(new URL(`../../pkg/${name}`, import.meta.url), 'latin1')));
  for (const word of ['interruptedTurnClosers', 'assistant_stream', 'max_completion_tokens', 'RawTranscript', 'RawConversation']) {
    assert.equal(texts.join('').includes(word), false, word);
  }
  assert.match(texts[1], /turnlog_history_bg\.wasm/u);
});
