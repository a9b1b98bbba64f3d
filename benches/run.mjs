// `make bench`: every row in one Chromium run, printed as a table, kept in docs/bench.json and in README.md.
//
//   node benches/run.mjs [--rounds N] [--only GROUP,GROUP] [--dry]
//
// Groups are those of groups.mjs. --dry prints and writes nothing; so does --only, since a part is not the record of a run.
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
import { BESIDE_THE_PAGE, IN_THE_PAGE, inOrder } from './groups.mjs';
import { judged } from './judge.mjs';
import { markdown } from './report.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const PKG = process.env.TURNLOG_PKG ?? path.join(ROOT, 'pkg');
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** Runs the page, and what needs pages of its own, in a browser whose databases are on disk. */
async function measure({ rounds, groups }) {
  const site = await serve({ port: 0, www: ROOT, pkg: PKG });
  const profile = await createProfile();
  try {
    // Without the demo's content security policy: zod compiles its schemas where it may, and is faster then.
    const context = await launchChromiumProfile(profile.folder, { bypassCSP: true });
    try {
      const beside = [];
      for (const name of groups.filter((group) => group in BESIDE_THE_PAGE)) {
        beside.push(...(await BESIDE_THE_PAGE[name]({ context, url: site.url, rounds, root: ROOT, pkg: PKG })));
      }
      const inside = await inThePage(context, site.url, { rounds, groups: groups.filter((group) => IN_THE_PAGE.includes(group)) });
      return { payload: inside.payload, rows: [...inside.rows, ...beside], browser: `Chromium ${context.browser().version()}` };
    } finally {
      await context.close();
    }
  } finally {
    await profile.remove();
    await site.close();
  }
}

async function inThePage(context, url, options) {
  const page = await context.newPage();
  const failed = new Promise((_, reject) => page.on('pageerror', reject));
  page.on('console', (message) => message.type() === 'info' && console.error(message.text()));
  await page.goto(`${url}benches/page.html`);
  const ready = page.waitForFunction(() => typeof globalThis.runBenchmarks === 'function');
  await Promise.race([ready, failed]);
  return Promise.race([page.evaluate((wanted) => globalThis.runBenchmarks(wanted), options), failed]);
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
const { payload, rows, browser } = await measure({ rounds, groups: inOrder(values.only?.split(',')) });
const cpus = os.cpus();
const machine = { browser, node: process.version, cpu: cpus[0].model.trim(), cores: cpus.length, memoryGiB: Math.round(os.totalmem() / 2 ** 30) };
const report = { machine, payload, rows: rows.map(judged) };
const table = markdown(report);
console.log(table);
const missed = report.rows.filter(({ holds }) => holds === false);
for (const { id, size, goal, ours, best } of missed) console.error(`missed: ${id} ${size ?? ''} ${goal}; ours ${ours}, ${best?.name} ${best?.value}`);
if (!values.dry && values.only === undefined) {
  mkdirSync(path.join(ROOT, 'docs'), { recursive: true });
  writeFileSync(path.join(ROOT, 'docs', 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeIntoReadme(table);
}
