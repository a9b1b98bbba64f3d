// What a model thought, folded once it is done.
import { element } from '../dom.mjs';
import { card, chip, fold, unknownWord } from './frame.mjs';
import { bullet, codeBox } from './lines.mjs';
import { drawSpans } from './spans.mjs';
import { writeExactly } from './exact-json.mjs';

const EFFORTS = new Set(['low', 'medium', 'high']);

export function reasoning({ in_progress: isGoingOn, sections, effort }) {
  const summary = [element('span', {}, isGoingOn ? 'Thinking…' : 'Reasoning')];
  if (effort) summary.push(' ', EFFORTS.has(effort) ? chip(`${effort} effort`) : otherEffort(effort));
  return card('reasoning', fold(summary, sections.map(section), { isOpen: isGoingOn }));
}

function otherEffort(effort) {
  return typeof effort.custom === 'string' ? chip(`${effort.custom} effort`) : unknownWord('effort', effort);
}

function section({ heading, summary, blocks }) {
  return element(
    'section',
    { className: 'text', dir: 'auto' },
    ...(heading ? [element('h3', {}, heading)] : []),
    ...(summary.length > 0 ? [element('p', {}, ...drawSpans(summary))] : []),
    ...blocks.map(block),
  );
}

function block(given) {
  switch (given.type) {
    case 'paragraph':
      return element('p', {}, ...drawSpans(given.spans));
    case 'bullet':
      return bullet(given.indent, given.marker, given.spans);
    case 'code':
      return codeBox(given.content, given.language);
    case 'quote':
      return element('blockquote', {}, ...drawSpans(given.spans));
    case 'separator':
      return element('hr');
    default:
      return element('div', {}, unknownWord('block', given.type), codeBox(writeExactly(given)));
  }
}
