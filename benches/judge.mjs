// Measured rows as the data of a report: ours, the best peer, how many times ours that is, and whether the goals are reached.

import { goalsOf, inWords } from './goals.mjs';

export const OURS = 'turnlog';

/**
 * @param {Row} row
 * @returns what docs/bench.json has of it. `ratio` is the best peer's value ÷ ours, so that above 1 turnlog is ahead; null where
 *   there is no peer, or ours is nothing. `goal` and `holds` are null where none was set.
 *
 * @typedef {{id: string, size?: number, way?: string, what: string, unit?: string, values: Record<string, Value>,
 *   limits?: Record<string, Value>, note?: string}} Row Of every value less is better. `limits` are the least
 *   that is physically possible; they are no peers.
 * @typedef {number | null | {median: number, low: number, high: number, samples: number}} Value null where there is nothing to measure yet
 */
export function judged({ id, size = null, way, what, unit = 'µs', values: { [OURS]: ours, ...others }, limits = {}, note }) {
  if (ours === undefined) throw new Error(`${what}: nothing of turnlog's was measured`);
  const own = amount(ours);
  const peers = byAmount(others).map(([name, value]) => ({ name, ...spread(value), ratio: over(amount(value), own) }));
  const best = peers[0];
  const goals = goalsOf({ id, size: size ?? undefined, way });
  const amounts = { ...others, ...limits };
  return {
    id,
    size,
    ...(way !== undefined && { way }),
    what,
    unit,
    ours: own,
    best: best === undefined ? null : { name: best.name, value: best.value },
    ratio: best?.ratio ?? null,
    goal: goals.length === 0 ? null : goals.map(inWords).join('; '),
    holds: goals.length === 0 ? null : goals.every((goal) => isReached({ of: [best?.name], ...goal }, own, amounts, what)),
    spread: spread(ours),
    peers,
    limits: Object.entries(limits).map(([name, value]) => ({ name, ...spread(value), timesAbove: over(own, amount(value)) })),
    ...(note !== undefined && { note }),
  };
}

function isReached({ atLeast, atMost, most, of }, own, amounts, what) {
  if (own === null) return false;
  if (most !== undefined) return own <= most;
  const missing = of.find((name) => amounts[name] === undefined);
  if (missing !== undefined) throw new Error(`${what}: its goal is about ${missing}, which was not measured`);
  const least = Math.min(...of.map((name) => amount(amounts[name])));
  return atLeast === undefined ? own <= least * atMost : least >= own * atLeast;
}

const amount = (value) => (isPlain(value) ? value : value.median);
const isPlain = (value) => value === null || typeof value === 'number';

function spread(value) {
  if (isPlain(value)) return { value };
  const { median, ...rest } = value;
  return { value: median, ...rest };
}

function byAmount(values) {
  return Object.entries(values).sort(([, a], [, b]) => amount(a) - amount(b));
}

function over(a, b) {
  return a === null || !b ? null : a / b;
}
