// SIGKILL to the whole browser at a random moment of its writes, on one profile over all rounds. The page tells of each
// acknowledgement as it happens; what was told must be there in the next round.
import { setTimeout as sleep } from 'node:timers/promises';
import { createProfile, launch, removeProfile } from '../browser/engines/index.mjs';
import { seeded } from '../browser/pages/random.mjs';
import { compare } from './ledger.mjs';

/** After so many rounds other sessions are written: reading them all again stays quick. */
const ROUNDS_A_PERIOD = 10;

/** Runs in the page until the browser dies. */
async function write({ period, round, pace }) {
  const store = lab.store();
  const session = (name) => `${period}:${name}`;
  const told = (name, id) => void report([session(name), id]);
  const padding = (number) => 'x'.repeat(number % 11 === 0 ? 9_000 : (number % 5) * 60);
  const forever = async (work) => {
    for (let number = 0; ; number += 1) await work(number);
  };
  const append = async (name, id, number) => {
    await store.append(session(name), lab.turn(session(name), id, { padding: padding(number) }));
    told(name, id);
  };
  const engine = lab.engine(store, { maxEntries: 10, retention: 'keep' });
  const lines = (name, entries) => new TextEncoder().encode(
    [{ format: 'turnlog/session', version: 1, sessionId: session(name) }, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  const jobs = {
    appends: (number) => append('appends', `${round}/a#${number}`, number),
    // Another writer of the same session, whose appends share transactions and are packed often.
    packing: (batch) => Promise.all(Array.from({ length: pace }, (_, index) => {
      const number = batch * pace + index;
      return append('appends', `${round}/p#${number}`, number);
    })),
    engine: async (number) => {
      const id = `${round}/e#${number}`;
      const result = await engine.handle(lab.request(session('engine'), id));
      if (!result.ok) throw result.error;
      told('engine', id);
    },
    imports: async (batch) => {
      const ids = Array.from({ length: pace }, (_, index) => `${round}/i#${batch * pace + index}`);
      await store.importSession(lines('imports', ids.map((id, number) => lab.turn(session('imports'), id, { padding: padding(number) }))));
      for (const id of ids) told('imports', id);
    },
    replaces: async (number) => {
      const count = 1 + ((number * 7) % 90);
      const ids = Array.from({ length: count }, (_, index) => `${round}/r/${number}/${count}#${index}`);
      await store.replace(session('replaces'), ids.map((id, index) => lab.turn(session('replaces'), id, { padding: padding(index) })));
      report([session('replaces'), round, number]);
    },
  };
  await Promise.all(Object.values(jobs).map(forever));
}

/** Runs in the page: what is stored of these sessions, and what is wrong with the store. */
async function read(names) {
  const store = lab.store();
  const found = { sessions: {}, problems: [] };
  for (const name of names) {
    const entries = await store.get(name);
    found.sessions[name] = entries.map((entry) => entry.input.id);
    const wrong = entries.filter(({ input, output }) => output.userMessage !== `answered ${input.id}` || input.sessionId !== name);
    if (wrong.length > 0) found.problems.push(`${wrong.length} entries of ${name} are not what was written`);
  }
  const damaged = await store.damaged();
  if (damaged.length > 0) found.problems.push(`a kill has damaged ${JSON.stringify(damaged.map(({ sessionId, entries }) => [sessionId, entries]))}`);
  const { code } = await lab.outcome(store.sessions());
  if (code !== undefined) found.problems.push(`sessions() fails with ${code}`);
  return found;
}

class Ledger {
  #acknowledged = new Map();
  #replaced = new Map();
  #told = new Set();
  count = 0;

  hear = ([session, id, number]) => {
    this.count += 1;
    if (number !== undefined) return this.#replaced.set(session, [id, number]);
    if (!this.#acknowledged.has(session)) this.#acknowledged.set(session, []);
    return this.#acknowledged.get(session).push(id);
  };

  /** The sessions that were heard of; in a period only, when one is given. */
  names(period) {
    const all = [...this.#acknowledged.keys(), ...this.#replaced.keys()];
    return period === undefined ? all : all.filter((name) => name.startsWith(`${period}:`));
  }

  /** Each fault is counted once, though it is found again in every later round. */
  check({ sessions, problems }) {
    const sums = { lost: [], doubled: [], misordered: [], problems };
    for (const [name, stored] of Object.entries(sessions)) {
      const found = this.#replaced.has(name)
        ? { ...compare(stored, []), lost: this.#replaceLost(name, stored) }
        : compare(stored, this.#acknowledged.get(name));
      for (const kind of ['lost', 'doubled', 'misordered']) {
        sums[kind].push(...found[kind].filter((id) => this.#isNew(`${kind} ${name} ${id}`)));
      }
    }
    return sums;
  }

  /** All of one list, and of none that is older than the last one acknowledged. */
  #replaceLost(name, stored) {
    const lists = new Set(stored.map((id) => id.slice(0, id.lastIndexOf('#'))));
    const [round, , number, count] = ([...lists][0] ?? '').split('/');
    const [lastRound, lastNumber] = this.#replaced.get(name);
    const isWhole = lists.size === 1 && stored.length === Number(count);
    const isRecent = Number(round) > lastRound || (Number(round) === lastRound && Number(number) >= lastNumber);
    return isWhole && isRecent ? [] : [`${name}: ${stored.length} entries of ${[...lists].join()} after ${lastRound}/${lastNumber}`];
  }

  #isNew(fault) {
    return this.#told.size !== this.#told.add(fault).size;
  }
}

/** One round: what the one before wrote is read, more is written, the browser is killed. */
async function killRound({ engine, site, profile, ledger, random, round, period }) {
  const browser = await launch({ engine, site, profile });
  let alive = true;
  try {
    const tab = await browser.open();
    await tab.evaluate(() => lab.ready.then(() => undefined));
    const sums = ledger.check(await tab.evaluate(read, ledger.names(period)));
    const before = ledger.count;
    const writing = tab.evaluate(write, { period, round, pace: random.between(2, 40) }).then(
      () => sums.problems.push('writing ended by itself'),
      (error) => alive && sums.problems.push(`writing failed: ${error.message}`),
    );
    // Half of the kills are meant for the very beginning.
    await sleep(random.between(0, random.chance(0.5) ? 60 : 400));
    const wanted = before + random.between(1, 60);
    const until = Date.now() + 20_000;
    while (ledger.count < wanted && Date.now() < until && sums.problems.length === 0) await sleep(1);
    alive = false;
    await browser.kill();
    await writing;
    return sums;
  } catch (error) {
    if (alive) await browser.kill();
    throw error;
  }
}

async function readAll({ engine, site, profile, ledger }) {
  const browser = await launch({ engine, site, profile });
  try {
    const tab = await browser.open();
    await tab.evaluate(() => lab.ready.then(() => undefined));
    return ledger.check(await tab.evaluate(read, ledger.names()));
  } finally {
    await browser.kill();
  }
}

/** Kills until `wanted` kills of this engine are counted. */
export async function kills({ engine, site, state, wanted, progress }) {
  if (state.of(engine).kills >= wanted) return;
  const profile = await createProfile(engine);
  const ledger = new Ledger();
  site.onReport = ledger.hear;
  try {
    const begin = state.of(engine).kills;
    for (let round = begin; round < wanted; round += 1) {
      const known = ledger.count;
      const random = seeded(state.seed, engine, 'kill', round);
      const period = Math.floor(round / ROUNDS_A_PERIOD);
      const sums = await killRound({ engine, site, profile, ledger, random, round, period });
      state.add(engine, { ...sums, kills: 1, acknowledged: ledger.count - known });
      // The last round is counted when what it wrote was read.
      if (round + 1 < wanted) await state.save();
      progress(`kill ${round + 1} of ${wanted}, ${state.of(engine).acknowledged} acknowledged`);
    }
    state.add(engine, await readAll({ engine, site, profile, ledger }));
    await state.save();
  } finally {
    site.onReport = () => {};
    await removeProfile(profile);
  }
}
