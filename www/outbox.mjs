// Messages that have no stored answer yet, being answered or failed. They are kept in sessionStorage until their
// turn is in the history, so that a reload in the middle of a reply loses nothing the user typed, and they keep
// their message id, so that sending one again can never record it twice.
import { ChartRequestMessage, deriveUserIntent } from '/pkg/index.js';

const STORAGE_KEY = 'turnlog-demo.outbox';

/**
 * @typedef {object} OutboxItem
 * @property {import('/pkg/index.js').ChartRequestMessage} message
 * @property {string} text what the user typed
 * @property {string} reply as much of the reply as has arrived
 * @property {'sending' | 'failed'} status
 * @property {number} attempt how often it has been sent
 * @property {string} problem why it failed, '' before
 * @property {AbortController | undefined} controller stops the request while it runs
 */

export class Outbox {
  /** @type {Map<string, OutboxItem>} by message id, oldest first */
  #items = new Map();

  constructor() {
    for (const saved of read()) {
      const item = newItem(messageFrom(saved), 'failed');
      item.problem = 'The page was left before the answer was complete.';
      this.#items.set(item.message.id, item);
    }
  }

  /** A new message, under an id that it keeps however often it is sent. */
  add(sessionId, text) {
    const item = newItem(messageFrom({ sessionId, text }), 'sending');
    this.#items.set(item.message.id, item);
    this.#save();
    return item;
  }

  get(messageId) {
    return this.#items.get(messageId);
  }

  /** What stands open in one session, oldest first. */
  ofSession(sessionId) {
    return [...this.#items.values()].filter((item) => item.message.sessionId === sessionId);
  }

  remove(messageId) {
    if (this.#items.delete(messageId)) this.#save();
  }

  #save() {
    const items = [...this.#items.values()].map(({ message: { id, sessionId, timestamp }, text }) => ({ id, sessionId, timestamp, text }));
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(items));
  }
}

function messageFrom({ id, sessionId, timestamp, text }) {
  const fields = { sessionId, reasons: [{ kind: 'user_intent', text }] };
  if (id !== undefined) fields.id = id;
  if (timestamp !== undefined) fields.timestamp = timestamp;
  return ChartRequestMessage(fields);
}

function newItem(message, status) {
  return { message, text: deriveUserIntent(message), reply: '', status, attempt: 0, problem: '', controller: undefined };
}

function read() {
  try {
    const items = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
    return items.filter((item) => typeof item?.id === 'string' && typeof item.sessionId === 'string' && typeof item.text === 'string');
  } catch (error) {
    console.warn('The list of unanswered messages cannot be read and is left aside.', error);
    return [];
  }
}
