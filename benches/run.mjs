// `make bench`: every row in one Chromium run, printed as a table, kept in docs/bench.json and in README.md.
//
//   node benches/run.mjs [--rounds N] [--only body,append,session,context,transcript,database,cost,storage] [--dry]
//
// --dry prints and writes nothing; so does --only, since a part is not the record of a run.
//
// The environment variable TURNLOG_PKG names another folder than pkg/ for the package.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProfile, launchChromiumProfile } from '../tests/browser/chromium.mjs';
import { serve } from '../www/serve.mjs';
import { bundlePeers } from './bundle.mjs';
import { markdown, withRatios } from './report.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** Runs the page in a browser of its own, whose databases are on disk. */
async function measure(options) {
  const pkg = process.env.TURNLOG_PKG ?? path.join(ROOT, 'pkg');
  const site = await serve({ port: 0, www: ROOT, pkg });
  const profile = await createProfile();
  try {
    // Without the demo's content security policy: zod compiles its schemas where it may, and is faster then.
    const context = await launchChromiumProfile(profile.folder, { bypassCSP: true });
    try {
      const page = await context.newPage();
      const failed = new Promise((_, reject) => page.on('pageerror', reject));
      await page.goto(`${site.url}benches/page.html`);
      const ready = page.waitForFunction(() => typeof globalThis.runBenchmarks === 'function');
      await Promise.race([ready, failed]);
      const result = await Promise.race([page.evaluate((wanted) => globalThis.runBenchmarks(wanted), options), failed]);
      return { ...result, browser: `Chromium ${context.browser().version()}` };
    } finally {
      await context.close();
    }
  } finally {
    await profile.remove();
    await site.close();
  }
}

function writeIntoReadme(table) {
  const file = path.join(ROOT, 'README.md');
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) return;
  writeFileSync(file, `${text.slice(0, from + BEGIN.length)}\n${table}\n${text.slice(to)}`);
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    dry: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds must be a positive integer, not ${values.rounds}`);

await bundlePeers(ROOT);
const { payload, rows, browser } = await measure({ rounds, groups: values.only?.split(',') });
const cpus = os.cpus();
const report = { payload, environment: { browser, cpu: cpus[0].model.trim(), cores: cpus.length }, rows: withRatios(rows) };
const table = markdown(report);
console.log(table);
if (!values.dry && values.only === undefined) {
  mkdirSync(path.join(ROOT, 'docs'), { recursive: true });
  writeFileSync(path.join(ROOT, 'docs', 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeIntoReadme(table);
}
