// measure.mjs PKG BUDGET REPORT: prints what a page downloads for `import 'turnlog'` and `import 'turnlog/history'`, as shipped. Within BUDGET it
// writes the same to REPORT; over it, it exits with 3. Each file is compressed by itself, as a server does it.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [pkg, budgetFile, reportFile] = process.argv.slice(2);

/** How wide the labels are. */
const LABEL = 40;
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
  return label.padEnd(LABEL) + [raw, gzip, brotli].map((n) => n.toLocaleString('en').padStart(12)).join('');
}

const manifest = JSON.parse(readFileSync(join(pkg, 'package.json'), 'utf8'));
const budgets = JSON.parse(readFileSync(budgetFile, 'utf8')).gzipBytes;

/** What one entry takes, and whether that is more than it may. */
function entry(name, exported, wasmFile) {
  const scripts = [...filesOf(join(pkg, manifest.exports[exported].default))];
  const wasm = sizes([join(pkg, manifest.exports[wasmFile])]);
  const js = sizes(scripts);
  const both = { raw: wasm.raw + js.raw, gzip: wasm.gzip + js.gzip, brotli: wasm.brotli + js.brotli };
  const budget = budgets[name];
  if (!Number.isSafeInteger(budget)) throw new Error(`${budgetFile} names no gzipBytes.${name}`);
  const over = both.gzip > budget;
  const lines = [
    row(`${name}: WebAssembly`, wasm),
    row(`${name}: JavaScript (${scripts.length} ${scripts.length === 1 ? 'file' : 'files'})`, js),
    row(`${name}: together`, both),
  ];
  const verdict = `${name}, ${both.gzip.toLocaleString('en')} of ${budget.toLocaleString('en')} bytes of gzip${over ? ': OVER' : ''}`;
  return { lines, over, verdict, scripts: `${name}: ${scripts.map((file) => relative(pkg, file)).join(', ')}` };
}

const entries = [entry('turnlog', '.', './turnlog_bg.wasm'), entry('turnlog/history', './history', './turnlog_history_bg.wasm')];
const report = [
  'bytes'.padEnd(LABEL) + ['raw', 'gzip', 'brotli'].map((head) => head.padStart(12)).join(''),
  ...entries.flatMap(({ lines }) => lines),
  `Budget: ${entries.map(({ verdict }) => verdict).join('; ')}.`,
  ...entries.map(({ scripts }) => scripts),
].join('\n');
console.log(report);
if (entries.some(({ over }) => over)) process.exitCode = 3;
else writeFileSync(reportFile, `${report}\n`);
