// Pieces of a line: tone, emphasis, and what they stand for. A link is one only where it leads to the web or to a mailbox.
import { element } from '../dom.mjs';
import { toneClass, unknownTone, unknownWord } from './frame.mjs';

const LINKED = new Set(['http:', 'https:', 'mailto:']);
const EMPHASES = ['bold', 'italic', 'dim', 'strike', 'underline'];

/** @param {readonly object[]} spans @returns {Node[]} */
export function drawSpans(spans) {
  return spans.flatMap(drawSpan);
}

function drawSpan({ text, tone, emphasis, entity }) {
  const set = EMPHASES.filter((name) => emphasis[name]).map((name) => ` is-${name}`).join('');
  const className = `${toneClass(tone)}${set}`;
  const beside = unknownTone(tone);
  switch (entity?.type) {
    case undefined:
      // Plain text needs no element.
      return [className === 'tone-default' ? document.createTextNode(text) : element('span', { className }, text), ...beside];
    case 'code':
      return [element('code', { className }, text), ...beside];
    case 'link':
      return [...link(entity.href, text, className), ...beside];
    default:
      return [element('span', { className }, text), unknownWord('entity', entity.type), ...beside];
  }
}

/** A link that opens beside the page; what leads anywhere else is shown as the texts that it is. */
export function link(href, text = href, className = '') {
  if (URL.canParse(href) && LINKED.has(new URL(href).protocol)) {
    return [element('a', { href, className, target: '_blank', rel: 'noopener noreferrer', title: href }, text)];
  }
  return text === href ? [element('span', { className }, text)] : [element('span', { className }, text), element('span', { className: 'no-link' }, ` (${href})`)];
}
