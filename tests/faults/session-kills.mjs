// SIGKILL to the whole browser at random moments of the turns of a session. Each turn's flush is awaited, and what it
// stood for is told: it must be there in the next round, to the byte, and the turn that was interrupted is closed.
import { setTimeout as sleep } from 'node:timers/promises';
import { createProfile, launch, removeProfile } from '../browser/engines/index.mjs';
import { seeded } from '../browser/pages/random.mjs';
import { checkTurns } from '../browser/pages/session-turns.mjs';

const FAULT = 'browser killed in a session';
const CLOSED = 'turn cut off by that and closed';
/** After so many kills, or with such a share of its turns, a session is written to its end. */
const MOST_KILLS = 20;
const KILLED_SHARE = 0.75;

/** Runs in the page: opens the session, or makes it; the JSON texts of its events, and what is wrong besides. */
async function read({ id, window }) {
  const problems = [];
  const storage = lab.store();
  const store = lab.createSessionStore({ storage, window, invariants: true, warn: (text) => problems.push(text) });
  const stored = await store.stored();
  const session = stored.some((header) => header.id === id) ? await store.open(id) : store.create(id);
  lab.checkInvariants(session.events);
  const damaged = await storage.damaged();
  if (damaged.length > 0) problems.push(`a kill has damaged ${JSON.stringify(damaged.map(({ sessionId, bytes }) => [sessionId, bytes.length]))}`);
  const notes = Object.keys(localStorage).filter((key) => key.includes(':events:'));
  if (notes.length > 0) problems.push(`${notes} are left`);
  globalThis.lasting = { store, session };
  return { texts: session.events.map((event) => JSON.stringify(event)), problems };
}

/**
 * Runs in the page: writes turns until there are `turns`, or the browser dies. `told`: how many events the harness knows to
 * be acknowledged; `pause`: how many ms are waited after every `every`th event.
 */
async function write({ turns, told, pause, every }) {
  const { turnEvents } = await import('/session-turns.mjs');
  const { store, session } = globalThis.lasting;
  const { length } = session.events.filter(({ type }) => type === 'turn/start');
  let telling;
  for (let turn = length + 1; turn <= turns; turn += 1) {
    const events = turnEvents(turn, session.seq);
    for (const [number, event] of events.entries()) {
      session.append(...event);
      if (pause !== undefined && number % every === 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    await store.flush(session);
    const texts = session.events.slice(told).map((event) => JSON.stringify(event));
    telling = report([turn, told, texts]);
    told = session.seq;
  }
  await telling;
}

/** What was acknowledged of one session. */
class Ledger {
  texts = [];
  turns = 0;
  /** How many turns did not end by themselves, of those that were read last. */
  interrupted = 0;
  #told = new Set();

  hear = ([turn, first, texts]) => {
    if (first !== this.texts.length) throw new Error(`told of events from ${first} on after ${this.texts.length}`);
    this.texts.push(...texts);
    this.turns = turn;
  };

  /** Each fault is counted once, though it is found again in every later round. */
  check({ texts, problems }, kills) {
    const found = checkTurns(texts);
    const lost = this.texts.flatMap((text, seq) => (texts[seq] === text ? [] : [`${seq} ${texts[seq] === undefined ? 'gone' : 'changed'}`]));
    const isNew = (fault) => this.#told.size !== this.#told.add(fault).size;
    const sums = { lost, doubled: found.doubled, misordered: found.misordered, problems: [...problems, ...found.problems] };
    for (const [kind, faults] of Object.entries(sums)) sums[kind] = faults.filter((fault) => isNew(`${kind} ${fault}`));
    this.interrupted = found.interrupted;
    if (found.interrupted > kills) sums.problems.push(`${found.interrupted} turns are interrupted after ${kills} kills`);
    return sums;
  }
}

/** One launch: what is stored is checked, and `work` has the page until it is over and the browser is killed. */
async function round({ engine, site, profile, work, ...read }) {
  const browser = await launch({ engine, site, profile });
  try {
    const tab = await browser.open();
    return await work(tab, await check(tab, read));
  } finally {
    await browser.kill();
  }
}

async function check(tab, { ledger, id, window, kills }) {
  await tab.evaluate(() => lab.ready.then(() => undefined));
  return ledger.check(await tab.evaluate(read, { id, window }), kills);
}

/** One launch that ends with a kill at a random moment of the turns that are written. */
function killRound({ ledger, random, ...common }) {
  const pace = { pause: random.between(0, 4), every: random.between(1, 6) };
  const work = async (tab, sums) => {
    let alive = true;
    tab.evaluate(write, { turns: Number.MAX_SAFE_INTEGER, told: ledger.texts.length, ...pace }).catch((error) => {
      if (alive) sums.problems.push(`writing failed: ${error.message}`);
    });
    await atRandom(random, ledger, sums);
    alive = false;
    return sums;
  };
  return round({ ...common, ledger, window: random.pick([0, 5, 20, 100]), work });
}

/** The last launch of a session: the turns that are missing are written, and all are read once more by another page. */
function lastRound({ ledger, turns, ...common }) {
  const checked = { ...common, ledger, window: 100 };
  const work = async (tab, sums) => {
    await tab.evaluate(write, { turns, told: ledger.texts.length });
    await tab.reload();
    const again = await check(tab, checked);
    if (ledger.turns < turns) again.problems.push(`${ledger.turns} turns of ${turns}`);
    for (const kind of Object.keys(sums)) sums[kind].push(...again[kind]);
    return sums;
  };
  return round({ ...checked, work });
}

/** Waits for a random moment of the next turns. */
async function atRandom(random, ledger, sums) {
  const wanted = ledger.turns + random.between(0, 5);
  await sleep(random.between(0, random.chance(0.3) ? 30 : 200));
  const until = Date.now() + 20_000;
  while (ledger.turns < wanted && Date.now() < until && sums.problems.length === 0) await sleep(1);
  await sleep(random.between(0, 30));
}

/** Kills until `wanted` kills of this engine are counted, in sessions of `turns` turns, the last of them without a kill. */
export async function sessionKills({ engine, site, state, wanted, turns, progress }) {
  if (state.runs(engine, FAULT) >= wanted) return;
  const profile = await createProfile(engine);
  try {
    while (state.runs(engine, FAULT) < wanted) {
      await oneSession({ engine, site, profile, state, wanted, turns, progress });
      await state.save();
    }
  } finally {
    site.onReport = () => {};
    await removeProfile(profile);
  }
}

async function oneSession({ engine, site, profile, state, wanted, turns, progress }) {
  const ledger = new Ledger();
  site.onReport = ledger.hear;
  const common = { engine, site, profile, ledger, id: `from kill ${state.runs(engine, FAULT)}` };
  let kills = 0;
  const add = async (round, ...counted) => {
    const before = ledger.turns;
    state.add(engine, { ...(await round), acknowledged: ledger.turns - before }, ...counted);
  };
  while (kills < MOST_KILLS && ledger.turns < turns * KILLED_SHARE && state.runs(engine, FAULT) < wanted) {
    const random = seeded(state.seed, engine, 'session kill', state.runs(engine, FAULT));
    await add(killRound({ ...common, kills, random }), FAULT);
    kills += 1;
    progress(`kill ${state.runs(engine, FAULT)} of ${wanted}, ${ledger.turns} turns acknowledged, ${ledger.interrupted} cut off before it`);
  }
  await add(lastRound({ ...common, kills, turns }));
  state.add(engine, {}, CLOSED, ledger.interrupted);
}
