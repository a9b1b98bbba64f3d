// The lines of a message as blocks: paragraphs that follow each other are one run of text, lines of code one box.
import { element } from '../dom.mjs';
import { pre, unknownWord } from './frame.mjs';
import { drawSpans } from './spans.mjs';

/** Steps of indentation that are drawn; lines can have 255. */
const DEEPEST = 8;

/** @param {readonly object[]} lines @returns {Node[]} */
export function drawLines(lines) {
  return runsOf(lines).map(drawRun);
}

/** Lines of one kind that stand together. A blank line belongs to the text around it. */
function runsOf(lines) {
  const runs = [];
  for (const line of lines) {
    const kind = line.kind === 'blank' ? 'paragraph' : line.kind;
    const last = runs.at(-1);
    const joins = last?.kind === kind && last.lines[0].language === line.language && kind !== 'bullet' && kind !== 'separator';
    if (joins) last.lines.push(line);
    else runs.push({ kind, lines: [line] });
  }
  return runs;
}

function drawRun({ kind, lines }) {
  switch (kind) {
    case 'paragraph':
      return element('p', {}, ...joined(lines));
    case 'code':
      return codeBox(lines.map(textOf).join('\n'), lines[0].language);
    case 'quote':
      return element('blockquote', {}, ...joined(lines));
    case 'bullet':
      return bullet(lines[0].indent, lines[0].marker, lines[0].spans);
    case 'separator':
      // It has no text by itself, but may come with one.
      return lines[0].spans.length === 0 ? element('hr') : element('p', { className: 'separator' }, ...drawSpans(lines[0].spans));
    case 'metadata':
      return element('p', { className: 'aside' }, ...joined(lines));
    default:
      return element('p', {}, unknownWord('line', kind), '\n', ...joined(lines));
  }
}

const textOf = (line) => line.spans.map(({ text }) => text).join('');

function joined(lines) {
  return lines.flatMap(({ spans }, index) => (index === 0 ? drawSpans(spans) : ['\n', ...drawSpans(spans)]));
}

/** A line with its marker, as deep as it says. */
export function bullet(indent, marker, spans) {
  const depth = Math.min(Number(indent ?? 0), DEEPEST);
  return element(
    'p',
    { className: `bullet depth-${depth}` },
    element('span', { className: 'marker' }, marker === '-' || marker === undefined || marker === null ? '•' : marker),
    ' ',
    element('span', {}, ...drawSpans(spans)),
  );
}

/** Code, with the name of its language. */
export function codeBox(text, language) {
  const name = language ?? '';
  const box = pre(text, { label: name === '' ? 'Code' : `Code, ${name}` });
  if (name === '') return box;
  return element('div', { className: 'code-box' }, element('span', { className: 'language', dir: 'auto' }, name), box);
}
