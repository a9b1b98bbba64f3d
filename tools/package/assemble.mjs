// assemble.mjs ROOT STAGE: completes the package in STAGE, where wasm-bindgen's output is: lays pkg-template/
// and the licences beside it, writes the version of Cargo.toml into the manifest, and checks what it names.
import { transformSync } from 'esbuild';
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
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
  writeFileSync(join(stage, 'glue.js'), ['errors', 'snapshot'].map((file) => `export * from '${folder}/${file}.js';\n`).join(''));
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

/** Each file by itself, so that the package keeps its modules; declarations keep the documentation. */
function minifyScripts() {
  for (const name of readdirSync(stage, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const file = join(stage, name);
    const { code } = transformSync(readFileSync(file, 'utf8'), { format: 'esm', target: 'es2022', minify: true });
    writeFileSync(file, code);
  }
}

minifyScripts();

const missing = exportTargets(manifest.exports).filter((target) => !existsSync(join(stage, target)));
if (missing.length > 0) throw new Error(`package.json exports files that the package lacks: ${missing.join(', ')}`);
