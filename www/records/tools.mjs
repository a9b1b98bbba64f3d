// Tool calls, while they run and with what they gave.
import { element } from '../dom.mjs';
import { card, chip, clock, duration, facts, fold, pre, unknownWord } from './frame.mjs';
import { statusChip } from './exec.mjs';
import { writeExactly } from './exact-json.mjs';

const STATUS = { running: ['running', 'info'], success: ['done', 'success'], failed: ['failed', 'error'] };

export function runningTool({ title, started_at: startedAt, arguments: given, wait_cap_ms: cap }) {
  const body = [...argumentList(given), ...facts([['Began', clock(startedAt)], ['Waits', cap === undefined || cap === null ? undefined : `at most ${duration(cap)}`]])];
  return card('tool', fold(summary(title, chip('running', 'info')), body));
}

export function toolCall({ status, title, duration_ms: ms, arguments: given, result_preview: result, error_message: error }) {
  const head = summary(title, statusChip(STATUS, status));
  if (ms !== undefined && ms !== null) head.push(' ', element('span', { className: 'when' }, duration(ms)));
  const body = [...argumentList(given)];
  if (error !== undefined && error !== null) body.push(element('p', { className: 'tone-error', dir: 'auto' }, error));
  if (result && result.lines.length > 0) body.push(pre(result.lines.join('\n'), { label: 'Result' }));
  if (result?.truncated) body.push(element('p', { className: 'aside' }, 'The result goes on; only its beginning was recorded.'));
  if (body.length === 0) body.push(element('p', { className: 'aside' }, 'No arguments, no result.'));
  return card('tool', fold(head, body, { isOpen: status === 'failed' }));
}

function summary(title, status) {
  return [element('code', { className: 'command', dir: 'auto' }, title === '' ? 'tool' : title), ' ', status];
}

function argumentList(given) {
  return facts(given.map(({ name, value }) => [name, argument(value)]));
}

function argument(value) {
  switch (value.type) {
    case 'text':
      return value.text.includes('\n') ? pre(value.text, { label: 'Argument' }) : value.text || '“”';
    case 'json':
      return pre(writeExactly(value.value), { label: 'Argument' });
    case 'secret':
      return element('span', { className: 'aside' }, 'secret, not recorded');
    default:
      return element('div', {}, unknownWord('argument', value.type), pre(writeExactly(value), { label: 'Argument' }));
  }
}
