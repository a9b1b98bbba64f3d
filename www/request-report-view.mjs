// What the package says it did for a request: how it stands to the budget, what was dropped and clipped, each repair and why.
import { byId, element, setChildren } from './dom.mjs';
import { count, plural } from './format.mjs';
import { showGauge } from './gauge.mjs';
import { ruleText } from './request-words.mjs';

/** Places listed of one change; a long conversation may have thousands. */
const LISTED = 60;

/**
 * @typedef {object} Places what the numbers in a report stand for
 * @property {(place: number) => string} name in a word
 * @property {(place: number) => string} line what it says
 * @property {((place: number) => (() => void) | undefined)} way what shows it; undefined where it is not in the transcript
 */

export function createRequestReport() {
  const box = byId('request-report');

  /**
   * @param {import('/pkg/index.js').ContextReport} report
   * @param {{maxChars?: number | null, maxInputTokens?: number | null}} budget
   * @param {Places} places
   */
  function render(report, budget, places) {
    box.hidden = false;
    const { maxChars = null, maxInputTokens = null } = budget;
    showGauge('body-chars', report.chars, maxChars);
    byId('body-tokens').hidden = report.tokens === undefined;
    if (report.tokens !== undefined) showGauge('body-tokens', report.tokens, maxInputTokens, ', estimated');
    byId('over-budget').hidden = !report.overBudget;
    setChildren(byId('request-changes'), [
      ...changes(`Dropped by the budget: ${count(report.droppedEntries)}`, lines(report.dropped, places)),
      ...changes(`Clipped in the middle: ${count(report.clipped.length)}`, lines(report.clipped, places)),
      ...changes(`Changed to be legal: ${count(report.repairs.length)}`, rules(report.repairs, places)),
    ]);
    byId('nothing-changed').hidden = report.droppedEntries + report.clipped.length + report.repairs.length > 0;
  }

  return {
    render,
    /** There is no request. */
    clear() {
      box.hidden = true;
    },
  };
}

function changes(title, items) {
  if (items.length === 0) return [];
  return [element('h3', {}, title), element('ul', { className: 'changes', tabIndex: 0, role: 'list', 'aria-label': title }, ...items)];
}

/** The newest places, each with what it says: those are next to what is kept. */
function lines(numbers, places) {
  const shown = numbers.slice(-LISTED).map((place) => element('li', {}, link(place, places), element('span', { className: 'change-line', dir: 'auto' }, places.line(place))));
  const earlier = numbers.length - shown.length;
  return earlier === 0 ? shown : [element('li', { className: 'quiet' }, `${plural(earlier, 'earlier one', 'earlier ones')}, and`), ...shown];
}

function rules(repairs, places) {
  return [...Map.groupBy(repairs, ({ rule }) => rule)].map(([rule, those]) => element(
    'li',
    { 'data-rule': rule },
    element('p', {}, element('code', {}, rule), ` ${ruleText(rule)}`),
    element('p', { className: 'change-places' }, ...those.slice(0, LISTED).flatMap(({ message, callId }) => [
      link(message, places),
      ...(callId === undefined ? [] : [element('span', { className: 'call', dir: 'auto' }, callId)]),
    ]), those.length > LISTED ? `and ${count(those.length - LISTED)} more` : ''),
  ));
}

function link(place, { name, way, line }) {
  const go = way(place);
  if (go === undefined) return element('span', {}, name(place));
  return element('button', { type: 'button', className: 'seq-link', title: line(place), onclick: go }, name(place));
}
