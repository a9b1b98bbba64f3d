// assemble.mjs ROOT STAGE: completes the package in STAGE, where wasm-bindgen's output is: lays pkg-template/
// and the licences beside it, writes the version of Cargo.toml into the manifest, and checks what it names.
import { buildSync } from 'esbuild';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [root, stage] = process.argv.slice(2);
const template = join(root, 'pkg-template');

function copyWithoutReplacing(from, names) {
  for (const name of names) {
    if (existsSync(join(stage, name))) throw new Error(`pkg-template/${name} has the name of a generated file`);
    cpSync(join(from, name), join(stage, name), { recursive: true });
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
function reExportGlue() {
  const [crate] = readdirSync(join(stage, 'snippets'));
  const folder = `./snippets/${crate}/src/bindings/js`;
  writeFileSync(join(stage, 'glue.js'), ['errors', 'snapshot', 'text'].map((file) => `export * from '${folder}/${file}.js';\n`).join(''));
}

copyWithoutReplacing(template, readdirSync(template));
copyWithoutReplacing(root, ['LICENSE-MIT', 'LICENSE-APACHE']);
declareForEs2022(join(stage, 'turnlog.d.ts'));

const manifestFile = join(stage, 'package.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
manifest.version = crateVersion();
writeFileSync(join(stage, 'version.js'), `export const version = '${manifest.version}';\n`);
reExportGlue();
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);

/**
 * What is shipped: a file for each way in (tests and benchmarks take two of them that have no name in the manifest), and
 * what they share once. One file compresses better than forty, and a page
 * without a bundler loads it in one go. Declarations keep the documentation.
 */
function bundleScripts() {
  const scripts = readdirSync(stage, { recursive: true }).filter((name) => name.endsWith('.js'));
  const { outputFiles } = buildSync({
    absWorkingDir: stage,
    entryPoints: ['index.js', 'node.js', 'testing.js', 'turnlog.js', 'glue.js'],
    chunkNames: 'shared-[hash]',
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
  for (const name of scripts) rmSync(join(stage, name));
  removeEmptyFolders(stage);
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
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
