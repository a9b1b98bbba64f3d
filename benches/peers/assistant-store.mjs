// assistant-ui's thread: its repository in memory, which its adapter writes as one JSON text for each message that is added. The
// storage is IndexedDB, since localStorage has no room for long threads. An entry rides in a message's custom metadata.

import * as keyval from '/node_modules/idb-keyval/dist/index.js';
import { ExportedMessageRepository, MessageRepository, createLocalStorageHistoryAdapter } from '/target/bench-peers/assistant-ui.js';

const PREFIX = 'aui:';

export class AssistantStore {
  #name;
  #session;
  #use;
  #adapter;
  #repository;

  constructor(name, session) {
    this.#name = name;
    this.#session = session;
  }

  async open() {
    this.#use = keyval.createStore(this.#name, 'texts');
    const storage = {
      getItem: async (key) => (await keyval.get(key, this.#use)) ?? null,
      setItem: (key, text) => keyval.set(key, text, this.#use),
      removeItem: (key) => keyval.del(key, this.#use),
    };
    const thread = { getState: () => ({ remoteId: this.#session }), initialize: async () => ({ remoteId: this.#session }) };
    this.#adapter = createLocalStorageHistoryAdapter(storage, () => ({ threadListItem: thread }), PREFIX);
    this.#repository = new MessageRepository();
    this.#repository.import(await this.#adapter.load());
    return this;
  }

  close() {
    return this.#use('readonly', (store) => store.transaction.db.close());
  }

  async append(entry) {
    if (this.#messages.some(({ id }) => id === entry.input.id)) return 'deduped';
    const parentId = this.#repository.headId;
    const [{ message }] = exported([entry]).messages;
    this.#repository.addOrUpdateMessage(parentId, message);
    await this.#adapter.append({ parentId, message });
    return 'inserted';
  }

  /** Its repository takes many messages at once; its adapter does not, so the text that it would write is written. */
  async addAll(entries) {
    const known = new Set(this.#messages.map(({ id }) => id));
    const list = [...this.#entries, ...entries.filter(({ input }) => !known.has(input.id))];
    this.#repository.import(exported(list));
    await this.#write();
  }

  async tail(count) {
    return this.#entries.slice(-count);
  }

  async response(id) {
    return this.#entries.find((entry) => entry.input.id === id)?.output;
  }

  /** Those of other branches too: what two pages add behind one message are two branches of it. */
  async all() {
    return this.#repository.export().messages.map(({ message }) => message.metadata.custom.entry);
  }

  async count() {
    return this.#messages.length;
  }

  async clear() {
    this.#repository.clear();
    await this.#write();
  }

  #write() {
    return keyval.set(`${PREFIX}messages:${this.#session}`, JSON.stringify(this.#repository.export()), this.#use);
  }

  get #messages() {
    return this.#repository.getMessages();
  }

  get #entries() {
    return this.#messages.map(({ metadata }) => metadata.custom.entry);
  }
}

function exported(entries) {
  const message = (entry) => ({ id: entry.input.id, role: 'assistant', content: [], metadata: { custom: { entry } } });
  return ExportedMessageRepository.fromArray(entries.map(message));
}
