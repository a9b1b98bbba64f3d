// The messages that the next request is made of, and how they stand to the history's own bounds.
import { byId, element, setChildren } from './dom.mjs';
import { count } from './format.mjs';
import { showGauge } from './gauge.mjs';

export function createRequestView() {
  const list = byId('request-messages');
  /** Rows are kept while their message stays the same: typing changes the last one only. */
  let rows = [];

  /** @param {import('./request-subjects.mjs').Subject | undefined} subject undefined for a file, of which nothing is sent */
  function render(subject) {
    const { summary, messages, draft, bounds } = subject ?? { summary: 'A file is only read: nothing of it is sent.', messages: [], draft: '' };
    byId('request-summary').textContent = summary;
    byId('request-bounds').hidden = bounds === undefined;
    if (bounds !== undefined) {
      showGauge('chars', bounds.chars, bounds.maxChars);
      showGauge('entries', bounds.entries, bounds.maxEntries, bounds.entries < bounds.stored ? ` · ${count(bounds.stored)} stored` : '');
    }

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
