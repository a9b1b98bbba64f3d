// Tabs and workers that write to one session all at once: nothing is lost, nothing is there twice, each writer's order
// is kept, and every reader sees the same order.
import { launch } from '../browser/engines/index.mjs';
import { idOf, compare } from './ledger.mjs';

const TABS = 2;
const WORKERS = 4;
const FAULT = 'two tabs and four workers write one session';

/** Runs in a page: appends, resolves with what failed. */
async function writeInTab({ session, writer, count }) {
  const failures = [];
  for (let number = 0; number < count; number += 1) {
    const { value, code } = await lab.outcome(lab.store().append(session, lab.turn(session, `${writer}#${number}`)));
    if (value !== 'inserted') failures.push(`${writer}#${number}: ${value ?? code}`);
  }
  return failures;
}

/** Runs in a page: starts the workers, resolves with what failed. */
async function writeInWorkers({ session, writers, count }) {
  const run = (writer) => new Promise((resolve) => {
    const worker = new Worker('/writer-worker.mjs', { type: 'module' });
    worker.onerror = (event) => resolve([`${writer}: ${event.message}`]);
    worker.onmessage = ({ data: { value, failed } }) => {
      if (failed !== undefined) resolve([`${writer}: ${failed}`]);
      if (value === 'done') resolve([]);
    };
    worker.postMessage({ name: 'turnlog', session, writer, count });
  });
  return (await Promise.all(writers.map(run))).flat();
}

const idsIn = (tab, session) => tab.evaluate((name) => lab.ids(lab.createIndexedDbStore(), name), session);

/** One round: 2 × `tabCount` and 4 × `workerCount` appends. */
async function writersRound(browser, session, tabCount, workerCount) {
  const tabs = [];
  for (let tab = 0; tab < TABS; tab += 1) tabs.push(await browser.open());
  for (const tab of tabs) await tab.evaluate(() => lab.ready.then(() => undefined));
  const workers = Array.from({ length: WORKERS }, (_, index) => `worker${index}`);
  const jobs = tabs.map((tab, index) => tab.evaluate(writeInTab, { session, writer: `tab${index}`, count: tabCount }));
  jobs.push(tabs[0].evaluate(writeInWorkers, { session, writers: workers, count: workerCount }));
  const problems = (await Promise.all(jobs)).flat();
  const numbered = (writer, count) => Array.from({ length: count }, (_, number) => idOf(writer, number));
  const acknowledged = [
    ...tabs.flatMap((_, index) => numbered(`tab${index}`, tabCount)),
    ...workers.flatMap((writer) => numbered(writer, workerCount)),
  ];
  const stored = await idsIn(tabs[0], session);
  const others = [
    await idsIn(tabs[1], session),
    await tabs[0].evaluate((name) => lab.ids(lab.store(), name), session),
    await tabs[1].evaluate((name) => lab.ids(lab.store(), name), session),
  ];
  if (others.some((ids) => ids.join() !== stored.join())) problems.push('readers see different orders');
  if (stored.length !== acknowledged.length) problems.push(`${stored.length} entries of ${acknowledged.length}`);
  for (const tab of tabs) await tab.close();
  return { ...compare(stored, acknowledged), problems, acknowledged: acknowledged.length };
}

/** Rounds until `wanted` of this engine are counted. */
export async function writers({ engine, site, state, wanted, tabCount, workerCount, progress }) {
  if (state.runs(engine, FAULT) >= wanted) return;
  const browser = await launch({ engine, site });
  try {
    while (state.runs(engine, FAULT) < wanted) {
      const round = state.runs(engine, FAULT);
      state.add(engine, await writersRound(browser, `together-${round}`, tabCount, workerCount), FAULT);
      await state.save();
      progress(`round ${round + 1} of ${wanted}`);
    }
    const uncaught = browser.problems.filter((problem) => problem.startsWith('uncaught'));
    if (uncaught.length > 0) state.add(engine, { problems: uncaught });
  } finally {
    await browser.close();
  }
}
