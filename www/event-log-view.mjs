// The dialog that shows the event-sourced log of the conversation: its events with filters, one of them in full, and the
// messages that are derived from them.
import { traceEvents } from '/pkg/index.js';
import { wireClosing } from './dialogs.mjs';
import { byId, element, setChildren } from './dom.mjs';
import { createEventDetail } from './event-detail-view.mjs';
import { createReplaceForm } from './event-replace-form.mjs';
import { KINDS, PLACES, contentText, kindOf, lineOf } from './event-text.mjs';
import { count, fullTime, machineTime, plural, time } from './format.mjs';

/** Rows drawn at first, the newest ones, and added at each "Show earlier"; messages drawn, the newest ones. */
const PAGE = 200;

/**
 * @param {{logs: import('./event-logs.mjs').EventLogs, onReplaced: (id: string) => void}} options `onReplaced` is told the log in
 *   which a summary has taken the place of a range
 */
export function createEventLogView({ logs, onReplaced }) {
  const dialog = byId('event-log');
  const chooser = byId('event-log-of');
  const kinds = byId('event-kind');
  const places = byId('event-place');
  const rows = byId('event-rows');
  const earlier = byId('event-earlier');
  let conversation;
  /** Which of the conversation's logs is shown. */
  let shown;
  let session;
  let traces;
  let selected;
  let limit = PAGE;
  /** Rows by number; they are of one log. */
  let drawn = new Map();
  let loading;
  let again = false;

  const detail = createEventDetail({ onGo: go, onFork: fork });
  const replacing = createReplaceForm({ onReplace: (range) => replace(range), onClosed: () => byId('open-replace').focus() });

  kinds.append(option('', 'All types'), ...Object.entries(KINDS).map(([value, name]) => option(value, name)));
  places.append(option('', 'Everywhere'), ...Object.entries(PLACES).map(([value, name]) => option(value, name)));
  wireClosing(dialog);
  for (const filter of [kinds, places]) {
    filter.addEventListener('change', () => {
      limit = PAGE;
      drawRows();
    });
  }
  chooser.addEventListener('change', () => show(chooser.value));
  earlier.addEventListener('click', showEarlier);
  rows.addEventListener('change', (event) => select(Number(event.target.value)));
  byId('open-replace').addEventListener('click', () => replacing.open(session, selected));

  /** Shows the log of a conversation. */
  function open(sessionId) {
    conversation = sessionId;
    [kinds.value, places.value] = ['', ''];
    dialog.showModal();
    return show(sessionId);
  }

  /** Another log of the same conversation. */
  function show(id) {
    shown = id;
    [session, selected, limit, drawn] = [undefined, undefined, PAGE, new Map()];
    replacing.close();
    return load();
  }

  /** Reads the log anew. One reading at a time: what changes meanwhile is shown by one more. */
  function load() {
    again = true;
    loading ??= readAll();
    return loading;
  }

  async function readAll() {
    try {
      while (again) {
        again = false;
        const [id, of] = [shown, conversation];
        const read = await logs.read(of, id);
        const family = await logs.family(of);
        if (id === shown && of === conversation) draw(read, family);
      }
      problem('');
    } catch (error) {
      problem(error.message);
    } finally {
      loading = undefined;
    }
  }

  function draw(read, family) {
    const before = session?.seq ?? 0;
    session = read;
    // Where events stand does not depend on what they carry, which may be much.
    traces = traceEvents((session?.events ?? []).map((event) => ({ ...event, data: null })));
    const names = family.map(({ id, depth, boundary, createdAt }) => (
      option(id, depth === 0 ? 'This conversation' : `${'\u2003'.repeat(depth - 1)}↳ Fork at event ${boundary}, ${time(createdAt)}`)
    ));
    setChildren(chooser, names.length > 0 ? names : [option(conversation, 'This conversation')]);
    chooser.value = shown;
    // What is new is looked at, unless somebody looks at something else.
    if (session !== undefined && (selected === undefined || selected === before - 1)) selected = session.seq - 1;
    byId('open-replace').disabled = session === undefined || session.surface.nodes.length === 0;
    replacing.refresh(session);
    drawRows();
    drawMessages();
    drawDetail();
  }

  function drawRows() {
    const events = (session?.events ?? []).filter(({ type, seq }) => (
      (kinds.value === '' || kindOf(type) === kinds.value) && (places.value === '' || traces.placement(seq) === places.value)
    ));
    const visible = events.slice(-limit);
    const nodes = visible.map((event) => {
      if (!drawn.has(event.seq)) drawn.set(event.seq, createRow(event));
      const row = drawn.get(event.seq);
      row.place(traces.placement(event.seq));
      row.input.checked = event.seq === selected;
      return row.element;
    });
    earlier.hidden = visible.length === events.length;
    earlier.textContent = `Show earlier (${count(events.length - visible.length)} more)`;
    const hadFocus = rows.contains(document.activeElement);
    setChildren(rows, nodes);
    if (hadFocus && !rows.contains(document.activeElement)) rows.focus();
    byId('event-count').textContent = session === undefined
      ? 'Nothing was said in this conversation yet.'
      : `${count(events.length)} of ${plural(session.seq, 'event', 'events')}`;
    drawn.get(selected)?.element.scrollIntoView({ block: 'nearest' });
  }

  function drawMessages() {
    const spoken = (session?.surface.nodes ?? []).flatMap((seq) => {
      const message = session.deriveEventMessage(session.events[seq]);
      return message === null ? [] : [[seq, message]];
    });
    const isCut = spoken.length > PAGE;
    byId('derived-count').textContent = `${plural(spoken.length, 'message', 'messages')}${isCut ? `, the newest ${count(PAGE)} shown` : ''}`;
    setChildren(byId('derived'), spoken.slice(-PAGE).map(([seq, { role, content }]) => element(
      'li',
      { className: `request-message ${role}`, 'data-seq': String(seq) },
      element(
        'div',
        { className: 'request-head' },
        element('span', { className: 'role' }, String(role)),
        element('button', { type: 'button', className: 'seq-link', 'aria-label': `Event ${seq}`, onclick: () => go(seq) }, `#${seq}`),
      ),
      element('p', { className: 'request-text', dir: 'auto' }, contentText(content)),
    )));
    markMessage();
  }

  function markMessage() {
    for (const item of byId('derived').children) item.classList.toggle('draft', Number(item.dataset.seq) === selected);
  }

  function drawDetail() {
    detail.render(selected === undefined ? undefined : session?.events[selected], selected === undefined ? undefined : traces.trace(selected));
  }

  function select(seq) {
    selected = seq;
    drawDetail();
    markMessage();
  }

  /** Selects an event and brings it into view, whatever the filters and however early it is. */
  function go(seq) {
    selected = seq;
    [kinds.value, places.value] = ['', ''];
    limit = Math.max(limit, session.seq - seq);
    drawRows();
    drawDetail();
    markMessage();
    drawn.get(seq).input.focus();
  }

  function showEarlier() {
    limit += PAGE;
    drawRows();
    rows.querySelector('input').focus();
  }

  async function fork(boundary) {
    try {
      await show(await logs.fork(shown, boundary));
      tell(`Forked at event ${boundary}. The fork is shown.`);
      chooser.focus();
    } catch (error) {
      problem(error.message);
    }
  }

  /** @returns {Promise<string>} what is wrong, '' when it is done */
  async function replace(range) {
    try {
      const id = shown;
      selected = await logs.replace(id, range);
      onReplaced(id);
      await load();
      tell(`Replaced. The summary is event ${selected}.`);
      return '';
    } catch (error) {
      return error.message;
    }
  }

  function problem(text) {
    byId('event-problem').textContent = text;
  }

  function tell(text) {
    byId('event-status').textContent = text;
  }

  return {
    open,
    /** What was recorded of a conversation is shown, if that one is on the screen. */
    changed(sessionId) {
      if (dialog.open && sessionId === conversation) load();
    },
    get session() {
      return session;
    },
  };
}

function option(value, name) {
  return element('option', { value }, name);
}

function createRow(event) {
  const { seq, type } = event;
  const input = element('input', { type: 'radio', name: 'event', value: String(seq), className: 'visually-hidden' });
  const place = element('span', { className: 'place' });
  const row = element(
    'label',
    { className: 'event' },
    input,
    element(
      'span',
      { className: 'event-head' },
      element('span', { className: 'seq' }, `#${seq}`),
      element('span', { className: 'type' }, String(type)),
      place,
      element('time', { dateTime: machineTime(event.time), title: fullTime(event.time) }, time(event.time)),
    ),
    element('span', { className: 'event-line', dir: 'auto' }, lineOf(event)),
  );
  return {
    element: row,
    input,
    place(placement) {
      place.textContent = PLACES[placement].toLowerCase();
      row.dataset.place = placement;
    },
  };
}
