// Faults put in the store's way, by a schedule that is the seed's: each gives its code, costs nothing that was
// acknowledged, and leaves a store that works. The faults themselves are in tests/browser/pages/injections.mjs.
import { createProfile, launch, removeProfile } from '../browser/engines/index.mjs';

/** Where a worker dies in a write, WebKit now and then keeps the database from everybody as long as the browser runs. */
const WEDGING = { engine: 'webkit', fault: 'worker killed in a write' };

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

/** Runs in a page of a new browser: what the one that was wedged had heard of is there, and the store works. */
async function lookAgain() {
  const { name, heard } = JSON.parse(localStorage.heard);
  const store = lab.createIndexedDbStore({ name });
  const ids = new Set((await store.get('s')).map(({ input }) => input.id));
  const problems = heard.filter((id) => !ids.has(id)).map((id) => `${name}: ${id} is lost`);
  const { code } = await lab.outcome(store.append('s', lab.turn('s', 'afterwards')));
  if (code !== undefined) problems.push(`${name}: ${code} in a new browser`);
  localStorage.clear();
  return problems;
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
  const profile = await createProfile(engine);
  let browser = await launch({ engine, site, profile });
  const ready = async () => {
    const tab = await browser.open();
    await tab.evaluate(() => lab.ready.then(() => undefined));
    return tab;
  };
  try {
    let tab = await ready();
    for (const fault of await tab.evaluate(names)) {
      while (state.runs(engine, fault) < wanted) {
        const first = state.runs(engine, fault);
        const count = AT_ONCE.includes(fault) ? wanted - first : 1;
        const runs = Array.from({ length: count }, (_, index) => first + index);
        let problems;
        try {
          problems = await tab.evaluate(inject, { fault, seed: state.seed, runs });
        } catch (error) {
          if (engine !== WEDGING.engine || fault !== WEDGING.fault || error.code !== 'unavailable') throw error;
          await browser.close();
          browser = await launch({ engine, site, profile });
          tab = await ready();
          problems = await tab.evaluate(lookAgain);
          progress(`${fault}: run ${first} wedged the database until the browser was started again`);
        }
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
    await removeProfile(profile);
  }
}
