// Appends to what holds so many already, in memory: short ones are made anew for each sample, since the appends would make
// them much longer.

import { NAMES } from '../goals.mjs';
import { interleave } from '../measure.mjs';

export const SIZES = [100, 1_000, 10_000, 100_000];
/** The two that growth is told by. */
export const [SHORT, LONG] = [1_000, 100_000];
/** Longer ones are made once, and grow by a third at most in a run. */
const MADE_ANEW_UP_TO = 10_000;
/** About as many appends as a sample needs for the clock. */
const APPENDS = 2_000;

/**
 * A candidate of `interleave`.
 *
 * @param {number} size
 * @param {{fill: (size: number) => any, more: (count: number, sample: number) => any[], appendAll: (one: any, things: any[]) => any}} peer
 *   `fill` makes one that holds so many, `more` gives `count` things that it does not hold, other ones for each sample.
 */
export function appending(size, { fill, more, appendAll, most = APPENDS }) {
  const each = Math.min(size, most);
  const copies = size > MADE_ANEW_UP_TO ? 1 : Math.ceil(most / each);
  let kept;
  let sample = 0;
  return {
    operations: copies * each,
    prepare: async () => {
      if (size > MADE_ANEW_UP_TO) kept ??= [await fill(size)];
      else kept = await all(copies, () => fill(size));
      return { filled: kept, given: more(each, sample++) };
    },
    run: async ({ filled, given }) => {
      for (const one of filled) await appendAll(one, given);
    },
  };
}

async function all(count, make) {
  const made = [];
  for (let index = 0; index < count; index++) made.push(await make());
  return made;
}

/** Ours at both sizes in turn, as the values of a row. */
export function growth(peer, rounds) {
  return interleave({ turnlog: appending(LONG, peer), [NAMES.shorter]: appending(SHORT, peer) }, { rounds });
}
