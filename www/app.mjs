// Puts the demo together: which conversation is on the screen, and what is drawn anew when something changes.
import { MessageId, SessionId, init, openStore } from '/pkg/index.js';
import { Chat } from './chat.mjs';
import { createComposer } from './composer.mjs';
import { ConversationRecords } from './conversation-records.mjs';
import { createDeletionDialog, createInjectionDialog } from './dialogs.mjs';
import { byId, element } from './dom.mjs';
import { createEventLogView } from './event-log-view.mjs';
import { EventLogs } from './event-logs.mjs';
import { plural } from './format.mjs';
import { createPanes } from './panes.mjs';
import { createRequestView } from './request-view.mjs';
import { createSessionsView } from './sessions-view.mjs';
import { SettingsStore } from './settings.mjs';
import { createSettingsDialog } from './settings-dialog.mjs';
import { createStorageView } from './storage-view.mjs';
import { createTranscriptView, openedText } from './transcript-view.mjs';

const DATABASE = 'turnlog-demo';
/** Entries drawn at first, and added at each "Show earlier": a long past costs nothing until it is asked for. */
const PAGE = 100;
const CLOCK_MS = 30_000;
/** A conversation of more entries is taken down when its log is looked at: to open a long log takes longer than a turn should. */
const FOLLOWED = 1_000;

const SUGGESTIONS = ['Hello, my name is Ada.', 'What is my name?', 'What did I say first?'];

export async function start() {
  await init();
  const settings = new SettingsStore();
  const store = await openStore({ name: DATABASE });
  let current = '';
  let records = new ConversationRecords();
  let limit = PAGE;
  let shown = { context: [], sent: 0, stored: 0 };
  let drawing;
  let again = false;
  let announce = false;
  let lost = '';
  /** Messages whose replies have grown since they were drawn. */
  const growing = new Set();

  const chat = new Chat({
    store,
    settings,
    onChange: refresh,
    onText: (messageId) => grow(messageId),
    onLost: ({ sessions }) => {
      const what = sessions === undefined ? 'the conversations' : `about ${plural(sessions, 'conversation', 'conversations')}`;
      lost = `The browser has removed ${what} stored here.`;
      say(lost);
    },
  });
  const logs = new EventLogs(store, () => answeringSide(settings.current));
  const eventLog = createEventLogView({ logs });
  const panes = createPanes();
  const transcript = createTranscriptView({
    onRetry: (messageId) => attempt(async () => {
      if (chat.isAnswering(current)) return;
      composer.setBusy(true);
      composer.focus();
      await chat.retry(messageId);
    }),
    onEdit: (messageId) => composer.fill(chat.discard(messageId)),
    onEarlier: () => {
      limit += PAGE;
      refresh();
    },
  });
  const composer = createComposer({
    onSend: (text) => attempt(async () => {
      composer.setBusy(true);
      await chat.send(current, text);
    }),
    onStop: () => chat.stop(current),
    onInput: showRequest,
  });
  const request = createRequestView();
  const sessionsView = createSessionsView({ onDelete: (session) => deletion.open(session) });
  const storage = createStorageView({ store, name: DATABASE, onRefused: say });
  const settingsDialog = createSettingsDialog({
    settings,
    apply: (wanted) => chat.configure(wanted),
    onSaved: settingsChanged,
  });
  const injection = createInjectionDialog({
    onAdd: (text) => chat.inject(current, text),
  });
  const deletion = createDeletionDialog({
    onDelete: (sessionId) => attempt(async () => {
      await chat.remove(sessionId);
      byId('status').textContent = 'Conversation deleted.';
      if (sessionId === current) open(newSessionId());
      byId('new-session').focus();
      // Last, so that nothing can write it anew from a history that is still there.
      await logs.remove(sessionId);
    }),
  });

  settings.onOtherTab(() => attempt(async () => {
    chat.configure(settings.current);
    settingsChanged();
  }));
  store.subscribe(({ sessionId, kind, local }) => {
    eventLog.changed(sessionId);
    // Of two tabs the one that wrote takes it down, so that the log has it when it happened.
    if (local && kind !== 'clear' && shown.stored < FOLLOWED) guard(() => logs.follow(sessionId));
  });
  byId('open-event-log').addEventListener('click', () => {
    panes.closeOverlays();
    eventLog.open(current);
  });
  byId('open-settings').addEventListener('click', () => settingsDialog.open());
  byId('open-injection').addEventListener('click', () => injection.open());
  byId('new-session').addEventListener('click', () => {
    panes.closeOverlays();
    open(newSessionId());
    composer.focus();
  });
  byId('skip').addEventListener('click', (event) => {
    // The address names the conversation; the link's own fragment would replace it.
    event.preventDefault();
    composer.focus();
  });
  byId('suggestions').append(
    ...SUGGESTIONS.map((text) =>
      element('li', {}, element('button', { type: 'button', className: 'button suggestion', onclick: () => composer.fill(text) }, text)),
    ),
  );
  addEventListener('hashchange', () => attempt(async () => {
    panes.closeOverlays();
    open(sessionInAddress() ?? newSessionId());
    composer.focus();
  }));
  setInterval(() => sessionsView.updateTimes(), CLOCK_MS);

  let first;
  try {
    first = sessionInAddress();
  } catch (error) {
    say(`The address names no conversation: ${error.message}`);
  }
  open(first ?? (await chat.newestSession()) ?? newSessionId(), { replace: true });
  if (lost !== '') say(lost);
  settingsChanged();
  // Until here nothing on the page would have answered.
  for (const part of document.querySelectorAll('[data-until-started]')) part.inert = false;
  composer.focus();

  /** Shows conversation `sessionId`, which need not have been stored yet; the address names it from now on. */
  function open(sessionId, { replace = false } = {}) {
    if (sessionId !== current) {
      say('');
      records = new ConversationRecords();
    }
    current = sessionId;
    limit = PAGE;
    composer.open(sessionId);
    const address = addressOf(sessionId);
    if (replace) history.replaceState(null, '', address);
    else if (location.hash !== address) history.pushState(null, '', address);
    refresh({ opened: true });
  }

  /** One drawing at a time: what changes meanwhile is drawn by one more, which reads everything anew. */
  function refresh(options) {
    announce ||= options?.opened === true;
    again = true;
    drawing ??= guard(async () => {
      while (again) {
        again = false;
        await draw();
      }
    }).finally(() => {
      drawing = undefined;
    });
  }

  async function draw() {
    const session = current;
    const [sessions, conversation] = await Promise.all([chat.sessions(), chat.conversation(session, limit)]);
    // Another conversation was opened meanwhile: its own drawing follows.
    if (session !== current) return;
    const info = sessions.find((candidate) => candidate.id === session);
    // An answer may be stored a moment before its request is over: it is shown once.
    const stored = new Set(conversation.entries.map((entry) => entry.id));
    const unanswered = chat.unanswered(session).filter((item) => !stored.has(item.message.id));
    const total = info?.entries ?? 0;
    const title = info?.title || 'New conversation';
    shown = { context: conversation.context, sent: conversation.sent, stored: total };
    byId('title').textContent = title;
    document.title = `${title} – turnlog demo`;
    sessionsView.render(sessions, session);
    drawConversation({ ...conversation, total, unanswered });
    composer.setBusy(chat.isAnswering(session));
    showRequest();
    if (announce) byId('status').textContent = openedText(title, total);
    announce = false;
    await storage.render(sessions, session);
  }

  function drawConversation({ entries, sent, total, unanswered }) {
    const { ids, entryOf, itemOf, injected } = records.update(entries, unanswered);
    const { state } = records;
    const dropped = ids.filter((id) => entryOf.get(id) < entries.length - sent);
    transcript.render({
      of: records,
      ids,
      read: (id) => state.record(id),
      hidden: total - entries.length,
      firstSent: dropped.length,
      injected,
      failed: new Map([...itemOf].filter(([, { status }]) => status === 'failed')),
    });
  }

  /** A reply has grown: it is drawn at the pace of the screen, however small the pieces are. */
  function grow(messageId) {
    if (growing.size === 0) requestAnimationFrame(drawGrowth);
    growing.add(messageId);
  }

  function drawGrowth() {
    const grown = chat.unanswered(current).filter(({ message }) => growing.has(message.id));
    growing.clear();
    for (const item of grown) {
      const id = records.grow(item);
      if (id !== undefined) transcript.grow(id, records.state.record(id));
    }
  }

  function showRequest() {
    const draft = composer.text.trim() === '' ? '' : composer.text;
    request.render({ ...shown, messages: chat.nextMessages(shown.context, draft), draft, settings: settings.current });
  }

  function settingsChanged() {
    const { answering, model, baseUrl } = settings.current;
    byId('answering').textContent = answering === 'server' ? `${model} at ${new URL(baseUrl).host}` : 'Offline partner';
    refresh();
  }

  /** Something the user asked for: the message about what they did before is done with. */
  function attempt(action) {
    say('');
    return guard(action);
  }

  /** Runs `action`; what goes wrong in it is told to the user and not lost in the console. */
  async function guard(action) {
    try {
      await action();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }

  function say(text) {
    byId('notice').textContent = text;
  }

  // For tests and the curious: the very store and engine that the page uses.
  window.turnlogDemo = {
    store,
    get engine() {
      return chat.engine;
    },
    get sessionId() {
      return current;
    },
  };
}

/** Who answers with these settings, as a log names a model. */
function answeringSide({ answering, baseUrl, model }) {
  return answering === 'server' ? { provider: new URL(baseUrl).host, model } : { provider: 'turnlog-demo', model: 'offline-partner' };
}

function newSessionId() {
  return SessionId(MessageId());
}

function addressOf(sessionId) {
  return `#${encodeURIComponent(sessionId)}`;
}

/** The conversation that the address names, if it names one. */
function sessionInAddress() {
  const name = decodeURIComponent(location.hash.slice(1));
  return name === '' ? undefined : SessionId(name);
}
