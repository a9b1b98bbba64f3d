// What a page downloads: turnlog as it is shipped, and each peer bundled with the imports that a chat client needs.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const AI = "export { convertToModelMessages, pruneMessages, validateUIMessages } from 'ai';";
const ZOD = "export * as z from 'zod';";
const DEXIE = "export { Dexie } from 'dexie';";
/** By the name in the table: the name of the file, and what is in it. */
export const APPS = {
  ai: ['app-ai', AI],
  '@langchain/core': [
    'app-langchain',
    "export { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from '@langchain/core/messages';" +
      "export { InMemoryChatMessageHistory } from '@langchain/core/chat_history';",
  ],
  dexie: ['app-dexie', DEXIE],
  '@tanstack/ai-client': ['app-tanstack', "export { ChatClient, indexedDBPersistence, stream } from '@tanstack/ai-client';"],
  'ai + zod + dexie': ['app-together', AI + ZOD + DEXIE],
};
/** The pieces together have about what turnlog has; each by itself a part of it. */
const WHOLE = 'ai + zod + dexie';
const WASM = /["'`](?:\.\/)?([\w-]+\.wasm)["'`]/g;
const KINDS = { gzip, brotli, raw: (bytes) => bytes.length };

function gzip(bytes) {
  return gzipSync(bytes, { level: 9 }).length;
}

function brotli(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).length;
}

const BROWSER = { bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', logLevel: 'error' };

/** Writes `target/bench-peers/NAME.js` for each, and gives their bytes. */
export async function bundleApps(root) {
  const apps = {};
  for (const [name, [file, contents]] of Object.entries(APPS)) {
    const outfile = path.join(root, 'target', 'bench-peers', `${file}.js`);
    await build({ ...BROWSER, stdin: { contents, resolveDir: root }, outfile, define: { 'process.env.NODE_ENV': '"production"' } });
    apps[name] = [readFileSync(outfile)];
  }
  return apps;
}

/** The files of one way into the package, as they are shipped: its scripts and the WebAssembly that they name. */
async function shipped(pkg, entry) {
  const { metafile } = await build({
    ...BROWSER,
    entryPoints: [path.join(pkg, entry)],
    absWorkingDir: pkg,
    metafile: true,
    write: false,
    outdir: pkg,
    external: ['node:*'],
  });
  const scripts = Object.keys(metafile.inputs).map((file) => path.join(pkg, file));
  const names = scripts.flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(WASM), ([, name]) => name));
  const wasm = [...new Set(names)].map((name) => path.join(pkg, name)).filter((file) => existsSync(file));
  return [...scripts, ...wasm].map((file) => readFileSync(file));
}

const total = (files, kind) => files.reduce((sum, bytes) => sum + KINDS[kind](bytes), 0);

export async function sizeRows({ root, pkg }) {
  const apps = await bundleApps(root);
  const { exports } = JSON.parse(readFileSync(path.join(pkg, 'package.json'), 'utf8'));
  const all = await shipped(pkg, exports['.'].default);
  const history = exports['./history'] === undefined ? undefined : await shipped(pkg, exports['./history'].default);
  const peers = (kind) => Object.fromEntries(Object.entries(apps).map(([name, files]) => [name, total(files, kind)]));
  const rows = Object.keys(KINDS).map((kind) => ({
    id: 'size-all',
    way: kind,
    what: `size of everything (${all.length} files), ${kind}`,
    unit: 'bytes',
    values: { turnlog: total(all, kind), ...peers(kind) },
  }));
  rows[0].note =
    'Sizes: turnlog as shipped, each file compressed by itself; the peers bundled by esbuild into one file with the imports that an app needs. ' +
    `None does all that turnlog does; \`${WHOLE}\` comes nearest.`;
  for (const kind of Object.keys(KINDS)) {
    const what = history === undefined ? 'there is no `turnlog/history` yet' : `${history.length} files`;
    const values = { turnlog: history === undefined ? null : total(history, kind), dexie: total(apps.dexie, kind) };
    rows.push({ id: 'size-history', way: kind, what: `size of the history alone (${what}), ${kind}`, unit: 'bytes', values });
  }
  return rows;
}
