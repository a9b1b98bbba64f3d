// What the package exports, what its declarations say, and what the type test uses are the same names.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import * as turnlog from 'turnlog';
import * as testing from 'turnlog/testing';
import * as forBrowsers from '../../pkg/index.js';
import { ROOT, createFolder } from './markdown_samples.mjs';

const read = (path) => readFile(new URL(path, import.meta.url), 'utf8');
const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

const PROMISED = ['AssistantInjectionMessage', 'ChartRequestMessage', 'MessageId', 'PlannerError', 'SessionId', 'StoreError', 'TurnlogError',
  'ValidationError', 'createEngine', 'createInMemoryStore', 'createIndexedDbStore', 'createLocalStorageStore', 'defaultLLMContext', 'deriveUserIntent', 'err',
  'fromSessionHistoryEntry', 'init', 'isErr', 'isOk', 'isTurnlogError', 'llmPlanner', 'ok', 'openStore', 'toSessionHistoryEntry', 'version',
  'HistoryState', 'documentToNative', 'nativeToDocument', 'Session', 'SessionError', 'TranscriptError', 'SESSION_FORMAT_VERSION', 'assembleChunks', 'canonicalHeader', 'checkInvariants', 'createSessionStore', 'deriveEventMessage', 'foldRequestHeader',
  'foldSurface', 'headerEquals', 'interruptedTurnClosers', 'isJsonValue', 'isSurfaceEligibleType', 'isSurfaceEvent', 'readSessionLog', 'snapshotJsonValue', 'toolPairing', 'traceEvents', 'writeSessionLog',
  'createSessionHistoryStore', 'sessionHistory', 'ContextError', 'applyCompaction', 'buildContext', 'buildRequest', 'estimateTokens', 'planCompaction', 'prepareRequest'];

let folder;
before(async () => {
  folder = await createFolder();
});
after(() => folder?.remove());

test('every promised name is exported, and is what it should be', () => {
  assert.deepEqual(Object.keys(turnlog).sort(), [...PROMISED].sort());
  for (const name of PROMISED) {
    const type = { version: 'string', SESSION_FORMAT_VERSION: 'number' }[name] ?? 'function';
    assert.equal(typeof turnlog[name], type, name);
  }
  assert.deepEqual(Object.keys(testing), ['testHistoryStore']);
});

test('the entries for Node and for browsers export the same', () => {
  for (const name of PROMISED) assert.equal(forBrowsers[name], turnlog[name], name);
  assert.deepEqual(Object.keys(forBrowsers), Object.keys(turnlog));
});

/** A program that compiles only where `module` declares exactly these values: none is missing, none is too many. */
const declaresExactly = (module, names) =>
  `({ ${names.map((name) => `${name}: true`).join(', ')} }) satisfies Record<keyof typeof import('${module}'), true>;\nexport {};\n`;

for (const resolution of RESOLUTIONS) {
  test(`the values declared are the values exported (${resolution.moduleResolution})`, async () => {
    await folder.write('index.ts', declaresExactly('turnlog', Object.keys(turnlog)));
    await folder.write('testing.ts', declaresExactly('turnlog/testing', Object.keys(testing)));
    assert.deepEqual(await folder.compile(['index.ts', 'testing.ts'], resolution), { code: 0, output: '' });
  });

  test(`the type tests compile (${resolution.moduleResolution})`, async () => {
    const result = await folder.compile(['api', 'sessions', 'transcripts', 'contexts'].map((name) => `${ROOT}tests/types/${name}.ts`), resolution);
    assert.deepEqual(result, { code: 0, output: '' });
  });
}

test('a value that is not declared, or declared and not exported, is noticed', async () => {
  const [first, ...others] = Object.keys(turnlog);
  await folder.write('more.ts', declaresExactly('turnlog', [first, ...others, 'another']));
  await folder.write('fewer.ts', declaresExactly('turnlog', others));
  const { code, output } = await folder.compile(['more.ts', 'fewer.ts'], RESOLUTIONS[0]);
  assert.notEqual(code, 0);
  assert.match(output, /more\.ts.*another/);
  assert.match(output, new RegExp(`fewer\\.ts.*${first}`));
});

test('every export is used by the type tests', async () => {
  const program = (await Promise.all(['api', 'sessions', 'transcripts', 'contexts'].map((name) => read(`../types/${name}.ts`)))).join('');
  for (const name of Object.keys(turnlog)) assert.match(program, new RegExp(`\\b${name}\\b`), name);
});

test('every declared item says what it is', async () => {
  const names = (await readdir(new URL('../../pkg-template/', import.meta.url))).filter((name) => name.endsWith('.d.ts'));
  for (const name of names) {
    const lines = (await read(`../../pkg/${name}`)).split('\n');
    lines.forEach((line, index) => {
      // What is exported from another file is described there.
      if (!/^export (?!(type )?[{*])/.test(line)) return;
      assert.match(lines[index - 1], /\*\/$/, `${name}:${index + 1} ${line}`);
    });
  }
});

test('init resolves to the same functions', async () => {
  const api = await turnlog.init();
  for (const name of PROMISED) assert.equal(api[name], turnlog[name], name);
});

test('the version is that of the manifest', async () => {
  assert.equal(turnlog.version, JSON.parse(await read('../../pkg/package.json')).version);
});
