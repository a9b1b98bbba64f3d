// Runs in the browser: makes the data, then each group of rows in turn.

import { init } from '/pkg/index.js';
import { ENTRIES, describeEntries, makeEntries } from './payload.mjs';
import { appendCostRows } from './rows/append-cost.mjs';
import { appendRows } from './rows/append.mjs';
import { bodyRows } from './rows/body.mjs';
import { coldRows } from './rows/cold.mjs';
import { contextRows } from './rows/context.mjs';
import { databaseRows } from './rows/database.mjs';
import { duplicateRows } from './rows/duplicates.mjs';
import { eventRows } from './rows/events.mjs';
import { nextRows } from './rows/next.mjs';
import { sessionRows } from './rows/session.mjs';
import { storageRows } from './rows/storage.mjs';
import { streamRows } from './rows/stream.mjs';
import { transcriptRows } from './rows/transcript.mjs';

const GROUPS = {
  append: appendRows,
  events: eventRows,
  session: sessionRows,
  body: bodyRows,
  next: nextRows,
  context: contextRows,
  duplicate: duplicateRows,
  stream: streamRows,
  transcript: transcriptRows,
  database: databaseRows,
  cold: coldRows,
  cost: appendCostRows,
  storage: storageRows,
};

/** Called by run.mjs. `rounds` is how many samples each number is the median of; `groups` names those to run, in order. */
globalThis.runBenchmarks = async ({ rounds, groups }) => {
  await init();
  const entries = makeEntries(ENTRIES);
  const rows = [];
  for (const group of groups) {
    console.info(`==> ${group}`);
    rows.push(...(await GROUPS[group]({ entries, rounds })));
  }
  return { payload: describeEntries(entries), rows };
};
