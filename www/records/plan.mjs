// A plan: how far it is, and its steps.
import { element } from '../dom.mjs';
import { count } from '../format.mjs';
import { bar, card, heading, unknownWord } from './frame.mjs';

const ICONS = { light_bulb: '💡', rocket: '🚀', clipboard: '📋' };
const STEPS = { pending: ['○', 'open'], in_progress: ['◐', 'under way'], complete: ['●', 'done'], skipped: ['–', 'skipped'] };

export function planUpdate({ name, icon, progress: { completed, total }, steps }) {
  const how = `${count(completed)} of ${count(total)}`;
  return card(
    'plan',
    heading(name === '' ? 'Plan' : name, ...iconOf(icon), element('span', { className: 'when' }, how)),
    bar(`Done: ${how}`, completed, total),
    element('ol', { className: 'steps' }, ...steps.map(step)),
  );
}

function iconOf(icon) {
  if (Object.hasOwn(ICONS, icon)) return [element('span', { 'aria-hidden': 'true' }, ICONS[icon])];
  return [typeof icon.custom === 'string' ? element('span', { dir: 'auto' }, icon.custom) : unknownWord('icon', icon)];
}

function step({ description, status }) {
  const isKnown = Object.hasOwn(STEPS, status);
  const [sign, word] = isKnown ? STEPS[status] : ['?', ''];
  return element(
    'li',
    { className: `step ${isKnown ? status.replace('_', '-') : ''}` },
    element('span', { className: 'sign', 'aria-hidden': 'true' }, sign),
    element('span', { dir: 'auto' }, description),
    isKnown ? element('span', { className: 'visually-hidden' }, ` (${word})`) : unknownWord('status', status),
  );
}
