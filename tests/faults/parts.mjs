// The parts of the campaign, and how much of each is done in which engine.
import { damage } from './damage.mjs';
import { injected } from './injected.mjs';
import { kills } from './kills.mjs';
import { sessionKills } from './session-kills.mjs';
import { writers } from './writers.mjs';

const KILLS = { chromium: 300, 'chromium-sqlite': 60, firefox: 60, webkit: 30 };
const SHORT_KILLS = 4;
const SESSION_KILLS = 40;
const SHORT_SESSION_KILLS = 2;
const TURNS = 200;
const SHORT_TURNS = 40;
const DAMAGES = { chromium: 10_000, 'chromium-sqlite': 1_000, firefox: 1_000, webkit: 1_000 };
const SHORT_DAMAGES = 100;
const RUNS = 20;

function writersPart({ short, ...round }) {
  const isFull = round.engine === 'chromium' && !short;
  const counts = isFull ? { tabCount: 1_000, workerCount: 500 } : { tabCount: 200, workerCount: 100 };
  return writers({ ...round, ...counts, wanted: 1 });
}

function sessionsPart({ kills: wanted, short, ...round }) {
  const turns = short ? SHORT_TURNS : TURNS;
  return sessionKills({ ...round, turns, wanted: wanted ?? (short ? SHORT_SESSION_KILLS : SESSION_KILLS) });
}

export const PARTS = {
  kills: ({ kills: wanted, short, ...round }) => kills({ ...round, wanted: wanted ?? (short ? SHORT_KILLS : KILLS[round.engine]) }),
  sessions: sessionsPart,
  writers: writersPart,
  injected: ({ short, ...round }) => injected({ ...round, wanted: short ? 1 : RUNS }),
  damage: ({ short, ...round }) => damage({ ...round, wanted: short ? SHORT_DAMAGES : DAMAGES[round.engine] }),
};
