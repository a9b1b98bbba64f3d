// measure.mjs PKG BUDGET REPORT: prints what a page downloads for `import 'turnlog'`, as shipped. Within BUDGET it
// writes the same to REPORT; over it, it exits with 3. Each file is compressed by itself, as a server does it.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [pkg, budgetFile, reportFile] = process.argv.slice(2);

const STATIC_IMPORT = /(?:^|;)\s*(?:import|export)\b[^'"`;()]*?(?:\bfrom\s*)?(['"])(\.{1,2}\/[^'"]+)\1/gm;

/** `entry` and every file that it imports, directly or not. */
function filesOf(entry, found = new Set()) {
  if (found.has(entry)) return found;
  found.add(entry);
  for (const [, , specifier] of readFileSync(entry, 'utf8').matchAll(STATIC_IMPORT)) {
    filesOf(resolve(dirname(entry), specifier), found);
  }
  return found;
}

function sizes(files) {
  const total = { raw: 0, gzip: 0, brotli: 0 };
  for (const file of files) {
    const bytes = readFileSync(file);
    total.raw += bytes.length;
    total.gzip += gzipSync(bytes, { level: 9 }).length;
    total.brotli += brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length;
  }
  return total;
}

function row(label, { raw, gzip, brotli }) {
  return label.padEnd(24) + [raw, gzip, brotli].map((n) => n.toLocaleString('en').padStart(12)).join('');
}

const manifest = JSON.parse(readFileSync(join(pkg, 'package.json'), 'utf8'));
const scripts = [...filesOf(join(pkg, manifest.exports['.'].default))];
const wasm = sizes([join(pkg, manifest.exports['./turnlog_bg.wasm'])]);
const js = sizes(scripts);
const both = { raw: wasm.raw + js.raw, gzip: wasm.gzip + js.gzip, brotli: wasm.brotli + js.brotli };
const budget = JSON.parse(readFileSync(budgetFile, 'utf8')).gzipBytes.wasmAndJavaScript;
if (!Number.isSafeInteger(budget)) throw new Error(`${budgetFile} names no gzipBytes.wasmAndJavaScript`);

const over = both.gzip > budget;
const report = [
  'bytes'.padEnd(24) + ['raw', 'gzip', 'brotli'].map((head) => head.padStart(12)).join(''),
  row('WebAssembly', wasm),
  row(`JavaScript (${scripts.length} ${scripts.length === 1 ? 'file' : 'files'})`, js),
  row('together', both),
  `Budget: ${both.gzip.toLocaleString('en')} of ${budget.toLocaleString('en')} bytes of gzip${over ? ': OVER' : ''}.`,
  `JavaScript: ${scripts.map((file) => relative(pkg, file)).join(', ')}`,
].join('\n');
console.log(report);
if (over) process.exitCode = 3;
else writeFileSync(reportFile, `${report}\n`);
