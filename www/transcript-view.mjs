// The conversation in the middle: stored entries, the message on its way, and its reply as it grows.
import { byId, element, setChildren } from './dom.mjs';
import { count, fullTime, machineTime, plural, time } from './format.mjs';

/** Closer to the end than this, a growing conversation keeps its end in view. */
const NEAR_END_PX = 80;

/** @param {{onRetry: (messageId: string) => void, onEdit: (messageId: string) => void, onEarlier: () => void}} handlers */
export function createTranscriptView({ onRetry, onEdit, onEarlier }) {
  const log = byId('log');
  const scroller = byId('scroller');
  const jump = byId('jump');
  const earlier = element('button', { type: 'button', className: 'button small earlier', onclick: onEarlier });
  // Not announced: it moves with every message.
  const boundary = element('p', { className: 'boundary', 'aria-live': 'off' }, 'Above: kept here, no longer sent along');
  let shownSession;
  /** Nodes of stored entries, by entry id. */
  let stored = new Map();
  /** What is shown of messages without a stored answer, by message id. */
  let open = new Map();

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
   * @param {{sessionId: string, entries: readonly object[], total: number, sent: number, unanswered: readonly object[]}} state
   *   `total` entries are stored, the newest `sent` of them are part of the next request, `entries` are shown
   */
  function render({ sessionId, entries, total, sent, unanswered }) {
    const switched = sessionId !== shownSession;
    const follow = switched || nearEnd();
    const fromEnd = scroller.scrollHeight - scroller.scrollTop;
    const oldest = stored.keys().next().value;
    const wasOnEarlier = document.activeElement === earlier;
    if (switched) {
      shownSession = sessionId;
      stored = new Map();
      open = new Map();
      // A whole conversation brought in at once is not news: it is not read out.
      log.setAttribute('aria-busy', 'true');
    }
    const fresh = new Map(entries.map((entry) => [entry.id, stored.get(entry.id) ?? entryNodes(entry)]));
    stored = fresh;
    const nodes = [];
    if (entries.length < total) {
      earlier.textContent = `Show earlier (${count(total - entries.length)} more)`;
      nodes.push(earlier);
    }
    const firstSent = entries.length - sent;
    entries.forEach((entry, index) => {
      if (index === firstSent && firstSent > 0) nodes.push(boundary);
      for (const node of fresh.get(entry.id)) {
        node.classList.toggle('not-sent', index < firstSent);
        nodes.push(node);
      }
    });
    open = new Map(
      unanswered.map((item) => {
        const shown = open.get(item.message.id);
        return [item.message.id, shown?.state === stateOf(item) ? shown : itemNodes(item)];
      }),
    );
    for (const shown of open.values()) nodes.push(...shown.nodes);
    setChildren(log, nodes);
    byId('welcome').hidden = nodes.length > 0;
    if (follow) toEnd();
    // Earlier entries came in above: what was being read stays where it was.
    else if (oldest !== entries[0]?.id && stored.has(oldest)) scroller.scrollTop = scroller.scrollHeight - fromEnd;
    if (wasOnEarlier && !earlier.isConnected) scroller.focus();
    updateJump();
    if (switched) requestAnimationFrame(() => log.removeAttribute('aria-busy'));
  }

  /** Adds a piece to the reply on the screen, if it is that message's. */
  function appendText(messageId, delta) {
    const reply = open.get(messageId)?.reply;
    if (!reply) return;
    const follow = nearEnd();
    reply.appendData(delta);
    if (follow) toEnd();
  }

  /** The user's message and, after it, the growing reply or the reason why there is none. */
  function itemNodes(item) {
    const { message, text, status, problem } = item;
    const asked = article({ who: 'You', kind: 'user', text, timestamp: message.timestamp });
    if (status === 'sending') {
      const reply = document.createTextNode(item.reply);
      const answer = article({ who: 'Assistant', kind: 'assistant streaming', text: reply });
      // Read out once, when it is complete and takes its place among the stored entries.
      answer.setAttribute('aria-busy', 'true');
      answer.setAttribute('aria-live', 'off');
      return { state: stateOf(item), reply, nodes: [asked, answer] };
    }
    const failure = element(
      'div',
      { className: 'failure' },
      element('p', { role: 'alert' }, element('strong', {}, 'Not answered. '), problem),
      element(
        'div',
        { className: 'failure-buttons' },
        element('button', { type: 'button', className: 'button small primary', onclick: () => onRetry(message.id) }, 'Try again'),
        element('button', { type: 'button', className: 'button small', onclick: () => onEdit(message.id) }, 'Edit the message'),
      ),
    );
    return { state: stateOf(item), reply: undefined, nodes: [asked, failure] };
  }

  return { render, appendText };
}

function entryNodes(entry) {
  if (entry.kind === 'injection') {
    return [article({ who: 'Assistant', kind: 'assistant injected', mark: 'Added by hand', text: entry.content, timestamp: entry.timestamp })];
  }
  const nodes = [];
  if (entry.userIntent !== '') nodes.push(article({ who: 'You', kind: 'user', text: entry.userIntent, timestamp: entry.timestamp }));
  if (entry.assistantMessage !== '') nodes.push(article({ who: 'Assistant', kind: 'assistant', text: entry.assistantMessage }));
  return nodes;
}

/** Drawn anew when this changes: a second failure is told like the first. */
function stateOf({ status, attempt }) {
  return `${status} ${attempt}`;
}

function article({ who, kind, mark, text, timestamp }) {
  const head = element('header', {}, element('h2', {}, who));
  if (mark) head.append(element('span', { className: 'mark' }, mark));
  if (timestamp !== undefined) {
    head.append(element('time', { dateTime: machineTime(timestamp), title: fullTime(timestamp) }, time(timestamp)));
  }
  return element('article', { className: `message ${kind}` }, head, element('p', { className: 'text', dir: 'auto' }, text));
}

/** What a screen reader is told of a conversation just opened. */
export function openedText(title, total) {
  return `${title}, ${plural(total, 'entry', 'entries')}`;
}
