// The conversations themselves: the engine, its store, and the messages on their way. Nothing of the page is
// known here; the page learns of changes through `onChange` and `onText`.
import { AssistantInjectionMessage, createEngine, defaultLLMContext, toSessionHistoryEntry } from '/pkg/index.js';
import { Outbox } from './outbox.mjs';
import { createPlanner, nextMessages } from './planners.mjs';
import { historyBounds } from './settings.mjs';

const TITLE_LENGTH = 48;

export class Chat {
  #settings;
  #onChange;
  #onLost;
  #outbox = new Outbox();
  #titles = new Map();
  #planner;

  /**
   * @param {{store: import('/pkg/index.js').LocalStore, settings: import('./settings.mjs').SettingsStore,
   *   onChange: (sessionId: string) => void, onText: (messageId: string) => void,
   *   onLost: (eviction: import('/pkg/index.js').Eviction) => void}} options
   */
  constructor({ store, settings, onChange, onText, onLost }) {
    this.store = store;
    this.#settings = settings;
    this.#onChange = onChange;
    this.#onLost = onLost;
    this.#planner = createPlanner(settings, (messageId, delta) => {
      const item = this.#outbox.get(messageId);
      if (item) item.reply += delta;
      onText(messageId);
    });
    this.engine = this.#createEngine(settings.current);
    store.subscribe(({ sessionId, kind }) => {
      if (kind !== 'append') this.#titles.delete(sessionId);
      onChange(sessionId);
    });
  }

  /**
   * An engine with the bounds of `settings`, in place of the one before; requests that run end with theirs.
   * @throws {import('/pkg/index.js').ValidationError} with the path of the bound that is none
   */
  configure(settings) {
    this.engine = this.#createEngine(settings);
  }

  #createEngine(settings) {
    return createEngine({
      planner: this.#planner,
      history: {
        store: this.store,
        ...historyBounds(settings),
        // The title rides along with every entry: it outlives the first message when that is cut off, and the
        // list of sessions needs the newest entry of each only.
        transformEntry: (entry) => {
          const title = this.#titles.get(entry.input.sessionId) ?? titleFrom(textOf(entry));
          return { ...entry, metadata: { title } };
        },
      },
    });
  }

  /** Sends `text`; resolves when it is answered and stored, or has failed and stands in the outbox. */
  async send(sessionId, text) {
    await this.#run(this.#outbox.add(sessionId, text));
  }

  /** Sends a failed message again, under the id it had. */
  async retry(messageId) {
    const item = this.#outbox.get(messageId);
    if (item?.status === 'failed') await this.#run(item);
  }

  /** Stops what is being answered in a session. */
  stop(sessionId) {
    for (const item of this.#outbox.ofSession(sessionId)) item.controller?.abort();
  }

  /** Gives a failed message up; its text is returned. */
  discard(messageId) {
    const item = this.#outbox.get(messageId);
    if (item?.status !== 'failed') return '';
    this.#outbox.remove(messageId);
    this.#onChange(item.message.sessionId);
    return item.text;
  }

  /** The messages of a session that have no stored answer yet, oldest first. */
  unanswered(sessionId) {
    return this.#outbox.ofSession(sessionId);
  }

  isAnswering(sessionId) {
    return this.unanswered(sessionId).some((item) => item.status === 'sending');
  }

  async #run(item) {
    const { sessionId } = item.message;
    const controller = new AbortController();
    Object.assign(item, { status: 'sending', attempt: item.attempt + 1, reply: '', problem: '', controller });
    this.#onChange(sessionId);
    try {
      await this.#learnTitle(sessionId);
      const result = await this.engine.handle(item.message, { signal: controller.signal });
      if (!result.ok) throw result.error;
      this.#outbox.remove(item.message.id);
    } catch (error) {
      item.status = 'failed';
      item.problem = problemText(error);
    }
    item.controller = undefined;
    this.#onChange(sessionId);
  }

  /**
   * Writes `content` into the conversation as if the assistant had said it; nothing is asked of the planner.
   * @returns {Promise<string>} what is wrong with it, '' when it is stored
   */
  async inject(sessionId, content) {
    try {
      await this.#learnTitle(sessionId);
      const result = await this.engine.handle(AssistantInjectionMessage({ sessionId, content }));
      return result.ok ? '' : problemText(result.error);
    } catch (error) {
      return problemText(error);
    }
  }

  async remove(sessionId) {
    this.stop(sessionId);
    await this.store.clear(sessionId);
    for (const item of this.#outbox.ofSession(sessionId)) this.#outbox.remove(item.message.id);
    this.#onChange(sessionId);
  }

  /**
   * The stored sessions, newest first. That the browser removed them all is told once, to `onLost`, and then taken
   * note of: an empty list alone would look like a first visit.
   */
  async #stored() {
    try {
      return await this.store.sessions();
    } catch (error) {
      if (error.code !== 'evicted') throw error;
      this.#onLost(error.details);
      await this.store.acceptLoss();
      return this.store.sessions();
    }
  }

  /** The session used last. */
  async newestSession() {
    return (await this.#stored())[0]?.id;
  }

  /** Every stored session, newest first, with its title. */
  async sessions() {
    const stored = (await this.#stored()).filter((session) => session.entries > 0);
    return Promise.all(stored.map(async (session) => ({ ...session, title: (await this.#learnTitle(session.id)) ?? '' })));
  }

  /**
   * One conversation as a screen needs it: its newest `limit` entries, what the next request would carry as messages and as
   * entries, and how many of the stored entries that is.
   */
  async conversation(sessionId, limit) {
    for (const { status, message } of this.#outbox.ofSession(sessionId)) {
      // Answered in another tab, or stored just before the page went away.
      if (status === 'failed' && (await this.store.has(sessionId, message.id))) this.#outbox.remove(message.id);
    }
    const context = await this.engine.getLLMContext(sessionId);
    if (!context.ok) throw context.error;
    const entries = await this.store.tail(sessionId, Math.max(limit, context.value.length));
    const sent = entriesBehind(entries, context.value.length);
    return {
      entries: entries.slice(-limit).map(toSessionHistoryEntry),
      context: context.value,
      sentEntries: entries.slice(entries.length - sent),
      sent,
    };
  }

  /** The messages of the next request, were `text` sent now. */
  nextMessages(context, text) {
    return nextMessages(this.#settings.current, context, text);
  }

  /** The title of a stored session; undefined when nothing is stored. */
  async #learnTitle(sessionId) {
    const known = this.#titles.get(sessionId);
    if (known !== undefined) return known;
    const [newest] = await this.store.tail(sessionId, 1);
    if (!newest) return undefined;
    let title = newest.metadata?.title;
    // Entries that another client wrote carry no title.
    if (typeof title !== 'string') title = titleFrom(textOf((await this.store.get(sessionId))[0] ?? newest));
    this.#titles.set(sessionId, title);
    return title;
  }
}

/** How many of the newest `entries` give the `count` messages that are sent. */
function entriesBehind(entries, count) {
  let messages = 0;
  let taken = 0;
  while (messages < count && taken < entries.length) {
    messages += defaultLLMContext(entries[entries.length - 1 - taken]).length;
    taken += 1;
  }
  return taken;
}

/** What an entry says first. */
export function textOf(entry) {
  const wire = toSessionHistoryEntry(entry);
  return wire.kind === 'turn' ? wire.userIntent || wire.assistantMessage : wire.content;
}

/** The first words of `text`, cut between words where that is possible. */
export function titleFrom(text) {
  const line = text.trim().replace(/\s+/gu, ' ');
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH);
  const space = cut.lastIndexOf(' ');
  return `${(space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}

/** An error in words for the user: what the planner threw says more than that it threw. */
function problemText(error) {
  if (error.code === 'aborted') return 'Stopped.';
  const cause = error.code === 'planner_failed' ? error.cause : undefined;
  return cause instanceof Error ? cause.message : error.message;
}
