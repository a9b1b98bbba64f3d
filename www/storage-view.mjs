// Where the data lives, whether the browser may throw it away, and how much there is.
import { byId, element, setChildren } from './dom.mjs';
import { bytes, count, plural } from './format.mjs';

const KINDS = {
  indexeddb: 'IndexedDB, in this browser',
  localstorage: 'localStorage, in this browser',
  memory: 'Memory: gone with this page',
};

/**
 * @param {{store: import('/pkg/index.js').OpenedStore, name: string, onRefused: (text: string) => void}} options
 *   `name` is the database's
 */
export function createStorageView({ store, name, onRefused }) {
  const persist = byId('persist');
  let shown;

  persist.addEventListener('click', async () => {
    try {
      const granted = await store.requestPersistence();
      if (!granted) onRefused('The browser did not agree to keep the data. It decides by how a site is used; a bookmark or an installed page helps.');
      await refresh();
    } catch (error) {
      onRefused(error.message);
    }
  });

  async function refresh() {
    const [persisted, { usage, quota }] = await Promise.all([store.persisted(), store.estimate()]);
    const sessions = shown?.sessions ?? [];
    const entries = sessions.reduce((sum, session) => sum + session.entries, 0);
    const size = sessions.reduce((sum, session) => sum + session.bytes, 0);
    const facts = [
      ['Store', store.reason === undefined ? KINDS[store.kind] : `${KINDS[store.kind]} (${store.reason.message})`, 'kind'],
      ['Database', name, 'database'],
      ['Kept for good', persisted ? 'Yes' : 'No: the browser may clear it when space is short', 'persisted'],
      ['Conversations', `${count(sessions.length)} with ${plural(entries, 'entry', 'entries')}, ${bytes(size)}`, 'total'],
      ['Whole site', estimateText(usage, quota), 'estimate'],
    ];
    setChildren(
      byId('storage'),
      facts.map(([term, text, id]) => element('div', {}, element('dt', {}, term), element('dd', { 'data-fact': id }, text))),
    );
    persist.hidden = persisted;
    const table = byId('storage-sessions');
    table.hidden = sessions.length === 0;
    setChildren(
      table.tBodies[0],
      sessions.map((session) =>
        element(
          'tr',
          { className: session.id === shown.current ? 'current' : '' },
          element('th', { scope: 'row' }, session.title || 'Untitled'),
          element('td', {}, count(session.entries)),
          element('td', {}, bytes(session.bytes)),
        ),
      ),
    );
  }

  return {
    /** @param {readonly object[]} sessions @param {string} current the session on the screen */
    async render(sessions, current) {
      shown = { sessions, current };
      await refresh();
    },
  };
}

function estimateText(usage, quota) {
  if (usage === undefined) return 'The browser does not say';
  return quota === undefined ? bytes(usage) : `${bytes(usage)} of ${bytes(quota)}`;
}
