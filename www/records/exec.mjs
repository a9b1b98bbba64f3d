// Commands and what they put out.
import { element } from '../dom.mjs';
import { count, plural } from '../format.mjs';
import { card, chip, clock, duration, facts, fold, pre, toneClass, unknownTone, unknownWord } from './frame.mjs';
import { writeExactly } from './exact-json.mjs';

const STATUS = { running: ['running', 'info'], success: ['done', 'success'], error: ['failed', 'error'] };
const ACTIONS = { read: 'Read', search: 'Search', list: 'List', run: 'Run' };

export function exec(payload) {
  return card('exec', segment(payload));
}

export function mergedExec({ action, segments }) {
  return card('exec merged', element('header', {}, element('h2', {}, ...actionName(action), ` · ${plural(segments.length, 'command', 'commands')}`)), ...segments.map(segment));
}

/** A command as it was given; its words are not quoted, whatever is in them. */
export function commandText(command) {
  return command.length === 0 ? '(no command)' : command.join(' ');
}

export function statusChip(known, word) {
  return Object.hasOwn(known, word) ? chip(...known[word]) : unknownWord('status', word);
}

function actionName(action) {
  return Object.hasOwn(ACTIONS, action) ? [ACTIONS[action]] : [unknownWord('action', action)];
}

function segment(payload) {
  const { command, parsed, action, status, stdout_chunks: stdout, stderr_chunks: stderr, exit_code: exitCode } = payload;
  const summary = [
    element('span', { className: 'action' }, ...actionName(action)),
    ' ',
    element('code', { className: 'command', dir: 'auto' }, commandText(command)),
    ' ',
    statusChip(STATUS, status),
  ];
  if (typeof exitCode === 'number' && exitCode !== 0) summary.push(' ', chip(`exit code ${exitCode}`, 'error'));
  const body = [...output('Output', stdout), ...output('Errors', stderr)];
  if (body.length === 0) body.push(element('p', { className: 'aside' }, status === 'running' ? 'No output yet.' : 'No output.'));
  body.push(...waits(payload), ...facts([
    ['Does', parsed.map(parsedCommand)],
    ['Exit code', typeof exitCode === 'number' ? String(exitCode) : undefined],
    ['In', payload.working_dir],
    ['With', (payload.env ?? []).map(([name, value]) => element('code', {}, `${name}=${value} `))],
    ['Tags', (payload.tags ?? []).map((tag) => chip(tag))],
    ['Began', clock(payload.started_at)],
    ['Took', took(payload)],
  ]));
  return fold(summary, body, { isOpen: status !== 'success' });
}

function took({ started_at: from, completed_at: to }) {
  const ms = to ? Date.parse(to) - Date.parse(from) : Number.NaN;
  return Number.isNaN(ms) ? undefined : duration(Math.max(0, ms));
}

function parsedCommand(command) {
  switch (command?.type) {
    case 'read':
      return element('p', {}, `reads ${command.name}: `, element('code', {}, command.cmd));
    case 'list_files':
      return element('p', {}, `lists ${command.path ?? 'files'}: `, element('code', {}, command.cmd));
    case 'search':
      return element('p', {}, `searches ${command.path ?? 'files'}${command.query ? ` for ${command.query}` : ''}: `, element('code', {}, command.cmd));
    case 'read_command':
    case 'unknown':
      return element('p', {}, element('code', {}, command.cmd));
    default:
      return element('p', {}, unknownWord('command', command?.type ?? null), ' ', element('code', {}, writeExactly(command)));
  }
}

/** Chunks in their order. Where one does not begin at the byte at which the one before it ends, that is said. */
function output(name, chunks) {
  const texts = chunks.filter(({ content }) => content !== '');
  if (texts.length === 0) return [];
  const encoder = new TextEncoder();
  let expected = 0n;
  const nodes = [];
  let run = '';
  const end = () => {
    if (run !== '') nodes.push(pre(run, { label: name, keepsEnd: true }));
    run = '';
  };
  for (const { offset, content } of texts) {
    if (BigInt(offset) !== expected) {
      end();
      nodes.push(element('p', { className: 'aside' }, `… from byte ${count(offset)} on:`));
    }
    run += content;
    expected = BigInt(offset) + BigInt(encoder.encode(content).length);
  }
  end();
  return [element('div', { className: `output${name === 'Errors' ? ' errors' : ''}` }, element('p', { className: 'aside' }, name), ...nodes)];
}

function waits({ wait_total_ms: total, wait_active: isWaiting, wait_notes: notes }) {
  const nodes = [];
  const isTimed = total !== undefined && total !== null;
  if (isWaiting || isTimed) {
    nodes.push(element('p', { className: 'aside' }, `${isWaiting ? 'Being waited for' : 'Was waited for'}${isTimed ? `: ${duration(total)}` : ''}`));
  }
  if (notes.length > 0) {
    nodes.push(element('ul', { className: 'wait-notes' }, ...notes.map(({ message, tone, timestamp }) => (
      element('li', { className: toneClass(tone), dir: 'auto' }, clock(timestamp), ' ', message, ' ', ...unknownTone(tone))
    ))));
  }
  return nodes;
}
