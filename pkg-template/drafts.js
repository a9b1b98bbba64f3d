// Replies that stream in, kept while they do: what was written within a window of time is stored with one put, under a
// key of its own, so that each byte is written once.
//
// A draft is kept in parts, each named `[session, message, ref, started, at]`: `ref` is the draft's alone, `at` are the
// epoch milliseconds when the part was written or, where that is taken, a little more. The first part's is `started`.
// A draft without its first part was removed or replaced while another tab still wrote it. Where parts are kept is a
// *place*, with `put(part, text)`, which replaces a part of that name, `keep(part, text)`, which is the same at once
// for a page that ends, `read(session)`, which gives `[part, text]` of each, and `remove(session, message?)`.

import { StoreError } from './glue.js';
import { refuse } from './options.js';
import { watchPage } from './page-life.js';

/** How many ms after a failure the same is tried again, at least. */
const RETRY_MS = 100;

export class Drafts {
  #place;
  #store;
  /** The streams that have not ended. */
  #open = new Set();
  #unwatch;
  #isClosed = false;

  /** `store` knows the entries that end a draft. */
  constructor(place, store) {
    this.#place = place;
    this.#store = store;
  }

  begin(session, message, window) {
    if (this.#isClosed) throw closed('the store was closed');
    this.#finish(session, message);
    const stream = new Stream(this.#place, session, message, window);
    this.#open.add(stream);
    this.#unwatch ??= watchPage({ sleep: () => this.#open.forEach((open) => open.leave()) });
    return {
      write: (text) => stream.write(text),
      flush: () => stream.flush(),
      discard: async () => {
        // A later draft of the message is not this one's to remove.
        if (this.#of(session, message).every((open) => open === stream)) await this.remove(session, message);
      },
      get text() {
        return stream.text;
      },
    };
  }

  /** The session's unfinished streams, as far as they are stored, oldest first. */
  async list(session) {
    const drafts = new Map();
    const parts = await this.#place.read(session);
    parts.sort(([[, , , a, b]], [[, , , c, d]]) => a - c || b - d);
    for (const [[, message, ref, started, at], text] of parts) {
      if (!drafts.has(ref)) drafts.set(ref, { message, started, texts: new Map() });
      drafts.get(ref).texts.set(at, text);
    }
    const list = [];
    for (const { message, started, texts } of drafts.values()) {
      // Asked after the drafts were read: an entry that came in between has ended its draft.
      if (await this.#store.has(session, message)) await this.#sweep(session, message);
      else if (texts.has(started)) {
        list.push({ messageId: message, text: [...texts.values()].join(''), updated: [...texts.keys()].at(-1) });
      }
    }
    return list;
  }

  /** The entry of that id is stored. */
  ended(session, message) {
    if (this.#of(session, message).length > 0) this.#sweep(session, message);
  }

  /** Removes the drafts of a session, or the one of a message. */
  async remove(...of) {
    // A part that is being written must not come after.
    await Promise.all(this.#finish(...of));
    await this.#place.remove(...of);
  }

  /** Stores what is not, and calls `then`: at once where all is stored. */
  close(then) {
    this.#isClosed = true;
    this.#unwatch?.();
    const saving = Array.from(this.#open, (stream) => stream.close()).filter(Boolean);
    return saving.length > 0 ? Promise.all(saving).finally(then) : then();
  }

  #of(session, message) {
    return [...this.#open].filter((stream) => stream.isOf(session, message));
  }

  #finish(...of) {
    return this.#of(...of).map((stream) => {
      this.#open.delete(stream);
      return stream.finish();
    });
  }

  /** What cannot be removed now is not listed, and found again by the next list. */
  #sweep(...of) {
    return this.remove(...of).catch(() => {});
  }
}

class Stream {
  text = '';
  #place;
  #draft;
  #window;
  #isOver = false;
  /** How much of the text is stored. */
  #saved = 0;
  /** The time of the last part, and of the next one once that is settled. */
  #last = 0;
  #at;
  #due;
  #timer;
  #saving;

  constructor(place, session, message, window) {
    this.#place = place;
    this.#draft = [session, message, Math.random()];
    this.#window = window;
  }

  isOf(session, message = this.#draft[1]) {
    return session === this.#draft[0] && message === this.#draft[1];
  }

  get #isSaved() {
    return this.#saved >= this.text.length;
  }

  write(text) {
    if (typeof text !== 'string') refuse('text', 'must be a string');
    if (this.#isOver) throw closed('the draft has ended');
    this.text += text;
    this.#plan();
  }

  async flush() {
    const { length } = this.text;
    while (this.#saved < length) await this.#save();
  }

  /** Nothing more is to be stored. Resolves when nothing is being written. */
  finish() {
    this.#saved = Infinity;
    this.#stop();
    return this.#saving?.catch(() => {});
  }

  close() {
    const flushed = this.#isSaved ? undefined : this.flush();
    this.#stop();
    return flushed;
  }

  /** The page may be ending. */
  leave() {
    if (this.#isSaved) return;
    try {
      this.#place.keep(...this.#rest());
    } catch {
      // No room: no more than a window is lost with the page.
    }
  }

  #stop() {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Saves after the window. A write saves by itself when it is time: timers of hidden pages may be a minute late. */
  #plan() {
    if (this.#isSaved || this.#isOver) return;
    const now = performance.now();
    this.#due ??= now + this.#window;
    if (this.#saving !== undefined) return;
    // What fails stays for the next one, and so for whoever waits for that.
    const save = () => this.#save().catch(() => {});
    if (now >= this.#due) save();
    else this.#timer ??= setTimeout(save, this.#due - now);
  }

  #save() {
    return (this.#saving ??= this.#put());
  }

  async #put() {
    clearTimeout(this.#timer);
    this.#timer = this.#due = undefined;
    const { length } = this.text;
    try {
      await this.#place.put(...this.#rest());
      this.#saved = Math.max(this.#saved, length);
      this.#last = this.#at;
      this.#at = undefined;
    } catch (error) {
      this.#due = performance.now() + Math.max(this.#window, RETRY_MS);
      throw error;
    } finally {
      this.#saving = undefined;
      this.#plan();
    }
  }

  /** What is not stored yet, as a part. Its name stays until it is, so that more of it replaces less. */
  #rest() {
    this.#at ??= Math.max(Date.now(), this.#last + 1);
    this.#draft[3] ??= this.#at;
    return [[...this.#draft, this.#at], this.text.slice(this.#saved)];
  }
}

const closed = (message) => new StoreError('closed', message);
