// The panes beside the conversation. On a wide screen they stand in columns that can be closed; on a narrow one
// each lies over the conversation while it is open, and Escape or a tap beside it closes it.
import { byId } from './dom.mjs';

/** The widths below which a pane lies over the conversation; css/layout.css names the same. */
const PANES = [
  { pane: 'sessions-pane', button: 'toggle-sessions', narrow: '(max-width: 760px)' },
  { pane: 'request-pane', button: 'toggle-request', narrow: '(max-width: 1080px)' },
];

/**
 * @param {{onOpen: (pane: string) => void}} handlers `onOpen` is told the id of a pane that has come into view
 * @returns {{closeOverlays(): void}}
 */
export function createPanes({ onOpen }) {
  const main = byId('main');
  const panes = PANES.map(({ pane, button, narrow }) => ({ pane: byId(pane), button: byId(button), query: matchMedia(narrow) }));

  const isOverlay = (entry) => entry.query.matches && !entry.pane.hidden;

  function set(entry, open) {
    entry.pane.hidden = !open;
    entry.button.setAttribute('aria-expanded', String(open));
    // What lies below an open overlay is neither seen nor reached.
    main.inert = panes.some(isOverlay);
    byId('columns').classList.toggle('covered', main.inert);
    if (open) onOpen(entry.pane.id);
  }

  function close(entry) {
    const hadFocus = entry.pane.contains(document.activeElement) || document.activeElement === document.body;
    set(entry, false);
    if (hadFocus) entry.button.focus();
  }

  for (const entry of panes) {
    set(entry, !entry.query.matches);
    entry.query.addEventListener('change', () => set(entry, !entry.query.matches));
    entry.button.addEventListener('click', () => {
      const open = entry.pane.hidden;
      for (const other of panes) if (other !== entry && isOverlay(other)) set(other, false);
      set(entry, open);
      if (isOverlay(entry)) entry.pane.focus();
    });
  }
  const closeOverlays = () => panes.filter(isOverlay).forEach(close);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !document.querySelector('dialog[open]')) closeOverlays();
  });
  byId('columns').addEventListener('click', (event) => {
    if (event.target === byId('columns')) closeOverlays();
  });
  return { closeOverlays };
}
