// The groups of rows, in the order in which they run.

import { initRows } from './pages/init.mjs';
import { sizeRows } from './sizes.mjs';
import { twoPagesRows } from './pages/two-pages.mjs';

/** What runs from Node: what is downloaded, and rows that need pages of their own. */
export const BESIDE_THE_PAGE = { size: sizeRows, init: initRows, pages: twoPagesRows };
/** What page.mjs runs. Those of storage write most, which the browser tidies up for a while, so they come last. */
export const IN_THE_PAGE = ['append', 'events', 'session', 'body', 'next', 'context', 'transcript', 'duplicate', 'stream', 'database', 'cold', 'cost', 'storage'];

/** The wanted groups, by default all. */
export function inOrder(wanted) {
  const all = [...Object.keys(BESIDE_THE_PAGE), ...IN_THE_PAGE];
  const unknown = wanted?.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`there is no group "${unknown}": ${all.join(', ')}`);
  return wanted === undefined ? all : all.filter((name) => wanted.includes(name));
}
