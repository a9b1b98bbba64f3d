// A conversation of the history as a transcript: its entries, and the messages on their way, are records of a `HistoryState`.
// Nothing of the page is known here. Of the history only the entries that are shown become records, and of these only what
// changes costs anything.
import { HistoryState } from '/pkg/index.js';

/** The years that a timestamp of the transcript can hold; those of messages may be any number. */
const EARLIEST = Date.parse('0000-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59Z');

/**
 * @typedef {object} Place what stands at one position
 * @property {string} key of what it shows: an entry or message and the side that speaks
 * @property {number} id the record's
 * @property {string} [streamOf] the message whose reply streams in there
 */

export class ConversationRecords {
  #state = new HistoryState();
  /** @type {Place[]} in the order of the state */
  #places = [];
  /** Replies that stream in, by message id: how much of each is in its record. */
  #streamed = new Map();

  /** @returns {import('/pkg/index.js').HistoryState} to read from, and to save */
  get state() {
    return this.#state;
  }

  /**
   * Brings the records to what is shown now.
   * @param {readonly object[]} entries in wire form, oldest first
   * @param {readonly import('./outbox.mjs').OutboxItem[]} unanswered
   * @returns {{ids: number[], entryOf: Map<number, number>, itemOf: Map<number, object>, injected: Set<number>}} the records' ids
   *   in order; which entry (by its index) or message on its way each belongs to; those that were added by hand
   */
  update(entries, unanswered) {
    const wanted = [
      ...entries.flatMap((entry, index) => ofEntry(entry).map((part) => ({ ...part, index }))),
      ...unanswered.flatMap((item) => ofItem(item).map((part) => ({ ...part, item }))),
    ];
    this.#finish(wanted);
    const keys = new Set(wanted.map(({ key }) => key));
    this.#drop(({ key }) => !keys.has(key));
    const placed = new Set(this.#places.map(({ key }) => key));
    wanted.forEach((part, at) => this.#put(part, at, placed));
    const ids = this.#places.map(({ id }) => id);
    const those = (name) => new Map(wanted.flatMap((part, at) => (part[name] === undefined ? [] : [[ids[at], part[name]]])));
    return { ids, entryOf: those('index'), itemOf: those('item'), injected: new Set(those('isInjected').keys()) };
  }

  /**
   * Takes over what has come in of a reply.
   * @returns {number | undefined} the record that has grown; undefined where the message is not shown
   */
  grow({ message, reply }) {
    const before = this.#streamed.get(message.id);
    if (before === undefined || before === reply.length) return undefined;
    return this.#stream(message.id, reply, before);
  }

  /** Replies that are complete become messages. */
  #finish(wanted) {
    for (const { key, replyTo, text } of wanted) {
      if (!this.#streamed.has(replyTo)) continue;
      const { id } = this.#state.finalizeAssistantStream({ stream_id: replyTo, markdown: text });
      this.#streamed.delete(replyTo);
      this.#places = this.#places.filter(({ streamOf }) => streamOf !== replyTo);
      this.#places.push({ key, id });
    }
  }

  #drop(isGone) {
    for (let at = this.#places.length - 1; at >= 0; at -= 1) {
      if (!isGone(this.#places[at])) continue;
      this.#state.remove(at);
      this.#streamed.delete(this.#places[at].streamOf);
      this.#places.splice(at, 1);
    }
  }

  /** What is wanted at a position is there afterwards: it was, or is moved there, or made. */
  #put({ key, record, stream }, at, placed) {
    if (this.#places[at]?.key === key) return;
    if (placed.has(key)) this.#drop((place) => place.key === key);
    if (stream === undefined) {
      this.#places.splice(at, 0, { key, id: this.#state.insert(at, record) });
      return;
    }
    // A stream begins at the end, and no entry stands behind a message on its way.
    const id = this.#stream(stream.message.id, stream.reply, 0);
    this.#places.push({ key, id, streamOf: stream.message.id });
  }

  #stream(stream_id, text, before) {
    this.#streamed.set(stream_id, text.length);
    const delta = { delta: text.slice(before), received_at: new Date().toISOString() };
    return this.#state.upsertAssistantStream({ stream_id, preview_markdown: text, delta });
  }
}

function ofEntry(entry) {
  if (entry.kind === 'injection') {
    return [{ key: `injection ${entry.id}`, record: spoken('assistant', entry.content, entry.timestamp, { label: 'Assistant', badge: 'Added by hand' }), isInjected: true }];
  }
  const parts = [];
  if (entry.userIntent !== '') parts.push({ key: `said ${entry.id}`, record: spoken('user', entry.userIntent, entry.timestamp) });
  if (entry.assistantMessage !== '') parts.push({ key: `reply ${entry.id}`, replyTo: entry.id, text: entry.assistantMessage, record: answered(entry) });
  return parts;
}

function ofItem(item) {
  const { message, text, status } = item;
  const parts = [{ key: `said ${message.id}`, record: spoken('user', text, message.timestamp) }];
  if (status === 'sending') parts.push({ key: `stream ${message.id}`, stream: item });
  return parts;
}

/** A message as it was written, a line each. */
function spoken(role, text, timestamp, header = null) {
  const lines = text.split('\n').map((line) => (line === '' ? { kind: 'blank', spans: [] } : { kind: 'paragraph', spans: [plain(line)] }));
  return { type: 'plain_message', payload: { role, kind: role, header, lines, created_at: rfc3339(timestamp) } };
}

/** An answer has the time of its turn: the history knows no other. */
function answered({ id, assistantMessage, timestamp }) {
  const created_at = rfc3339(timestamp);
  // A message in markdown has to say when it was made.
  if (created_at === undefined) return spoken('assistant', assistantMessage, timestamp);
  return { type: 'assistant_message', payload: { stream_id: id, markdown: assistantMessage, citations: [], metadata: null, token_usage: null, created_at } };
}

function plain(text) {
  return { text, tone: 'default', emphasis: { bold: false, italic: false, dim: false, strike: false, underline: false }, entity: null };
}

function rfc3339(timestamp) {
  return timestamp >= EARLIEST && timestamp <= LATEST ? new Date(timestamp).toISOString() : undefined;
}
