// What the package exports, what its declarations say, and what the type test uses are the same names.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as turnlog from 'turnlog';
import * as testing from 'turnlog/testing';

const read = (path) => readFile(new URL(path, import.meta.url), 'utf8');

const PROMISED = ['AssistantInjectionMessage', 'ChartRequestMessage', 'MessageId', 'PlannerError', 'SessionId', 'StoreError', 'TurnlogError',
  'ValidationError', 'createEngine', 'createInMemoryStore', 'createIndexedDbStore', 'defaultLLMContext', 'deriveUserIntent', 'err',
  'fromSessionHistoryEntry', 'init', 'isErr', 'isOk', 'isTurnlogError', 'llmPlanner', 'ok', 'toSessionHistoryEntry', 'version'];

test('every promised name is exported, and is what it should be', () => {
  for (const name of PROMISED) assert.equal(typeof turnlog[name], name === 'version' ? 'string' : 'function', name);
  assert.equal(typeof testing.testHistoryStore, 'function');
});

test('every export is declared and used by the type test', async () => {
  const [declarations, program] = [await read('../../pkg/index.d.ts'), await read('../types/api.ts')];
  for (const name of Object.keys(turnlog)) {
    assert.match(declarations, new RegExp(`\\b${name}\\b`), `index.d.ts does not declare ${name}`);
    assert.match(program, new RegExp(`\\b${name}\\b`), `tests/types/api.ts does not use ${name}`);
  }
});

test('init resolves to the same functions', async () => {
  const api = await turnlog.init();
  for (const name of PROMISED) assert.equal(api[name], turnlog[name], name);
});

test('the version is that of the manifest', async () => {
  assert.equal(turnlog.version, JSON.parse(await read('../../pkg/package.json')).version);
});
