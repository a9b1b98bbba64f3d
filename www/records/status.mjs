// What goes on around a conversation: waiting, loading, exploring, limits, context, and news of the program.
import { element } from '../dom.mjs';
import { count } from '../format.mjs';
import { bar, card, chip, clock, duration, facts, fold, heading, toneClass, unknownTone, unknownWord } from './frame.mjs';
import { commandText, statusChip } from './exec.mjs';
import { link } from './spans.mjs';
import { writeExactly } from './exact-json.mjs';

const EXPLORED = { running: ['running', 'info'], success: ['done', 'success'], not_found: ['not found', 'warning'] };
const FIELDS = { cwd: 'Folder', git_branch: 'Branch', reasoning_effort: 'Effort', browser_snapshot: 'Browser' };

export function waitStatus({ header, details }) {
  const { title, title_tone: titleTone, summary, summary_tone: summaryTone } = header;
  return card(
    'wait',
    element('header', {}, element('h2', { className: toneClass(titleTone), dir: 'auto' }, title), ...unknownTone(titleTone)),
    ...(summary ? [element('p', { className: toneClass(summaryTone), dir: 'auto' }, summary, ' ', ...unknownTone(summaryTone))] : []),
    ...facts(details.map(({ label, value, tone }) => [label, [element('span', { className: toneClass(tone) }, value ?? ''), ...unknownTone(tone)]])),
  );
}

export function loading({ message }) {
  return card('loading', element('p', {}, element('span', { className: 'dot', 'aria-hidden': 'true' }), element('span', { dir: 'auto' }, message)));
}

export function backgroundEvent({ title, description }) {
  return card('background', element('p', { dir: 'auto' }, element('strong', {}, title), ...(description ? [` ${description}`] : [])));
}

export function upgradeNotice({ current_version: current, latest_version: latest, message }) {
  return card('notice-record', heading('A newer version', chip(`${current} → ${latest}`, 'info')), element('p', { dir: 'auto' }, message));
}

export function explore({ entries, trailing }) {
  return card('explore', heading('Explored'), element('ul', {}, ...entries.map(explored), ...(trailing ? [element('li', {}, '…')] : [])));
}

function explored({ command, cwd, status, action, summary }) {
  const parts = [];
  if (typeof action === 'string') parts.push(element('span', { className: 'action', dir: 'auto' }, action), ' ');
  // Where the command is not recorded, what it was about is.
  if (command.length > 0 || !summary) parts.push(element('code', { className: 'command', dir: 'auto' }, commandText(command)), ' ');
  if (summary) parts.push(element('span', { dir: 'auto' }, summaryText(summary)), ' ');
  if (cwd) parts.push(element('span', { className: 'when', dir: 'auto' }, `in ${cwd} `));
  return element('li', {}, ...parts, exploredStatus(status));
}

/** An extension, which nothing has checked. */
function summaryText(summary) {
  const members = typeof summary === 'object' ? Object.values(summary) : [summary];
  return members.filter((value) => value !== null).map((value) => (typeof value === 'string' ? value : writeExactly(value))).join(' ');
}

function exploredStatus(status) {
  if (typeof status === 'string') return statusChip(EXPLORED, status);
  if (!Object.hasOwn(status, 'error')) return unknownWord('status', status);
  const code = status.error?.exit_code;
  return chip(typeof code === 'number' ? `failed, exit code ${code}` : 'failed', 'error');
}

export function rateLimits(payload) {
  const meters = [['primary', 'Short window'], ['secondary', 'Long window']].map(([name, title]) => {
    const used = payload[`${name}_used_percent`];
    const reset = payload[`${name}_reset_after_seconds`];
    const window = duration(BigInt(payload[`${name}_window_minutes`]) * 60_000n);
    const until = reset === undefined || reset === null ? '' : `, begins anew in ${duration(BigInt(reset) * 1000n)}`;
    return element('div', { className: 'meter' }, element('p', {}, `${title} (${window}): ${count(used)} % used${until}`), bar(`${title} used`, used, 100));
  });
  const legend = (payload.legend ?? []).map(({ label, description, tone }) => (
    [label, [element('span', { className: toneClass(tone) }, description), ...unknownTone(tone)]]
  ));
  return card(
    'limits',
    heading('Rate limits'),
    ...meters,
    element('p', { className: 'aside' }, `Short to long window: ${count(payload.primary_to_secondary_ratio_percent)} %`),
    ...facts(legend),
  );
}

export function context(payload) {
  const { cwd, git_branch: branch, reasoning_effort: effort, browser_session_active: isActive, deltas, browser_snapshot: page, expanded } = payload;
  const body = [
    ...facts([[FIELDS.cwd, cwd], [FIELDS.git_branch, branch], [FIELDS.reasoning_effort, effort], [FIELDS.browser_snapshot, isActive ? 'open' : undefined]]),
    ...(deltas.length > 0 ? [element('ul', {}, ...deltas.map(delta))] : []),
    ...(page ? snapshotOf(page) : []),
  ];
  if (body.length === 0) body.push(element('p', { className: 'aside' }, 'Nothing is known.'));
  return card('context', fold(['Context'], body, { isOpen: expanded }));
}

function delta({ field, previous, current }) {
  return element('li', { dir: 'auto' }, Object.hasOwn(FIELDS, field) ? FIELDS[field] : unknownWord('field', field), `: ${previous ?? 'nothing'} → ${current ?? 'nothing'}`);
}

function snapshotOf({ url, title, captured_at: at, width, height, metadata }) {
  return facts([
    ['Page', url ? link(url) : undefined],
    ['Title', title],
    ['Seen', at ? clock(at) : undefined],
    ['Size', width && height ? `${count(width)} × ${count(height)}` : undefined],
    ...Object.entries(metadata ?? {}),
  ]);
}
