// The fault campaign: browsers are killed, disks are full, records are damaged, and nothing that was acknowledged may be
// lost. `node tests/faults/campaign.mjs [--seed N] [--engines chromium,firefox,…] [--kills N] [--only PART] [--fresh]
// [--short]`. Its schedule is that of the seed, it goes on where an earlier run ended (target/faults-state.json), and it
// writes docs/faults.json. Exits with 1 when anything went wrong.
import { access, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ENGINES } from '../browser/engines/index.mjs';
import { startSite } from '../browser/engines/site.mjs';
import { PARTS } from './parts.mjs';
import { State } from './state.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const STATE = path.join(ROOT, 'target', 'faults-state.json');
const REPORT = path.join(ROOT, 'docs', 'faults.json');
const DEFAULT_SEED = 20_260_301;

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(DEFAULT_SEED) },
      engines: { type: 'string', default: ENGINES.join() },
      kills: { type: 'string' },
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
    },
  });
  const seed = Number(values.seed);
  const engines = values.engines.split(',');
  const kills = values.kills === undefined ? undefined : Number(values.kills);
  const unknown = engines.filter((engine) => !ENGINES.includes(engine));
  if (unknown.length > 0) throw new Error(`no engine ${unknown}; there are ${ENGINES.join(', ')}`);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed takes a whole number');
  if (kills !== undefined && !(Number.isSafeInteger(kills) && kills >= 0)) throw new Error('--kills takes a whole number');
  return { ...values, seed, engines, kills };
}

/** The package as it is now: a build during the campaign changes nothing of it. */
async function copyPackage() {
  const source = process.env.TURNLOG_PKG || path.join(ROOT, 'pkg');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'turnlog-pkg-'));
  await cp(source, folder, { recursive: true });
  await access(path.join(folder, 'index.js'));
  return folder;
}

async function startSiteWith(folder) {
  const before = process.env.TURNLOG_PKG;
  process.env.TURNLOG_PKG = folder;
  try {
    return await startSite();
  } finally {
    if (before === undefined) delete process.env.TURNLOG_PKG;
    else process.env.TURNLOG_PKG = before;
  }
}

function report(state) {
  const columns = ['kills', 'acknowledged', 'lost', 'doubled', 'misordered'];
  const line = (cells) => cells.map((cell, index) => String(cell).padEnd(index === 0 ? 17 : 13)).join('');
  console.log(`\n${line(['', ...columns])}`);
  for (const [engine, sums] of Object.entries(state.engines)) console.log(line([engine, ...columns.map((name) => sums[name])]));
  for (const [engine, { faults }] of Object.entries(state.engines)) {
    console.log(`\n${engine}`);
    for (const [name, runs] of Object.entries(faults).sort()) console.log(`  ${name.padEnd(34)}${runs}`);
  }
  for (const problem of state.problems) console.log(`PROBLEM ${problem}`);
}

/** Runs it; gives the state. The short form keeps none. */
export async function campaign({ seed = DEFAULT_SEED, engines, kills, only, short, fresh }) {
  const state = await State.load(short ? undefined : STATE, { seed, fresh });
  const folder = await copyPackage();
  const site = await startSiteWith(folder);
  try {
    for (const engine of engines) {
      for (const [name, part] of Object.entries(PARTS)) {
        if (only !== undefined && only !== name) continue;
        const begin = Date.now();
        const progress = (text) => console.log(`${engine} ${name}: ${text} (${Math.round((Date.now() - begin) / 1000)} s)`);
        await part({ engine, site, state, short, kills, progress });
      }
    }
  } finally {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
  return state;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = readOptions();
  const state = await campaign(options);
  report(state);
  if (!options.short) await writeFile(REPORT, `${JSON.stringify({ seed: state.seed, engines: state.engines }, undefined, 2)}\n`);
  if (state.problems.length > 0) process.exitCode = 1;
  // A browser that ended badly may have left a socket open.
  await sleep(100);
  process.exit();
}
