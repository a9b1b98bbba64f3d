// Change notices of one store: to this page's listeners after the write is durable, and to other tabs
// as a hint. Notices make things fresh, never correct: a reader always asks the store.

export class Changes {
  #listeners = new Set();
  #channel;

  /** `channelName`: where other tabs with the same database listen; none for a store of this page alone. */
  constructor(channelName) {
    if (channelName === undefined || typeof BroadcastChannel !== 'function') return;
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
    // Not before the caller's own continuation could run: listeners come in after the call is over.
    if (this.#listeners.size > 0) queueMicrotask(() => this.#deliver({ sessionId, kind, local: true }));
  }

  close() {
    this.#listeners.clear();
    this.#channel?.close();
    this.#channel = undefined;
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
