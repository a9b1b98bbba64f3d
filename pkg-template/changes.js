// Change notices of one store: to this page's listeners after the write is durable, and to other tabs
// as a hint. Notices make things fresh, never correct: a reader always asks the store.

import { mark } from './mark.js';
import { writeNote } from './page-storage.js';

export class Changes {
  #listeners = new Set();
  #channel;
  #noteKey;
  #onStorage;

  /** `channelName`: where other tabs with the same database listen; none for a store of this page alone. */
  constructor(channelName) {
    if (channelName === undefined) return;
    if (typeof BroadcastChannel !== 'function') return this.#useStorageEvents(`${channelName}:change`);
    this.#channel = new BroadcastChannel(channelName);
    // In Node a channel would keep the process alive.
    this.#channel.unref?.();
    this.#channel.onmessage = ({ data }) => this.#deliver({ ...data, local: false });
  }

  /** Calls `listener` for each change; the function given back ends that. */
  subscribe(listener) {
    const own = (change) => listener(change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  publish(sessionId, kind) {
    this.#channel?.postMessage({ sessionId, kind });
    if (this.#noteKey !== undefined) writeNote(this.#noteKey, JSON.stringify({ sessionId, kind, at: mark() }));
    // Not before the caller's own continuation could run: listeners come in after the call is over.
    if (this.#listeners.size > 0) queueMicrotask(() => this.#deliver({ sessionId, kind, local: true }));
  }

  close() {
    this.#listeners.clear();
    this.#channel?.close();
    this.#channel = undefined;
    if (this.#onStorage !== undefined) globalThis.removeEventListener('storage', this.#onStorage);
    this.#noteKey = undefined;
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
