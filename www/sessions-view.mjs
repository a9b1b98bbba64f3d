// The list of conversations at the left: title, last activity, the way to each, and its deletion.
import { byId, element, setChildren } from './dom.mjs';
import { ago, fullTime, machineTime, plural } from './format.mjs';

/**
 * @param {{onDelete: (session: {id: string, title: string, entries?: number, about?: string}) => void}} handlers
 * @returns {{render(sessions: readonly object[], current: string): void, updateTimes(): void}}
 */
export function createSessionsView({ onDelete }) {
  const list = byId('sessions');
  const rows = new Map();

  function createRow(id) {
    const title = element('span', { className: 'session-title' });
    const when = element('time');
    const size = element('span');
    const link = element(
      'a',
      { href: `#${encodeURIComponent(id)}` },
      title,
      element('span', { className: 'session-meta' }, when, ' · ', size),
    );
    const row = { session: undefined, when, element: undefined, update: undefined };
    const remove = element(
      'button',
      { type: 'button', className: 'icon-button delete', onclick: () => onDelete(row.session) },
      element('span', { 'aria-hidden': 'true', textContent: '×' }),
    );
    row.element = element('li', {}, link, remove);
    row.update = (session, isCurrent) => {
      row.session = session;
      title.textContent = session.title || 'Untitled';
      // A recording has events and no entries, and says what it is.
      size.textContent = session.about ?? plural(session.entries, 'entry', 'entries');
      remove.setAttribute('aria-label', `Delete “${session.title || 'Untitled'}”`);
      if (isCurrent) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      showTime(row);
    };
    return row;
  }

  function showTime({ when, session }) {
    when.textContent = ago(session.lastActivity);
    when.dateTime = machineTime(session.lastActivity);
    when.title = fullTime(session.lastActivity);
  }

  return {
    render(sessions, current) {
      const kept = new Set(sessions.map((session) => session.id));
      for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
      const items = sessions.map((session) => {
        if (!rows.has(session.id)) rows.set(session.id, createRow(session.id));
        const row = rows.get(session.id);
        row.update(session, session.id === current);
        return row.element;
      });
      setChildren(list, items);
      byId('no-sessions').hidden = sessions.length > 0;
    },
    updateTimes() {
      for (const row of rows.values()) showTime(row);
    },
  };
}
