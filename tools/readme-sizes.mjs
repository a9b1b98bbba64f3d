// readme-sizes.mjs: writes what tools/package/measure.mjs reports of pkg/ into README.md, between its markers
// `<!-- sizes:begin -->` and `<!-- sizes:end -->`. Build the package first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = join(ROOT, 'README.md');
const [BEGIN, END] = ['<!-- sizes:begin -->', '<!-- sizes:end -->'];
/** The status with which measure.mjs says that the package is over its budget, which is worth writing down too. */
const OVER_BUDGET = 3;

function measured() {
  const folder = mkdtempSync(join(tmpdir(), 'turnlog-sizes-'));
  try {
    const args = [join(ROOT, 'tools/package/measure.mjs'), join(ROOT, 'pkg'), join(ROOT, 'budget.json'), join(folder, 'report')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0 && status !== OVER_BUDGET) throw new Error(`the package could not be measured (make build):\n${stderr}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The report's aligned columns as a Markdown table, and the line about the budget behind it. */
function markdown(report) {
  const lines = report.trimEnd().split('\n');
  const cells = lines.map((line) => line.trim().split(/ {2,}/)).filter((row) => row.length === 4);
  const budget = lines.find((line) => line.startsWith('Budget: '));
  if (cells.length < 2 || budget === undefined) throw new Error(`measure.mjs reported something else than sizes:\n${report}`);
  const [head, ...rows] = cells.map((row) => `| ${row.join(' | ')} |`);
  return [head, '| --- | ---: | ---: | ---: |', ...rows, '', budget].join('\n');
}

const text = readFileSync(README, 'utf8');
const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
if (from < 0 || to < from) throw new Error(`README.md lacks ${BEGIN} and ${END}`);
const table = markdown(measured());
console.log(table);
writeFileSync(README, `${text.slice(0, from + BEGIN.length)}\n${table}\n${text.slice(to)}`);
