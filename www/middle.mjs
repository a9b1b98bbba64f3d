// What the middle of the page shows: a conversation of the history, a session that was played from a recording, or a file. Each
// is a transcript; only a conversation can be written to.
import { ConversationRecords } from './conversation-records.mjs';
import { byId } from './dom.mjs';
import { recordOfEvent } from './event-records.mjs';
import { FollowedRecords } from './followed-records.mjs';
import { isRecording } from './recordings.mjs';
import { createTranscriptView } from './transcript-view.mjs';

/** How many pages of a conversation one of a file is: it is opened to be read. */
const FILE_PAGES = 10;

const ABOUT_RECORDING = 'An event log that is played into this browser, drawn as it grows. It stays, and can only be read.';
const ABOUT_FILE = 'Opened from a file, to be read. Nothing of it is stored here.';

/**
 * @param {{chat: import('./chat.mjs').Chat, recordings: import('./recordings.mjs').Recordings, onClose: () => void,
 *   onRetry: (messageId: string) => void, onEdit: (messageId: string) => void, onEarlier: () => void}} options
 */
export function createMiddle({ chat, recordings, onClose, ...handlers }) {
  const view = createTranscriptView(handlers);
  let id = '';
  let limit = 0;
  let conversation = new ConversationRecords();
  /** What was drawn of the conversation last: how many entries, how many of them are sent, and which entry each record is of. */
  let drawn = { count: 0, sent: 0, entryOf: new Map() };
  /** @type {FollowedRecords | undefined} the recording's, once it is read */
  let followed;
  /** @type {import('/pkg/index.js').Session | undefined} the recording itself, with `followed` */
  let session;
  /** @type {{name: string, state: import('/pkg/index.js').HistoryState, records: object[], startsAtEnd: false} | undefined} */
  let file;
  /** Messages whose replies have grown since they were drawn. */
  const growing = new Set();

  byId('close-reading').addEventListener('click', onClose);

  /** The conversation or recording of this id is shown from now on. */
  function show(sessionId) {
    if (sessionId !== id) conversation = new ConversationRecords();
    [id, file] = [sessionId, undefined];
    forget();
    showForm();
  }

  /** What is shown of a recording is read anew when it is drawn next. */
  function forget() {
    [followed, session] = [undefined, undefined];
  }

  /** A file is shown until something else is. */
  function showFile(name, { state, records }) {
    file = { name, state, records, startsAtEnd: false };
    showForm();
  }

  function showForm() {
    const isReading = file !== undefined || isRecording(id);
    byId('composer').hidden = isReading;
    byId('reading').hidden = !isReading;
    byId('reading-about').textContent = file === undefined ? ABOUT_RECORDING : ABOUT_FILE;
    byId('close-reading').hidden = file === undefined;
    byId('open-event-log').disabled = file !== undefined;
  }

  /** Reads what has to be read before it can be drawn. */
  async function load() {
    if (file !== undefined || followed !== undefined || !isRecording(id)) return;
    const of = id;
    const read = await recordings.read(of);
    if (of !== id || followed !== undefined) return;
    followed = new FollowedRecords(read.state);
    session = read.session;
  }

  /** @param {{limit: number, entries: readonly object[], sent: number, total: number, unanswered: readonly object[]}} state of a conversation */
  function draw(state) {
    limit = state.limit;
    if (file !== undefined) drawFile(file);
    else if (followed !== undefined) drawFollowed();
    else drawConversation(state);
  }

  /** A file is read from its beginning, as far as it fits into the first page. */
  function drawFile({ records }) {
    const hidden = Math.max(0, records.length - limit * FILE_PAGES);
    const ids = Array.from({ length: records.length - hidden }, (_, at) => hidden + at);
    view.render({ of: file, ids, read: (at) => records[at], hidden });
  }

  function drawFollowed() {
    view.render({ of: followed, ...followed.update(limit) });
  }

  function drawConversation({ entries, sent, total, unanswered }) {
    const { ids, entryOf, itemOf, injected } = conversation.update(entries, unanswered);
    const { state } = conversation;
    drawn = { count: entries.length, sent, entryOf };
    const notSent = ids.filter((record) => entryOf.get(record) < entries.length - sent);
    view.render({
      of: conversation,
      ids,
      read: (record) => state.record(record),
      hidden: total - entries.length,
      firstSent: notSent.length,
      injected,
      failed: new Map([...itemOf].filter(([, { status }]) => status === 'failed')),
    });
  }

  /** An event was appended to a recording. */
  function played(sessionId) {
    if (sessionId === id && file === undefined && followed !== undefined) drawFollowed();
  }

  /**
   * Where something stands in the transcript.
   * @param {number} place of a conversation the number of an entry among those that are sent, of a recording that of an event
   * @returns {{depth: number, reveal: () => boolean} | undefined} `depth` is how far from the end, in entries of a conversation
   *   and in records of a recording, as `limit` counts; `reveal` brings it into view and is false where it is not on the screen.
   *   Undefined where it is nowhere
   */
  function find(place) {
    return session === undefined ? findEntry(drawn.sent - place) : findRecord(recordOfEvent(session.events, place));
  }

  function findEntry(depth) {
    const reveal = () => {
      const [record] = [...drawn.entryOf].find(([, index]) => index === drawn.count - depth) ?? [];
      return view.reveal(record);
    };
    return { depth, reveal };
  }

  function findRecord(record) {
    const { state } = followed;
    for (let at = state.length - 1; at >= 0; at -= 1) {
      if (state.get(at).id === record) return { depth: state.length - at, reveal: () => view.reveal(record) };
    }
    return undefined;
  }

  /** A reply has grown: it is drawn at the pace of the screen, however small the pieces are. */
  function grow(messageId) {
    if (growing.size === 0) requestAnimationFrame(drawGrowth);
    growing.add(messageId);
  }

  function drawGrowth() {
    const grown = chat.unanswered(id).filter(({ message }) => growing.has(message.id));
    growing.clear();
    for (const item of grown) {
      const record = conversation.grow(item);
      if (record !== undefined && file === undefined) view.grow(record, conversation.state.record(record));
    }
  }

  /** All of what is shown as a snapshot in the document's form. @param {number} total how many entries the conversation has */
  async function text(total) {
    const state = file?.state ?? followed?.state;
    if (state !== undefined) return state.snapshotText();
    const whole = new ConversationRecords();
    whole.update((await chat.conversation(id, Math.max(total, 1))).entries, []);
    return whole.state.snapshotText();
  }

  return {
    show,
    showFile,
    load,
    draw,
    played,
    grow,
    text,
    forget,
    find,
    get file() {
      return file;
    },
    /** The recording that is shown; undefined for what is none, and until it is read. */
    get session() {
      return file === undefined ? session : undefined;
    },
    /** How many records there are of what can only be read; undefined for a conversation. */
    get records() {
      return file?.records.length ?? followed?.state.length;
    },
  };
}
