// Change notices of one store: to this page's listeners after the write is durable, and to other tabs
// as a hint. Notices make things fresh, never correct: a reader always asks the store.
//
// Posting costs as much as a fifth of an append (measured), so to other tabs the first notice goes at once and those that
// follow it closely go together.

import { mark } from './mark.js';
import { watchPage } from './page-life.js';
import { writeNote } from './page-storage.js';

/** How long notices for other tabs are gathered. */
const GATHER_MS = 20;

export class Changes {
  #listeners = new Set();
  #channel;
  #waiting = [];
  #timer;
  #unwatch;
  #noteKey;
  #onStorage;

  /** `channelName`: where other tabs with the same database listen; none for a store of this page alone. */
  constructor(channelName) {
    if (channelName === undefined) return;
    if (typeof BroadcastChannel !== 'function') return this.#useStorageEvents(`${channelName}:change`);
    this.#channel = new BroadcastChannel(channelName);
    // In Node a channel would keep the process alive.
    this.#channel.unref?.();
    this.#channel.onmessage = ({ data }) => {
      for (const change of data) this.#deliver({ ...change, local: false });
    };
    // Nobody else would tell of what was written before the page was left.
    this.#unwatch = watchPage({ sleep: () => this.#send() });
  }

  /** Calls `listener` for each change; the function given back ends that. */
  subscribe(listener) {
    const own = (change) => listener(change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  publish(sessionId, kind) {
    if (this.#channel !== undefined) {
      this.#waiting.push({ sessionId, kind });
      this.#timer ??= this.#sendAndGather();
    }
    if (this.#noteKey !== undefined) writeNote(this.#noteKey, JSON.stringify({ sessionId, kind, at: mark() }));
    // Not before the caller's own continuation could run: listeners come in after the call is over.
    if (this.#listeners.size > 0) queueMicrotask(() => this.#deliver({ sessionId, kind, local: true }));
  }

  close() {
    this.#listeners.clear();
    this.#unwatch?.();
    clearTimeout(this.#timer);
    this.#send();
    this.#channel?.close();
    this.#channel = undefined;
    if (this.#onStorage !== undefined) globalThis.removeEventListener('storage', this.#onStorage);
    this.#noteKey = undefined;
  }

  #send() {
    if (this.#waiting.length > 0) this.#channel?.postMessage(this.#waiting.splice(0));
  }

  #sendAndGather() {
    this.#send();
    return setTimeout(() => {
      this.#timer = this.#waiting.length > 0 ? this.#sendAndGather() : undefined;
    }, GATHER_MS);
  }

  /** Slower, and between pages only: a note in localStorage that other pages are told of. */
  #useStorageEvents(key) {
    if (globalThis.document === undefined) return;
    this.#noteKey = key;
    this.#onStorage = (event) => {
      if (event.key !== key || event.newValue === null) return;
      const { sessionId, kind } = JSON.parse(event.newValue);
      this.#deliver({ sessionId, kind, local: false });
    };
    globalThis.addEventListener('storage', this.#onStorage);
  }

  /** Tells this store's listeners of a change that was heard of elsewhere. */
  tell(change) {
    this.#deliver(change);
  }

  #deliver(change) {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        // One listener's failure is its own: reported as an uncaught error, the others go on.
        setTimeout(() => {
          throw error;
        });
      }
    }
  }
}
