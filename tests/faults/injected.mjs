// Faults put in the store's way, by a schedule that is the seed's: each gives its code, costs nothing that was
// acknowledged, and leaves a store that works. The faults themselves are in tests/browser/pages/injections.mjs.
import { launch } from '../browser/engines/index.mjs';

/** Waits of seconds that do not get in each other's way are waited together. */
const AT_ONCE = ['blocked upgrade'];
const NAVIGATION = 'navigation in a write';

const names = () => import('/injections.mjs').then(({ injections }) => Object.keys(injections));

/** Runs in a page: one run of a fault. */
async function inject({ fault, seed, runs }) {
  const { injections } = await import('/injections.mjs');
  const { seeded } = await import('/random.mjs');
  const one = async (run) => {
    const name = `${fault} ${run}`;
    const problems = await injections[fault](name, seeded(seed, fault, run));
    localStorage.clear();
    return problems;
  };
  return (await Promise.all(runs.map(one))).flat();
}

/** Runs in a page: begins to write and returns while it goes on; what is acknowledged is noted for the next page. */
async function writeOn({ run, wait }) {
  const write = async (writer) => {
    for (let number = 0; ; number += 1) {
      const id = `${run}/${writer}/${number}`;
      await lab.store().append('s', lab.turn('s', id));
      sessionStorage.setItem(id, '');
    }
  };
  for (const writer of ['x', 'y']) write(writer);
  await new Promise((resolve) => setTimeout(resolve, wait));
}

async function lookAfter() {
  const ids = await lab.ids(lab.store(), 's');
  const lost = Object.keys(sessionStorage).filter((id) => !ids.includes(id));
  return { acknowledged: sessionStorage.length, lost, doubled: ids.filter((id, at) => ids.indexOf(id) !== at) };
}

async function navigations({ browser, engine, state, wanted }) {
  if (state.runs(engine, NAVIGATION) >= wanted) return;
  const tab = await browser.open();
  while (state.runs(engine, NAVIGATION) < wanted) {
    const run = state.runs(engine, NAVIGATION);
    await tab.evaluate(() => lab.ready.then(() => undefined));
    await tab.evaluate(writeOn, { run, wait: 20 + ((run * 37) % 200) });
    await tab.reload();
    await tab.evaluate(() => lab.ready.then(() => undefined));
    const { lost, doubled } = await tab.evaluate(lookAfter);
    state.add(engine, { lost, doubled }, NAVIGATION);
  }
  await tab.close();
}

/** `wanted` runs of each fault. */
export async function injected({ engine, site, state, wanted, progress }) {
  const browser = await launch({ engine, site });
  try {
    const tab = await browser.open();
    await tab.evaluate(() => lab.ready.then(() => undefined));
    for (const fault of await tab.evaluate(names)) {
      while (state.runs(engine, fault) < wanted) {
        const first = state.runs(engine, fault);
        const count = AT_ONCE.includes(fault) ? wanted - first : 1;
        const runs = Array.from({ length: count }, (_, index) => first + index);
        const problems = await tab.evaluate(inject, { fault, seed: state.seed, runs });
        state.add(engine, { problems }, fault, count);
      }
      await state.save();
      progress(`${fault}: ${wanted}`);
    }
    await navigations({ browser, engine, state, wanted });
    await state.save();
    progress(`${NAVIGATION}: ${wanted}`);
  } finally {
    await browser.close();
  }
}
