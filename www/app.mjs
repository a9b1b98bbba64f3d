// Puts the demo together: which conversation is on the screen, and what is drawn anew when something changes.
import { MessageId, SessionId, createSessionStore, init, openStore } from '/pkg/index.js';
import { Chat } from './chat.mjs';
import { createComposer } from './composer.mjs';
import { createDeletionDialog, createInjectionDialog } from './dialogs.mjs';
import { byId, element } from './dom.mjs';
import { createEventLogView } from './event-log-view.mjs';
import { EventLogs } from './event-logs.mjs';
import { plural } from './format.mjs';
import { createMiddle } from './middle.mjs';
import { createPanes } from './panes.mjs';
import { Recordings } from './recordings.mjs';
import { createRequestPanel } from './request-panel.mjs';
import { conversationSubject, sessionSubject } from './request-subjects.mjs';
import { createSessionsView } from './sessions-view.mjs';
import { SettingsStore } from './settings.mjs';
import { createSettingsDialog } from './settings-dialog.mjs';
import { createStorageView } from './storage-view.mjs';
import { createTranscriptFiles, readTranscript, saveFile } from './transcript-files.mjs';

const DATABASE = 'turnlog-demo';
/** Entries drawn at first, and added at each "Show earlier": a long past costs nothing until it is asked for. */
const PAGE = 100;
const CLOCK_MS = 30_000;
/** A conversation of more entries is taken down when its log is looked at: to open a long log takes longer than a turn should. */
const FOLLOWED = 1_000;

const SUGGESTIONS = ['Hello, my name is Ada.', 'What is my name?', 'What did I say first?'];

/** What a conversation that nothing is read of yet has to do with the next request. */
const NOTHING_SENT = Object.freeze({ context: [], sentEntries: [], sent: 0, stored: 0 });
/** A transcript with records of all types. */
const SAMPLE = 'samples/every-record.json';

export async function start() {
  await init();
  const settings = new SettingsStore();
  const store = await openStore({ name: DATABASE });
  let current = '';
  let limit = PAGE;
  let shown = NOTHING_SENT;
  let drawing;
  let again = false;
  let announce = false;
  let lost = '';

  const chat = new Chat({
    store,
    settings,
    onChange: refresh,
    onText: (messageId) => middle.grow(messageId),
    onLost: ({ sessions }) => {
      const what = sessions === undefined ? 'the conversations' : `about ${plural(sessions, 'conversation', 'conversations')}`;
      lost = `The browser has removed ${what} stored here.`;
      say(lost);
    },
  });
  const sessionStore = createSessionStore({ storage: store });
  const logs = new EventLogs({ store, sessions: sessionStore, provenance: () => answeringSide(settings.current) });
  const recordings = new Recordings({
    storage: store,
    sessions: sessionStore,
    readLog: (id) => logs.read(id),
    onEvent: (id) => {
      middle.played(id);
      if (id === current) showRequest();
    },
  });
  const eventLog = createEventLogView({
    logs,
    onReplaced: (id) => {
      if (id !== current) return;
      middle.forget();
      refresh();
    },
  });
  const request = createRequestPanel();
  const panes = createPanes({
    onOpen: (pane) => {
      if (pane === 'request-pane') request.draw();
    },
  });
  const middle = createMiddle({
    chat,
    recordings,
    onClose: () => {
      open(current);
      focusMiddle();
    },
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
      await recordings.stop(sessionId);
      await chat.remove(sessionId);
      byId('status').textContent = 'Conversation deleted.';
      if (sessionId === current) open(newSessionId());
      byId('new-session').focus();
      // Last, so that nothing can write it anew from a history that is still there.
      await logs.remove(sessionId);
      // A recording is its log, and listed as long as that is there.
      refresh();
    }),
  });

  createTranscriptFiles({
    onOpen: ({ name, bytes }) => attempt(async () => openFile(name, bytes)),
    onSave: () => attempt(async () => saveFile(byId('title').textContent, await middle.text(shown.stored))),
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
    focusMiddle();
  });
  const suggestion = (text, onclick) => element('li', {}, element('button', { type: 'button', className: 'button suggestion', onclick }, text));
  byId('suggestions').append(
    ...SUGGESTIONS.map((text) => suggestion(text, () => composer.fill(text))),
    suggestion('Watch an agent at work', () => attempt(play)),
    suggestion('Look at every kind of record', () => attempt(openSample)),
  );
  addEventListener('hashchange', () => attempt(async () => {
    panes.closeOverlays();
    open(sessionInAddress() ?? newSessionId());
    focusMiddle();
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
  focusMiddle();

  /** Shows conversation `sessionId`, which need not have been stored yet; the address names it from now on. */
  function open(sessionId, { replace = false } = {}) {
    if (sessionId !== current) say('');
    current = sessionId;
    middle.show(sessionId);
    limit = PAGE;
    composer.open(sessionId);
    const address = addressOf(sessionId);
    if (replace) history.replaceState(null, '', address);
    else if (location.hash !== address) history.pushState(null, '', address);
    refresh({ opened: true });
  }

  /** Shows a transcript from a file. The address names nothing then, so that the way back is that of the browser. */
  function openFile(name, bytes) {
    let transcript;
    try {
      transcript = readTranscript(bytes);
    } catch (error) {
      throw new Error(`“${name}” cannot be shown: ${error.message} (${error.code ?? error.name})`, { cause: error });
    }
    panes.closeOverlays();
    middle.showFile(name, transcript);
    if (location.hash !== '') history.pushState(null, '', location.pathname);
    refresh({ opened: true });
    focusMiddle();
  }

  async function openSample() {
    const response = await fetch(SAMPLE);
    if (!response.ok) throw new Error(`The sample cannot be read: ${response.status}.`);
    openFile('Every kind of record', new Uint8Array(await response.arrayBuffer()));
  }

  /** Plays the recorded agent into a session of its own, which is shown meanwhile. */
  async function play() {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const { id, done } = recordings.play(isStill ? 0 : 1);
    open(SessionId(id));
    focusMiddle();
    await done;
    refresh();
  }

  /** Where the keyboard goes: the field, or what can only be read. */
  function focusMiddle() {
    if (byId('composer').hidden) byId('scroller').focus();
    else composer.focus();
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
    const [session, file] = [current, middle.file];
    // Looked at before the store is read: what is answered meanwhile is in one of the two, and is never missing from both.
    const waiting = chat.unanswered(session);
    const [talks, conversation] = await Promise.all([chat.sessions(), chat.conversation(session, limit)]);
    const sessions = newestFirst(talks, await recordings.list());
    await guard(() => middle.load());
    // Something else was opened meanwhile: its own drawing follows.
    if (session !== current || file !== middle.file) return;
    const info = sessions.find((candidate) => candidate.id === session);
    // An answer may be stored a moment before its request is over: it is shown once.
    const stored = new Set(conversation.entries.map((entry) => entry.id));
    const unanswered = waiting.filter((item) => !stored.has(item.message.id));
    const total = info?.entries ?? 0;
    const title = file?.name ?? (info?.title || 'New conversation');
    shown = file === undefined ? { ...conversation, stored: total } : NOTHING_SENT;
    byId('title').textContent = title;
    document.title = `${title} – turnlog demo`;
    sessionsView.render(sessions, file === undefined ? session : '');
    middle.draw({ ...conversation, limit, total, unanswered });
    composer.setBusy(chat.isAnswering(session) || unanswered.some(({ status }) => status === 'sending'));
    showRequest();
    if (announce) byId('status').textContent = `${title}, ${middle.records === undefined ? plural(total, 'entry', 'entries') : plural(middle.records, 'record', 'records')}`;
    announce = false;
    await storage.render(talks, session);
  }

  function showRequest() {
    request.show(nextRequest);
  }

  /** What the next request is made of; undefined where nothing is sent. */
  function nextRequest() {
    if (middle.file !== undefined) return undefined;
    if (middle.session !== undefined) return sessionSubject(middle.session, { onGo: reveal });
    const draft = composer.text.trim() === '' ? '' : composer.text;
    const messages = chat.nextMessages(shown.context, draft);
    return conversationSubject({ ...shown, messages, draft, settings: settings.current }, { onGo: reveal, onDraft: focusDraft });
  }

  /** Brings what a report of the request names into view, drawing earlier ones where that is needed. */
  async function reveal(place) {
    panes.closeOverlays();
    const found = middle.find(place);
    if (found?.depth > limit) {
      limit = found.depth;
      refresh();
      await drawing;
    }
    if (!found?.reveal()) byId('status').textContent = 'This is not shown in the transcript.';
  }

  function focusDraft() {
    panes.closeOverlays();
    composer.focus();
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

/** Conversations, which are in order, and recordings in one list. */
function newestFirst(talks, recorded) {
  return recorded.length === 0 ? talks : [...talks, ...recorded].sort((a, b) => b.lastActivity - a.lastActivity);
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
