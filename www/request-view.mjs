// The panel that shows the next request: the very messages that would be sent, and how they stand to the budget.
import { requestBody } from './openai-planner.mjs';
import { byId, element, setChildren } from './dom.mjs';
import { count, plural } from './format.mjs';

export function createRequestView() {
  const list = byId('request-messages');
  /** Rows are kept while their message stays the same: typing changes the last one only. */
  let rows = [];

  /**
   * @param {{messages: readonly {role: string, content: string}[], context: readonly {content: string}[],
   *   draft: string, sent: number, stored: number, settings: object}} state
   *   `context` is what the budget bounds; `messages` is that with what goes around it; `sent` of `stored`
   *   entries are behind the context
   */
  function render({ messages, context, draft, sent, stored, settings }) {
    const contextChars = charsOf(context);
    const total = charsOf(messages);
    byId('request-summary').textContent =
      messages.length === 0
        ? 'Nothing yet: the message you write will go alone.'
        : `${plural(messages.length, 'message', 'messages')}, ${plural(total, 'character', 'characters')}${draft === '' ? ', and the message you write' : ''}.`;
    gauge('chars', contextChars, settings.maxChars, boundText(contextChars, settings.maxChars, ''));
    gauge('entries', sent, settings.maxEntries, boundText(sent, settings.maxEntries, sent < stored ? ` · ${count(stored)} stored` : ''));

    const before = rows.length;
    rows = messages.map((message, index) => {
      const isDraft = draft !== '' && index === messages.length - 1;
      const row = rows[index];
      if (row && row.isDraft === isDraft && row.role === message.role && row.content === message.content) return row;
      return { ...message, isDraft, element: messageRow(message, isDraft) };
    });
    setChildren(list, rows.map((row) => row.element));
    // What was added last, and what is being written, are at the end.
    if (rows.length !== before) list.scrollTop = list.scrollHeight;
    byId('request-json').textContent = JSON.stringify(
      settings.answering === 'server' ? requestBody(settings, context, draft) : { messages },
      null,
      2,
    );
  }

  return { render };
}

function messageRow({ role, content }, isDraft) {
  return element(
    'li',
    { className: `request-message ${role}${isDraft ? ' draft' : ''}` },
    element(
      'div',
      { className: 'request-head' },
      element('span', { className: 'role' }, role),
      isDraft ? element('span', { className: 'mark' }, 'being written') : '',
      element('span', { className: 'chars', title: 'Characters, in UTF-16 code units' }, count(content.length)),
    ),
    element('p', { className: 'request-text', dir: 'auto' }, content),
  );
}

function charsOf(messages) {
  return messages.reduce((sum, message) => sum + message.content.length, 0);
}

function boundText(value, bound, rest) {
  return `${count(value)}${bound === null ? '' : ` of ${count(bound)}`}${rest}`;
}

function gauge(name, value, bound, text) {
  const bar = byId(`${name}-used`);
  byId(`${name}-text`).textContent = text;
  // Without a bound there is nothing to measure against.
  bar.hidden = bound === null;
  bar.max = bound ?? 1;
  bar.value = Math.min(value, bar.max);
  // The newest entry is kept even when it alone is over the budget.
  bar.classList.toggle('over', bound !== null && value > bound);
}
