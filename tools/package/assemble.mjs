// assemble.mjs ROOT STAGE HISTORY_STAGE: completes the package in STAGE, where wasm-bindgen's output is: lays pkg-template/
// and the licences beside it, writes the version of Cargo.toml into the manifest, and checks what it names. In HISTORY_STAGE is
// the smaller core of `turnlog/history`; its files join the others.
import { buildSync } from 'esbuild';
import { copyFileSync, cpSync, existsSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [root, stage, historyStage] = process.argv.slice(2);
const template = join(root, 'pkg-template');
const HISTORY_WASM = 'turnlog_history_bg.wasm';

function copyWithoutReplacing(from, names, to = stage) {
  for (const name of names) {
    if (existsSync(join(to, name))) throw new Error(`pkg-template/${name} has the name of a generated file`);
    cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** The `version` of Cargo.toml's `[package]` table. */
function crateVersion() {
  const table = readFileSync(join(root, 'Cargo.toml'), 'utf8').match(/^\[package\]$([^]*?)(?=^\[)/m)?.[1];
  const version = table?.match(/^version = "([^"]+)"$/m)?.[1];
  if (version === undefined) throw new Error('Cargo.toml has no version in [package]');
  return version;
}

/** All the files that a manifest's `exports` lead to, whatever the condition. */
function exportTargets(value) {
  return typeof value === 'string' ? [value] : Object.values(value).flatMap(exportTargets);
}

/**
 * The generated classes declare `[Symbol.dispose]`, which TypeScript knows from lib `esnext.disposable` on.
 * The package promises to compile with lib es2022 and dom, so that line goes; `free()` stays.
 */
function declareForEs2022(file) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^\s*\[Symbol\.dispose\]\(\): void;\n/gm, ''));
}

/** One way in to the JavaScript that belongs to the bindings, whose folder is named by wasm-bindgen. */
function reExportGlue(to) {
  const [crate] = readdirSync(join(to, 'snippets'));
  const folder = `./snippets/${crate}/src/bindings/js`;
  writeFileSync(join(to, 'glue.js'), ['errors', 'snapshot', 'text'].map((file) => `export * from '${folder}/${file}.js';\n`).join(''));
}

copyWithoutReplacing(template, readdirSync(template));
copyWithoutReplacing(root, ['LICENSE-MIT', 'LICENSE-APACHE']);
declareForEs2022(join(stage, 'turnlog.d.ts'));

const manifestFile = join(stage, 'package.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
manifest.version = crateVersion();
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
copyWithoutReplacing(template, readdirSync(template), historyStage);
for (const folder of [stage, historyStage]) {
  writeFileSync(join(folder, 'version.js'), `export const version = '${manifest.version}';\n`);
  reExportGlue(folder);
}

/**
 * What is shipped: a file for each way in, and what they share once. One file compresses better than forty, and a page
 * without a bundler loads it in one go. Declarations keep the documentation.
 */
function bundled(folder, entries, chunkNames) {
  const { outputFiles } = buildSync({
    absWorkingDir: folder,
    entryPoints: entries,
    chunkNames,
    outdir: '.',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['node:*'],
    write: false,
    // wasm-bindgen names each of its snippets several times over, which is what it warns of.
    logLevel: 'error',
  });
  return outputFiles.map(({ path, text }) => ({ name: basename(path), text }));
}

function bundleScripts() {
  // Tests and benchmarks take two of the files that have no name in the manifest.
  const files = bundled(stage, ['index.js', 'node.js', 'testing.js', 'turnlog.js', 'glue.js'], 'shared-[hash]');
  // The glue looks for its WebAssembly by the name that this has beside it, which is another one in the package.
  for (const { name, text } of bundled(historyStage, ['history.js', 'history-node.js'], 'history-[hash]')) {
    files.push({ name, text: text.replaceAll('turnlog_bg.wasm', HISTORY_WASM) });
  }
  for (const name of readdirSync(stage, { recursive: true })) {
    if (name.endsWith('.js')) rmSync(join(stage, name));
  }
  removeEmptyFolders(stage);
  for (const { name, text } of files) writeFileSync(join(stage, name), text);
  copyFileSync(join(historyStage, 'turnlog_bg.wasm'), join(stage, HISTORY_WASM));
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

bundleScripts();

const missing = exportTargets(manifest.exports).filter((target) => !existsSync(join(stage, target)));
if (missing.length > 0) throw new Error(`package.json exports files that the package lacks: ${missing.join(', ')}`);
