// What records of all kinds are framed with: cards, folds, facts, chips, and long texts that are cut until they are asked for.
// No word of a record becomes a class or an attribute that means something: classes come from the lists here.
import { element } from '../dom.mjs';
import { count, fullTime, machineTime, plural, time } from '../format.mjs';

/** Characters and lines of one text that are drawn at first: an output may have 32 MiB. */
const SHOWN_CHARS = 20_000;
const SHOWN_LINES = 400;

const TONES = new Set(['default', 'dim', 'primary', 'success', 'warning', 'error', 'info']);

/** The box of a record that is no message. @param {string} kind a class of the page's own */
export function card(kind, ...children) {
  return element('article', { className: `record ${kind}` }, ...children);
}

/** The first line of a card: what it is, and whatever belongs beside it. */
export function heading(title, ...beside) {
  return element('header', {}, element('h2', { dir: 'auto' }, title), ...beside);
}

const drawnOpen = new WeakSet();

/** A part that folds. */
export function fold(summary, body, { isOpen = false } = {}) {
  const details = element('details', { className: 'fold', open: isOpen }, element('summary', {}, ...summary), ...body);
  if (isOpen) drawnOpen.add(details);
  return details;
}

/** Whether somebody has opened or closed it since it was drawn. */
export function isFoldTouched(details) {
  return details.open !== drawnOpen.has(details);
}

/** A word about a record. @param {string} [tone] one of the known ones */
export function chip(text, tone = 'default') {
  return element('span', { className: `chip ${toneClass(tone)}`, dir: 'auto' }, text);
}

/** A word, block or type that this page does not know, shown as that. */
export function unknownWord(what, word) {
  return element('span', { className: 'chip unknown', dir: 'auto' }, `unknown ${what} `, element('code', {}, typeof word === 'string' ? word : JSON.stringify(word)));
}

export function toneClass(tone) {
  return TONES.has(tone) ? `tone-${tone}` : 'tone-default';
}

/** A chip about a tone that the page does not know; nothing for the others. */
export function unknownTone(tone) {
  return TONES.has(tone) ? [] : [unknownWord('tone', tone)];
}

/** Names and values below each other; a value is a text or a node, and what is absent, null or an empty list is left out. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value !== undefined && value !== null && value.length !== 0);
  if (rows.length === 0) return [];
  return [element('dl', { className: 'facts' }, ...rows.map(([term, value]) => (
    element('div', {}, element('dt', { dir: 'auto' }, term), element('dd', { dir: 'auto' }, ...[value].flat()))
  )))];
}

/**
 * A text set as it is. Of a long one the beginning is drawn, or with `keepsEnd` the end, until all of it is asked for.
 * @param {string} label what a screen reader calls it
 */
export function pre(text, { label, keepsEnd = false } = {}) {
  const code = element('code', {}, text);
  // It scrolls, so the keyboard has to reach it.
  const box = element('pre', { tabIndex: 0, role: 'group', 'aria-label': label ?? 'Text', dir: 'auto' }, code);
  if (text.length <= SHOWN_CHARS) return box;
  code.textContent = (keepsEnd ? text.slice(-SHOWN_CHARS) : text.slice(0, SHOWN_CHARS)).toWellFormed();
  const more = moreButton(`Show all ${count(text.length)} characters`, () => {
    code.textContent = text;
    box.focus();
  });
  return element('div', {}, ...(keepsEnd ? [more, box] : [box, more]));
}

/** Lines into `parent`, the first ones until all are asked for. @param {(line: unknown) => Node} draw */
export function someLines(parent, lines, draw) {
  parent.append(...lines.slice(0, SHOWN_LINES).map(draw));
  if (lines.length <= SHOWN_LINES) return parent;
  return element('div', {}, parent, moreButton(`Show all ${plural(lines.length, 'line', 'lines')}`, () => {
    parent.append(...lines.slice(SHOWN_LINES).map(draw));
    parent.focus();
  }));
}

function moreButton(text, onMore) {
  return element('button', { type: 'button', className: 'button small more', onclick: (event) => {
    event.currentTarget.remove();
    onMore();
  } }, text);
}

/** A point in time (RFC 3339) as clocks show it; as it stands where the browser cannot read it. */
export function clock(timestamp) {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return element('span', { className: 'when' }, timestamp);
  return element('time', { dateTime: machineTime(at), title: fullTime(at) }, time(at));
}

/** Milliseconds as people say them. */
export function duration(ms) {
  const value = Number(ms);
  if (value < 1000) return `${count(value)} ms`;
  if (value < 60_000) return `${count(Math.round(value / 100) / 10)} s`;
  const minutes = Math.floor(value / 60_000);
  const seconds = Math.floor((value % 60_000) / 1000);
  if (minutes < 120) return `${count(minutes)} min${seconds === 0 ? '' : ` ${count(seconds)} s`}`;
  return minutes < 48 * 60 ? `${count(Math.round(minutes / 60))} h` : `${count(Math.round(minutes / 1440))} days`;
}

/** How far something is, as a bar. @param {string} label what a screen reader calls it */
export function bar(label, value, max) {
  return element('progress', { value: Math.max(0, Math.min(Number(value), Number(max) || 1)), max: Number(max) || 1, 'aria-label': label });
}
