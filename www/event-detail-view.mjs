// One event in full: what it has to do with others, and its JSON.
import { byId, element, setChildren } from './dom.mjs';
import { PLACES } from './event-text.mjs';
import { fullTime } from './format.mjs';

/** @param {{onGo: (seq: number) => void, onFork: (seq: number) => void}} handlers */
export function createEventDetail({ onGo, onFork }) {
  let shown;
  byId('fork').addEventListener('click', () => onFork(shown.seq));

  /** @param {object | undefined} event @param {import('/pkg/index.js').EventTrace | undefined} trace */
  function render(event, trace) {
    shown = event;
    byId('event-detail').hidden = event === undefined;
    if (event === undefined) return;
    byId('event-detail-heading').textContent = `Event ${event.seq}: ${event.type}`;
    const facts = [
      ['Place', PLACES[trace.placement]],
      ['Time', fullTime(event.time)],
      ['Replaced by', links(trace.replacers)],
      ['Replaces', links(trace.replaced)],
      ['Sources', links(trace.sources)],
      ['Cited by', links(trace.citedBy)],
    ];
    setChildren(
      byId('event-facts'),
      facts.map(([term, what]) => element('div', {}, element('dt', {}, term), element('dd', {}, ...[what].flat()))),
    );
    byId('event-json').textContent = JSON.stringify(event, null, 2);
    // A session is forked where a turn has ended.
    byId('fork').hidden = event.type !== 'turn/end';
  }

  /** `undefined` was not recorded, which is not the same as none. */
  function links(seqs) {
    if (seqs === undefined) return 'not recorded';
    if (seqs.length === 0) return 'none';
    return seqs.map((seq) => element('button', { type: 'button', className: 'seq-link', 'aria-label': `Event ${seq}`, onclick: () => onGo(seq) }, `#${seq}`));
  }

  return { render };
}
