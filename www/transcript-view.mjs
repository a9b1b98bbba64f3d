// The middle of the page: a transcript, drawn record by record. A record is drawn once, and again only where it is said to have
// changed; a reply that streams in grows.
import { byId, element, setChildren } from './dom.mjs';
import { count } from './format.mjs';
import { isFoldTouched } from './records/frame.mjs';
import { drawRecord } from './records/index.mjs';

/** Closer to the end than this, a growing transcript keeps its end in view. */
const NEAR_END_PX = 80;

/** @param {{onRetry: (messageId: string) => void, onEdit: (messageId: string) => void, onEarlier: () => void}} handlers */
export function createTranscriptView({ onRetry, onEdit, onEarlier }) {
  const log = byId('log');
  const scroller = byId('scroller');
  const jump = byId('jump');
  const earlier = element('button', { type: 'button', className: 'button small earlier', onclick: onEarlier });
  // Not announced: it moves with every message.
  const boundary = element('p', { className: 'boundary', 'aria-live': 'off' }, 'Above: kept here, no longer sent along');
  let shown;
  /** What is drawn of each record, by its id. */
  let drawn = new Map();
  /** What is said of messages that were not answered, by message id. */
  let failures = new Map();

  const nearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
  };
  const updateJump = () => {
    jump.hidden = nearEnd();
  };
  scroller.addEventListener('scroll', updateJump, { passive: true });
  jump.addEventListener('click', toEnd);
  new ResizeObserver(updateJump).observe(scroller);

  /**
   * @param {object} what
   * @param {unknown} what.of what the records are of: another one is drawn from the beginning
   * @param {readonly number[]} what.ids of the records, in order
   * @param {(id: number) => object} what.read the record of an id
   * @param {number} what.hidden how many earlier ones there are
   * @param {ReadonlySet<number>} [what.changed] records to be drawn anew
   * @param {number} [what.firstSent] the position of the first record that is part of the next request
   * @param {ReadonlySet<number>} [what.injected] records to be marked as added by hand
   * @param {ReadonlyMap<number, object>} [what.failed] messages that were not answered, by the record behind which this is said
   */
  function render({ of, ids, read, hidden, changed = new Set(), firstSent = 0, injected = new Set(), failed = new Map() }) {
    const isOther = of !== shown;
    const follow = isOther ? of.startsAtEnd !== false : nearEnd();
    const fromEnd = scroller.scrollHeight - scroller.scrollTop;
    const oldest = drawn.keys().next().value;
    const wasOnEarlier = document.activeElement === earlier;
    if (isOther) {
      shown = of;
      drawn = new Map();
      failures = new Map();
      // A whole conversation brought in at once is not news: it is not read out.
      log.setAttribute('aria-busy', 'true');
    }
    drawn = new Map(ids.map((id) => [id, drawingOf(id, read, changed)]));
    failures = new Map([...failed.values()].map((item) => [item.message.id, failureOf(item)]));
    const nodes = [];
    if (hidden > 0) {
      earlier.textContent = `Show earlier (${count(hidden)} more)`;
      nodes.push(earlier);
    }
    ids.forEach((id, at) => {
      if (at === firstSent && at > 0) nodes.push(boundary);
      const node = drawn.get(id).element;
      node.classList.toggle('not-sent', at < firstSent);
      node.classList.toggle('injected', injected.has(id));
      nodes.push(node);
      if (failed.has(id)) nodes.push(failures.get(failed.get(id).message.id).element);
    });
    setChildren(log, nodes);
    byId('welcome').hidden = nodes.length > 0;
    if (follow) toEnd();
    else if (isOther) scroller.scrollTop = 0;
    // Earlier ones came in above: what was being read stays where it was.
    else if (oldest !== ids[0] && drawn.has(oldest)) scroller.scrollTop = scroller.scrollHeight - fromEnd;
    if (wasOnEarlier && !earlier.isConnected) scroller.focus();
    updateJump();
    if (isOther) requestAnimationFrame(() => log.removeAttribute('aria-busy'));
  }

  function drawingOf(id, read, changed) {
    const before = drawn.get(id);
    if (before === undefined) return drawRecord(read(id));
    if (!changed.has(id)) return before;
    const record = read(id);
    return before.update(record) ? before : redrawn(before.element, drawRecord(record));
  }

  /** One record that has grown, if it is on the screen. */
  function grow(id, record) {
    const drawing = drawn.get(id);
    if (drawing === undefined) return;
    const follow = nearEnd();
    if (!drawing.update(record)) {
      const next = redrawn(drawing.element, drawRecord(record));
      drawing.element.replaceWith(next.element);
      drawn.set(id, next);
    }
    if (follow) toEnd();
  }

  /** Brings a record into view and takes the keyboard there. @returns {boolean} whether it is on the screen */
  function reveal(id) {
    const node = drawn.get(id)?.element;
    if (node === undefined) return false;
    node.tabIndex = -1;
    node.scrollIntoView({ block: 'start' });
    node.focus({ preventScroll: true });
    return true;
  }

  /** Why there is no answer. Drawn anew at each attempt: a second failure is told like the first. */
  function failureOf({ message, attempt, problem }) {
    const known = failures.get(message.id);
    if (known?.attempt === attempt) return known;
    const buttons = element(
      'div',
      { className: 'failure-buttons' },
      element('button', { type: 'button', className: 'button small primary', onclick: () => onRetry(message.id) }, 'Try again'),
      element('button', { type: 'button', className: 'button small', onclick: () => onEdit(message.id) }, 'Edit the message'),
    );
    const said = element('p', { role: 'alert' }, element('strong', {}, 'Not answered. '), problem);
    return { attempt, element: element('div', { className: 'failure' }, said, buttons) };
  }

  return { render, grow, reveal };
}

/** A record that is drawn anew is folded as it was, and keeps the focus. */
function redrawn(before, drawing) {
  const folds = [...drawing.element.querySelectorAll('details')];
  [...before.querySelectorAll('details')].forEach((old, at) => {
    if (!folds[at]) return;
    if (isFoldTouched(old)) folds[at].open = old.open;
    if (old.querySelector(':scope > summary') === document.activeElement) requestAnimationFrame(() => folds[at].querySelector('summary').focus());
  });
  return drawing;
}
