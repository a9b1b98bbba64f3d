// Replacing a range of the surface by a summary: which ranges can be, which one is suggested, and what is said instead.
import { planCompaction, toolPairing } from '/pkg/index.js';
import { byId, element, setChildren } from './dom.mjs';
import { lineOf } from './event-text.mjs';
import { count, plural } from './format.mjs';

/**
 * @param {{onReplace: (range: {start: number, end: number, summary: string}) => Promise<string>, onClosed: () => void}} handlers
 *   `onReplace` resolves to what is wrong, '' when it is done
 */
export function createReplaceForm({ onReplace, onClosed }) {
  const form = byId('replace-form');
  const [start, end, summary] = [byId('replace-start'), byId('replace-end'), byId('replace-summary')];
  const problem = byId('replace-problem');
  const target = byId('replace-target');
  const suggested = byId('replace-suggested');
  let session;
  let pairing;

  start.addEventListener('change', () => offerEnds());
  byId('suggest-range').addEventListener('click', suggest);
  byId('cancel-replace').addEventListener('click', () => {
    close();
    onClosed();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (summary.value.trim() === '') {
      say('Write what is to stand in their place.');
      summary.focus();
      return;
    }
    say(await onReplace({ start: Number(start.value), end: Number(end.value), summary: summary.value }));
    if (problem.textContent !== '') return;
    close();
    onClosed();
  });

  /** Offers the ranges of a session, from event `seq` on if one can begin there. */
  function open(of, seq) {
    try {
      say('');
      form.hidden = false;
      offer(of);
      choose(start, seq);
      offerEnds(seq);
      start.focus();
    } catch (error) {
      say(error.message);
    }
  }

  /** Chooses the range that the package plans, and says what comes of it. */
  function suggest() {
    suggested.textContent = '';
    try {
      // A number field reports '' for text that is no number, which would be no target.
      if (target.validity.badInput) throw new Error('Characters to leave: enter a whole number, or nothing.');
      const targetChars = target.value === '' ? null : Number(target.value);
      const plan = planCompaction(session, { targetChars });
      say('');
      if (plan === undefined) {
        suggested.textContent = targetChars === null ? 'There is nothing that may be replaced.' : 'No more than that is there.';
        return;
      }
      choose(start, plan.start);
      offerEnds(plan.end);
      suggested.textContent = suggestionText(plan, targetChars);
      summary.focus();
    } catch (error) {
      say(error.message);
    }
  }

  function offer(of) {
    session = of;
    pairing = toolPairing(session.events);
    // A cut must not part a tool call from its result.
    setChildren(start, options(session.surface.nodes.filter((seq) => pairing.isBalancedBefore(seq))));
  }

  function offerEnds(wanted) {
    const { nodes } = session.surface;
    const from = nodes.indexOf(Number(start.value));
    const before = wanted ?? Number(end.value);
    setChildren(end, options(nodes.slice(from).filter((seq) => pairing.isBalancedAfter(seq))));
    choose(end, before);
  }

  const options = (seqs) => seqs.map((seq) => element('option', { value: String(seq) }, `#${seq} ${lineOf(session.events[seq]).slice(0, 60)}`));

  function choose(list, seq) {
    if ([...list.options].some(({ value }) => value === String(seq))) list.value = String(seq);
  }

  function say(text) {
    problem.textContent = text;
    summary.setAttribute('aria-invalid', String(text !== ''));
  }

  function close() {
    form.hidden = true;
    summary.value = '';
    suggested.textContent = '';
  }

  return {
    open,
    close,
    /** The log has changed while the form may be open. */
    refresh(of) {
      if (form.hidden || of === undefined) return;
      const [from, to] = [Number(start.value), Number(end.value)];
      offer(of);
      choose(start, from);
      offerEnds(to);
    },
  };
}

/** What a plan comes to: how much goes, and whether that is enough. */
function suggestionText({ shadowed, chars, reachesTarget }, target) {
  const what = `${plural(shadowed.length, 'event', 'events')} with ${plural(chars, 'character', 'characters')}`;
  if (target === null) return `${what}: all that may be replaced.`;
  return `${what}: ${reachesTarget ? `no more than ${count(target)} are left beside the summary` : `all that may be replaced, and more than ${count(target)} are left`}.`;
}
