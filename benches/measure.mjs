// Taking times: candidates of one row in turn, round after round, so that whatever slows the machine down
// for a while slows all of them.

/** What is measured before it counts: caches, compilers and memory settle meanwhile. */
export const WARM_UP_ROUNDS = 3;

/**
 * Times each candidate once a round. With `slices`, a round has so many turns and a sample is the sum of them, so that
 * candidates which take long stand closer together; `prepare` is told the number of the slice.
 *
 * @param {Record<string, Candidate>} candidates by name. `prepare` runs untimed before each `run`, and its
 *   result is handed to `run` and to `discard`, which runs untimed afterwards.
 * @param {{rounds: number, warmUp?: number, operations?: number, slices?: number}} options `operations` is how many
 *   one `run` does, where the candidate does not say.
 * @returns {Promise<Record<string, Times>>} microseconds an operation
 *
 * @typedef {{prepare?: (slice: number) => any, run: (prepared: any) => any, discard?: (prepared: any) => any,
 *   operations?: number}} Candidate
 * @typedef {{median: number, low: number, high: number, samples: number}} Times `low` and `high` are the quartiles
 */
export async function interleave(candidates, { rounds, warmUp = WARM_UP_ROUNDS, operations = 1, slices = 1 }) {
  const names = Object.keys(candidates);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    const gone = Object.fromEntries(names.map((name) => [name, 0]));
    for (let slice = 0; slice < slices; slice++) {
      // Another first one each time: what comes after garbage pays for collecting it.
      const turn = ((round + warmUp) * slices + slice) % names.length;
      const order = [...names.slice(turn), ...names.slice(0, turn)];
      for (const name of order) gone[name] += await timed(candidates[name], slice);
    }
    if (round < 0) continue;
    for (const name of names) {
      const { operations: own = operations } = candidates[name];
      samples[name].push((gone[name] * 1000) / (own * slices));
    }
  }
  return Object.fromEntries(names.map((name) => [name, summary(samples[name])]));
}

/** How many milliseconds one `run` takes. */
async function timed({ prepare, run, discard }, slice) {
  const prepared = await prepare?.(slice);
  const start = performance.now();
  await run(prepared);
  const gone = performance.now() - start;
  await discard?.(prepared);
  return gone;
}

/** Median and quartiles. */
export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75), samples: sorted.length };
}

function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  const above = Math.ceil(at);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

/** Throws unless both say the same: what is not equal is not compared. */
export function mustEqual(ours, theirs, what) {
  const a = typeof ours === 'string' ? ours : JSON.stringify(ours);
  const b = typeof theirs === 'string' ? theirs : JSON.stringify(theirs);
  if (a === b) return;
  let at = 0;
  while (a[at] === b[at]) at++;
  throw new Error(`${what}: not equal at ${at}: ${around(a, at)} / ${around(b, at)}`);
}

function around(text, at) {
  return text.slice(Math.max(at - 20, 0), at + 40);
}
