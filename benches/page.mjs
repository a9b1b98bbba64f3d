// Runs in the browser: makes the data, then each group of rows in turn.

import { init } from '/pkg/index.js';
import { storedValues } from './database.mjs';
import { ENTRIES, SESSION, describeEntries, makeEntries } from './payload.mjs';
import { appendCostRows } from './rows/append-cost.mjs';
import { appendRows } from './rows/append.mjs';
import { bodyRows } from './rows/body.mjs';
import { contextRows } from './rows/context.mjs';
import { CHUNKED, databaseRows, fill } from './rows/database.mjs';
import { sessionRows } from './rows/session.mjs';
import { storageRows } from './rows/storage.mjs';
import { transcriptRows } from './rows/transcript.mjs';

const GROUPS = {
  body: bodyRows,
  append: appendRows,
  session: sessionRows,
  context: contextRows,
  transcript: transcriptRows,
  database: databaseRows,
  cost: appendCostRows,
  storage: storageRows,
};

/**
 * Called by run.mjs. `rounds` is how many samples each number is the median of; `groups` names those to run.
 * Those of storage write most, which the browser tidies up for a while, so they come last.
 */
globalThis.runBenchmarks = async ({ rounds, groups = Object.keys(GROUPS) }) => {
  await init();
  const entries = makeEntries(ENTRIES);
  await fill(entries);
  const stored = await storedValues(CHUNKED, SESSION);
  const rows = [];
  for (const group of groups) rows.push(...(await GROUPS[group]({ entries, stored, rounds })));
  const bytes = stored.chunks.reduce((sum, value) => sum + value.length, 0);
  return { payload: { ...describeEntries(entries), storedValues: stored.chunks.length, storedBytes: bytes }, rows };
};
