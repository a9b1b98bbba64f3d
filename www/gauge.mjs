// A number that stands against a bound: as a text, and where there is a bound as a bar.
import { byId } from './dom.mjs';
import { count } from './format.mjs';

/**
 * Shows `value` in the gauge whose elements are `#{name}-text` and `#{name}-used`.
 * @param {number | null} bound null where there is none
 * @param {string} [rest] what else is said
 */
export function showGauge(name, value, bound, rest = '') {
  const bar = byId(`${name}-used`);
  byId(`${name}-text`).textContent = `${count(value)}${bound === null ? '' : ` of ${count(bound)}`}${rest}`;
  // Without a bound there is nothing to measure against.
  bar.hidden = bound === null;
  bar.max = Math.max(bound ?? 1, 1);
  bar.value = bound === 0 ? Number(value > 0) : Math.min(value, bar.max);
  // What is always kept is sent even when it alone is over the budget.
  bar.classList.toggle('over', bound !== null && value > bound);
}
