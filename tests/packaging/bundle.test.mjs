// The installed package through a bundler and in a browser: it must bundle without Node's modules, top-level
// await or dynamic imports, and talk in a page and in a worker under a strict content security policy.
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { createProject, ROOT } from './project.mjs';

/** @type {Awaited<ReturnType<typeof createProject>>} */
let project;
let server;
let browser;

const PAGE = `
  import { init } from 'turnlog';
  import { converse } from './conversation.js';
  window.outcome = (async () => { await init(); return converse(); })();
`;
const WORKER = `
  import { init } from 'turnlog';
  import { converse } from './conversation.js';
  (async () => { await init(); postMessage(await converse()); })();
`;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

before(async () => {
  project = await createProject();
  await copyFile(path.join(ROOT, 'tests/packaging/conversation.js'), project.path('conversation.js'));
  await project.write({ 'page.js': PAGE, 'worker.js': WORKER });
  await mkdir(project.path('site'));
  await build({ ...browserBuild(), format: 'esm', splitting: true, outdir: 'site', entryPoints: ['page.js', 'worker.js'] });
  await copyFile(project.path('node_modules/turnlog/turnlog_bg.wasm'), project.path('site/turnlog_bg.wasm'));
  await project.write({ 'site/index.html': '<!doctype html><title>t</title><script type="module" src="page.js"></script>' });
  server = createServer(async (request, response) => {
    const name = request.url === '/' ? '/index.html' : request.url;
    // Chromium asks for it by itself, and says so on the console when there is none.
    if (name === '/favicon.ico') return response.writeHead(204).end();
    try {
      const bytes = await readFile(project.path('site', path.posix.normalize(name)));
      response.writeHead(200, {
        'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream',
        'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
      }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The system's own browser: playwright-core brings none.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.close();
  await project?.remove();
});

function browserBuild() {
  return {
    absWorkingDir: project.folder, bundle: true, platform: 'browser', target: 'es2022', metafile: true, logLevel: 'silent',
  };
}

/** The page, opened, and what it said on the console or threw. */
async function openPage() {
  const page = await browser.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return { page, said };
}

test('the default entry bundles as a classic script: no top-level await, no dynamic import, no Node module', async () => {
  // esbuild refuses top-level await in this format, and unresolved modules such as `node:fs` on this platform.
  const result = await build({ ...browserBuild(), format: 'iife', write: false, entryPoints: ['page.js'] });
  const imports = Object.values(result.metafile.inputs).flatMap((input) => input.imports);
  assert.deepEqual(imports.filter(({ kind }) => kind !== 'import-statement'), []);
  assert.deepEqual(imports.filter(({ external }) => external), []);
});

test('importing without using bundles to nothing: the package has no side effects', async () => {
  const options = { ...browserBuild(), format: 'esm', write: false };
  for (const entry of ['turnlog', 'turnlog/history']) {
    const { outputFiles } = await build({ ...options, stdin: { contents: `import '${entry}';`, resolveDir: project.folder } });
    assert.equal(outputFiles[0].text.trim(), '');
  }
});

test('a bundle has the WebAssembly of the entry that it imports, and no other', async () => {
  for (const [entry, wanted, other] of [['turnlog', 'turnlog_bg.wasm', 'turnlog_history_bg.wasm'], ['turnlog/history', 'turnlog_history_bg.wasm', 'turnlog_bg.wasm']]) {
    const contents = `import { init, createEngine } from '${entry}'; init().then(() => createEngine({ planner: () => ({}) }));`;
    const { outputFiles, metafile } = await build({ ...browserBuild(), format: 'esm', write: false, stdin: { contents, resolveDir: project.folder } });
    const named = outputFiles[0].text.match(/turnlog\w*_bg\.wasm/gu);
    assert.deepEqual([...new Set(named)], [wanted], `${entry} and not ${other}`);
    const files = Object.keys(metafile.inputs).filter((name) => name.includes('node_modules/turnlog/')).map((name) => path.basename(name));
    assert.equal(files.every((name) => name.startsWith('history') === (entry === 'turnlog/history')), true, files.join());
  }
});

test('a bundle talks in a page, silently', async () => {
  const { page, said } = await openPage();
  const outcome = await page.evaluate(() => window.outcome);
  assert.equal(outcome.history.length, 3);
  assert.deepEqual(outcome.seen, ['user: Hello 👋', 'assistant: Answer 0', 'assistant: By the way']);
  assert.deepEqual(said, []);
});

test('a bundle talks in a worker', async () => {
  const { page } = await openPage();
  const outcome = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker('worker.js', { type: 'module' });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
      }),
  );
  assert.equal(outcome.history.at(-1), 'turn: And now? / Answer 3');
});
