// Changes to files: diffs, and patches with what became of them. A line that was added or removed shows it by its sign, and by
// colour.
import { element } from '../dom.mjs';
import { card, chip, fold, heading, pre, someLines, unknownWord } from './frame.mjs';
import { writeExactly } from './exact-json.mjs';

const LINES = { context: ' ', added: '+', removed: '-' };
const EVENTS = {
  apply_begin: ['being applied', 'info'],
  apply_success: ['applied', 'success'],
  apply_failure: ['not applied', 'error'],
  proposed: ['proposed', 'default'],
};

export function diff({ title, hunks }) {
  const lines = hunks.flatMap(({ header, lines: own }) => [{ kind: 'header', text: header }, ...own]);
  return card('diff', ...(title ? [heading(title)] : []), diffBox(lines.filter(({ kind, text }) => kind !== 'header' || text !== '')));
}

export function patch({ event, auto_approved: isApproved, changes, failure }) {
  const state = Object.hasOwn(EVENTS, event) ? chip(...EVENTS[event]) : unknownWord('event', event);
  const nodes = [heading('Patch', state, ...(isApproved ? [chip('approved by itself')] : []))];
  if (failure) {
    nodes.push(element('p', { className: 'tone-error', dir: 'auto' }, failure.message));
    for (const [label, text] of [['Output', failure.stdout_excerpt], ['Errors', failure.stderr_excerpt]]) if (text) nodes.push(pre(text, { label }));
  }
  // Paths are only ever read: an object of them may have any keys.
  nodes.push(...Object.entries(changes).map(([path, change]) => fileChange(path, change)));
  return card('patch', ...nodes);
}

function fileChange(path, change) {
  const name = element('code', { className: 'command', dir: 'auto' }, path);
  switch (change.type) {
    case 'add':
      return fold([name, ' ', chip('added', 'success')], [diffBox(textLines(change.content).map((text) => ({ kind: 'added', text })))]);
    case 'delete':
      return element('p', { className: 'file' }, name, ' ', chip('deleted', 'error'));
    case 'update':
      return fold(
        [name, ...(change.move_path ? [' → ', element('code', { className: 'command', dir: 'auto' }, change.move_path)] : []), ' ', chip('changed', 'info')],
        [diffBox(textLines(change.unified_diff).map(unifiedLine)), ...whole('The file before', change.original_content), ...whole('The file after', change.new_content)],
        { isOpen: true },
      );
    default:
      return fold([name, ' ', unknownWord('change', change.type)], [pre(writeExactly(change), { label: 'The change as JSON' })]);
  }
}

function whole(name, text) {
  return text ? [fold([name], [pre(text, { label: name })])] : [];
}

/** Lines without the end of the last one. */
function textLines(text) {
  return text.replace(/\n$/u, '').split('\n');
}

function unifiedLine(line) {
  if (line.startsWith('+') && !line.startsWith('+++')) return { kind: 'added', text: line.slice(1) };
  if (line.startsWith('-') && !line.startsWith('---')) return { kind: 'removed', text: line.slice(1) };
  return line.startsWith(' ') ? { kind: 'context', text: line.slice(1) } : { kind: 'header', text: line };
}

function diffBox(lines) {
  return someLines(element('pre', { className: 'diff-lines', tabIndex: 0, role: 'group', 'aria-label': 'Changed lines' }), lines, diffLine);
}

function diffLine({ kind, text }) {
  if (kind === 'header') return element('span', { className: 'diff-line header', dir: 'auto' }, text, '\n');
  const isKnown = Object.hasOwn(LINES, kind);
  return element(
    'span',
    { className: `diff-line ${isKnown ? kind : ''}` },
    element('span', { className: 'sign' }, isKnown ? LINES[kind] : '?'),
    element('span', { dir: 'auto' }, text),
    ...(isKnown ? [] : [' ', unknownWord('line', kind)]),
    '\n',
  );
}
