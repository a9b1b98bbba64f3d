// What `npm pack` makes of pkg/, installed into an empty project: what is in it, that Node can use it, and that
// TypeScript takes its declarations under the strictest settings that the package promises.
import assert from 'node:assert/strict';
import { access, copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createProject, ROOT } from './project.mjs';

/** @type {Awaited<ReturnType<typeof createProject>>} */
let project;
before(async () => {
  project = await createProject();
});
after(() => project?.remove());

const CONVERSATION = {
  first: 'Answer 0',
  seen: ['user: Hello 👋', 'assistant: Answer 0', 'assistant: By the way'],
  history: ['turn: Hello 👋 / Answer 0', 'injection: By the way', 'turn: And now? / Answer 3'],
};

/** The package's own readme sample, as it is printed there. */
async function readmeSample() {
  const readme = await readFile(project.path('node_modules/turnlog/README.md'), 'utf8');
  const sample = readme.match(/```js\n([^]*?)```/)?.[1];
  assert.ok(sample, 'the readme has a JavaScript sample');
  return sample;
}

test('the tarball holds one wasm file for each core, the licences, a readme, and nothing that is not for users', () => {
  assert.deepEqual(project.packed.filter((file) => file.endsWith('.wasm')).sort(), ['turnlog_bg.wasm', 'turnlog_history_bg.wasm']);
  for (const file of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE', 'index.js', 'node.js', 'index.d.ts', 'testing.js', 'history.js', 'history-node.js', 'history.d.ts']) {
    assert.ok(project.packed.includes(file), `${file} is in the tarball`);
  }
  const allowed = /(\.js|\.d\.ts|\.wasm|^package\.json|^README\.md|^LICENSE-(MIT|APACHE))$/;
  assert.deepEqual(project.packed.filter((file) => !allowed.test(file)), []);
});

test('the manifest has the version of the crate, no dependency, and no script that runs on install', async () => {
  const cargo = await readFile(path.join(ROOT, 'Cargo.toml'), 'utf8');
  assert.equal(project.manifest.version, cargo.match(/^version = "(.+)"$/m)[1]);
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts']) {
    assert.equal(project.manifest[field], undefined, field);
  }
});

test('types come first and default comes last in the conditions of every export', async () => {
  for (const [name, conditions] of Object.entries(project.manifest.exports)) {
    if (typeof conditions === 'string') continue;
    assert.equal(Object.keys(conditions).at(0), 'types', name);
    assert.equal(Object.keys(conditions).at(-1), 'default', name);
    for (const file of Object.values(conditions)) await access(project.path('node_modules/turnlog', file));
  }
});

test('every export resolves in Node, and nothing else does', async () => {
  await project.write({
    'resolve.js': `
      const names = ${JSON.stringify(Object.keys(project.manifest.exports).map((name) => path.posix.join('turnlog', name)))};
      for (const name of names) import.meta.resolve(name);
      let code;
      try { import.meta.resolve('turnlog/index.js'); } catch (error) { code = error.code; }
      console.log(names.length, code);`,
  });
  const count = Object.keys(project.manifest.exports).length;
  assert.equal((await project.run('node', ['resolve.js'])).trim(), `${count} ERR_PACKAGE_PATH_NOT_EXPORTED`);
});

test('Node holds a conversation without calling init', async () => {
  await copyFile(path.join(ROOT, 'tests/packaging/conversation.js'), project.path('conversation.js'));
  await project.write({
    'talk.js': `import { converse } from './conversation.js'; console.log(JSON.stringify(await converse()));`,
  });
  assert.deepEqual(JSON.parse(await project.run('node', ['talk.js'])), CONVERSATION);
});

test('Node prints the same version as the manifest has, before and after init', async () => {
  await project.write({
    'version.js': `
      import { init, version } from 'turnlog';
      const api = await init();
      console.log(version, api.version, (await init()) === api);`,
  });
  const { version } = project.manifest;
  assert.equal((await project.run('node', ['version.js'])).trim(), `${version} ${version} true`);
});

test("the readme's sample runs", async () => {
  await project.write({ 'readme.js': await readmeSample() });
  assert.equal((await project.run('node', ['readme.js'])).trim(), 'Before this there were 0 messages.');
});

test('turnlog/testing checks a store', async () => {
  await project.write({
    'store.test.js': `
      import test from 'node:test';
      import { createInMemoryStore } from 'turnlog';
      import { testHistoryStore } from 'turnlog/testing';
      testHistoryStore(() => createInMemoryStore(), { test });`,
  });
  const report = await project.run('node', ['--test', '--test-reporter=tap', 'store.test.js']);
  assert.ok(Number(report.match(/^# pass (\d+)$/m)[1]) >= 40, report.slice(-300));
});

for (const [module, moduleResolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) {
  test(`tsc --strict takes the declarations with moduleResolution ${moduleResolution}`, async () => {
    const compilerOptions = {
      strict: true, skipLibCheck: false, noEmit: true, exactOptionalPropertyTypes: true, target: 'es2022',
      lib: ['es2022', 'dom'], types: [], module, moduleResolution,
    };
    await project.write({
      'tsconfig.json': JSON.stringify({ compilerOptions, files: ['use.ts'] }),
      'use.ts': `
        import * as turnlog from 'turnlog';
        import { testHistoryStore } from 'turnlog/testing';
        ${(await readmeSample()).replaceAll('\n', '\n        ')}
        // @ts-expect-error a plain string is no SessionId
        const id: turnlog.SessionId = 'plain';
        const plain: string = turnlog.SessionId('branded');
        void [turnlog, testHistoryStore, id, plain];`,
    });
    await project.run(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.json']);
  });
}
