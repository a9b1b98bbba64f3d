// A reply that streams into a thread which is stored, as each library is driven. All have `open(name, turns)`, which makes the
// thread; `reply(question, tokens, ended)`, which takes the tokens as they come, calls `ended` when the last one is stored, and
// resolves when the whole turn is; `text()`, the reply as a page that opens the thread reads it; and `close()`.

import { createIndexedDbStore, createSessionStore } from '/pkg/index.js';
import { ChatClient, indexedDBPersistence, stream } from '/target/bench-peers/tanstack.js';
import { SESSION, makeEntries } from '../payload.mjs';
import { AssistantStore } from './assistant-store.mjs';
import { exportOf } from './turnlog-store.mjs';

const source = { kind: 'user' };
const block = (text) => ({ type: 'text', text });
const model = { provider: 'provider', model: 'model-1' };

/** An entry of the history, stored as a draft while it streams. */
export class DraftStream {
  async open(name, turns) {
    this.store = createIndexedDbStore({ name });
    this.entries = makeEntries(turns + 1);
    await this.store.importSession(await exportOf(SESSION, this.entries.slice(0, turns)));
    return this;
  }

  async reply(question, tokens, ended) {
    const entry = this.entries.at(-1);
    const draft = this.store.draft(SESSION, entry.input.id);
    let text = '';
    for await (const token of tokens) {
      text += token;
      draft.write(token);
    }
    await draft.flush();
    ended();
    const reasons = [{ kind: 'user_intent', text: question }];
    await this.store.append(SESSION, { ...entry, input: { ...entry.input, reasons }, output: { userMessage: text } });
  }

  async text() {
    const [{ output }] = await this.store.tail(SESSION, 1);
    return output.userMessage;
  }

  close() {
    return this.store.close();
  }
}

/** Events of a session. */
export class SessionStream {
  async open(name, turns) {
    this.storage = createIndexedDbStore({ name });
    this.sessions = createSessionStore({ storage: this.storage });
    this.session = this.sessions.create(SESSION);
    for (const { input, output } of makeEntries(turns)) this.#turn(input.reasons[0].text, [output.userMessage]);
    await this.sessions.flush(this.session);
    return this;
  }

  #turn(question, pieces) {
    const begun = this.#begin(question);
    for (const piece of pieces) this.#piece(begun, piece);
    this.#end(begun);
  }

  #begin(question) {
    const { session } = this;
    const turn = session.seq + 1;
    session.append('turn/start', { turn, trigger: { kind: 'message', source } });
    session.append('user/message', { content: [block(question)], source }, { surfaceOp: 'append' });
    session.append('step/start', { turn, step: 1 });
    return { turn, text: '', sourceEventSeqs: [] };
  }

  #piece(begun, text) {
    const chunk = { type: 'text-delta', index: 0, text };
    begun.text += text;
    begun.sourceEventSeqs.push(this.session.append('assistant/chunk', { turn: begun.turn, step: 1, chunk }).seq);
  }

  #end({ turn, text, sourceEventSeqs }) {
    const data = { turn, step: 1, content: [block(text)], provenance: model };
    this.session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs });
    this.session.append('step/end', { turn, step: 1 });
    this.session.append('turn/end', { turn, reason: { kind: 'completed' } });
  }

  async reply(question, tokens, ended) {
    const begun = this.#begin(question);
    for await (const token of tokens) this.#piece(begun, token);
    await this.sessions.flush(this.session);
    ended();
    this.#end(begun);
    await this.sessions.flush(this.session);
  }

  async text() {
    const session = await createSessionStore({ storage: this.storage }).open(SESSION);
    return session.deriveMessages().at(-1).content[0].text;
  }

  close() {
    return this.storage.close();
  }
}

/** The client, whose connection gives the chunks of AG-UI. It queues its writes and never says when they are done. */
export class TanStackStream {
  async open(name, turns) {
    this.adapter = indexedDBPersistence({ databaseName: name });
    this.messages = makeEntries(turns).flatMap(({ input, output }) => [
      { id: `q-${input.id}`, role: 'user', parts: [{ type: 'text', content: input.reasons[0].text }] },
      { id: `a-${input.id}`, role: 'assistant', parts: [{ type: 'text', content: output.userMessage }] },
    ]);
    await this.adapter.setItem(SESSION, { messages: this.messages });
    return this;
  }

  async reply(question, tokens, ended) {
    const writes = [];
    const persistence = {
      ...this.adapter,
      setItem: (id, value) => {
        const writing = this.adapter.setItem(id, value);
        writes.push(writing);
        return writing;
      },
    };
    const client = new ChatClient({ threadId: SESSION, initialMessages: this.messages, persistence, connection: stream(() => agUi(tokens)) });
    await client.sendMessage(question);
    // Each write begins when the one before is done, so there is none under way when the last one was begun and is over.
    for (let known = -1; known !== writes.length; await new Promise((resolve) => setTimeout(resolve))) {
      known = writes.length;
      await Promise.all(writes);
    }
    ended();
  }

  async text() {
    const { messages } = await this.adapter.getItem(SESSION);
    return messages.at(-1).parts.find(({ type }) => type === 'text').content;
  }

  close() {}
}

async function* agUi(tokens) {
  const run = { threadId: SESSION, runId: 'run-1', timestamp: 0, model: 'model-1' };
  const message = { ...run, messageId: 'reply-1' };
  yield { ...run, type: 'RUN_STARTED' };
  yield { ...message, type: 'TEXT_MESSAGE_START', role: 'assistant' };
  for await (const delta of tokens) yield { ...message, type: 'TEXT_MESSAGE_CONTENT', delta };
  yield { ...message, type: 'TEXT_MESSAGE_END' };
  yield { ...run, type: 'RUN_FINISHED', finishReason: 'stop' };
}

/** The local runtime gives its adapter the question when it is sent, and the reply when it is complete. */
export class AssistantStream {
  async open(name, turns) {
    this.entries = makeEntries(turns + 2);
    this.name = name;
    this.store = await new AssistantStore(name, SESSION).open();
    await this.store.addAll(this.entries.slice(0, turns));
    return this;
  }

  async reply(question, tokens, ended) {
    const [asked, answered] = this.entries.slice(-2);
    await this.store.append({ ...asked, output: { userMessage: question } });
    let text = '';
    for await (const token of tokens) text += token;
    await this.store.append({ ...answered, output: { userMessage: text } });
    ended();
  }

  async text() {
    const [{ output }] = await this.store.tail(1);
    return output.userMessage;
  }

  close() {
    return this.store.close();
  }
}
