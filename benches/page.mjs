// Runs in the browser: makes the data, then each group of rows in turn.

import { init } from '/pkg/index.js';
import { storedValues } from './database.mjs';
import { ENTRIES, SESSION, describeEntries, makeEntries } from './payload.mjs';
import { appendRows } from './rows/append.mjs';
import { bodyRows } from './rows/body.mjs';
import { CHUNKED, databaseRows, fill } from './rows/database.mjs';

/** Called by run.mjs. `rounds` is how many samples each number is the median of. */
globalThis.runBenchmarks = async ({ rounds }) => {
  await init();
  const entries = makeEntries(ENTRIES);
  await fill(entries);
  const stored = await storedValues(CHUNKED, SESSION);
  const rows = [
    ...(await bodyRows({ entries, stored, rounds })),
    ...(await appendRows({ entries, rounds })),
    ...(await databaseRows({ entries, rounds })),
  ];
  const bytes = stored.chunks.reduce((sum, value) => sum + value.length, 0);
  return { payload: { ...describeEntries(entries), storedValues: stored.chunks.length, storedBytes: bytes }, rows };
};
