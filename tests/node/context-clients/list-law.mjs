// Whether a list of messages is what the table "Legality" of spec 4-context.md asks for, and what it costs. Written from the
// table and the rules of the budget: it shares no code with what makes such lists.

import { Faults, isBlank, listOf } from './faults.mjs';

/**
 * The rules that a list `{role, content}[]` breaks. `same_role` and `system_first` are what some APIs want; every other one
 * is refused by those that know what it is about.
 *
 * @returns {{rule: string, at: string}[]}
 */
export function faultsOfList(list) {
  const faults = new Faults();
  faults.wanted(list.some(({ role }) => role !== 'system'), 'empty', list);
  for (const [index, message] of list.entries()) {
    const next = list[index + 1];
    faults.wanted(message.role !== 'system' || index === 0, 'system_first', message);
    faults.wanted(next?.role !== message.role, 'same_role', next);
    if (typeof message.content === 'string') {
      faults.wanted(!isBlank(message.content), 'blank_text', message);
      continue;
    }
    faults.wanted(listOf(message.content).length > 0, 'empty_message', message);
    for (const block of listOf(message.content)) checkBlock(faults, message.role, block);
  }
  checkPairs(faults, list);
  return faults.all;
}

function checkBlock(faults, role, block) {
  switch (block.type) {
    case 'text':
      return faults.wanted(!isBlank(block.text), 'blank_text', block);
    case 'reasoning':
      return faults.wanted(role === 'assistant', 'misplaced', block);
    case 'tool-call':
      faults.wanted(role === 'assistant', 'misplaced', block);
      return faults.wanted(!isBlank(block.arguments), 'arguments', block);
    case 'tool-result':
      return faults.wanted(role === 'user', 'misplaced', block);
    default:
      return faults.wanted(false, 'unknown_block', block);
  }
}

/** Each message's calls are answered at the beginning of the next one, in their order, and nothing else is answered. */
function checkPairs(faults, list) {
  let due = [];
  for (const message of list) {
    const blocks = listOf(message.content);
    const answers = blocks.filter(({ type }) => type === 'tool-result').map(({ toolCallId }) => toolCallId);
    const called = new Set(due);
    for (const id of due) faults.wanted(answers.includes(id), 'unanswered_call', id);
    for (const id of answers) faults.wanted(called.has(id), 'orphan_result', id);
    const first = blocks.slice(0, answers.length).every(({ type }) => type === 'tool-result');
    const isSame = JSON.stringify(answers) === JSON.stringify(due);
    const isPaired = due.every((id) => answers.includes(id)) && answers.every((id) => called.has(id));
    if (isPaired && answers.length > 0) faults.wanted(isSame && first, 'result_order', answers);
    due = blocks.filter(({ type }) => type === 'tool-call').map(({ id }) => id);
  }
  for (const id of due) faults.wanted(false, 'unanswered_call', id);
}

/** UTF-16 code units of what is said, called and answered, and messages; system ones are not counted. */
export function costOf(list) {
  const spoken = list.filter(({ role }) => role !== 'system');
  return { messages: spoken.length, chars: spoken.reduce((sum, message) => sum + charsOf(message), 0) };
}

export function charsOf({ content }) {
  if (typeof content === 'string') return content.length;
  let chars = 0;
  for (const block of listOf(content)) {
    chars += (block.text ?? '').length + (block.name ?? '').length + (block.arguments ?? '').length;
    if (Array.isArray(block.content)) for (const part of block.content) chars += part.text.length;
    else if (typeof block.content === 'string') chars += block.content.length;
    else if (block.content !== undefined) chars += JSON.stringify(block.content).length;
  }
  return chars;
}

/** The texts, with characters in them, of the newest message of the user that has such. */
export function newestWord(list) {
  for (const { role, content } of list.toReversed()) {
    if (role !== 'user') continue;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    const texts = blocks.filter(({ type, text }) => type === 'text' && !isBlank(text)).map(({ text }) => text);
    if (texts.length > 0) return texts;
  }
  return [];
}
