// What becomes of a message that comes twice, as after a retry: how many there are then.

import { createInMemoryStore } from '/pkg/index.js';
import { MemorySession } from '/target/bench-peers/agents.js';
import { ExportedMessageRepository, MessageRepository } from '/target/bench-peers/assistant-ui.js';
import { HumanMessage, InMemoryChatMessageHistory } from '/target/bench-peers/langchain.js';
import { NAMES } from '../goals.mjs';
import { mustEqual } from '../measure.mjs';
import { SESSION } from '../payload.mjs';
import { makers } from './stores.mjs';

const REPOSITORY = 'assistant-ui, MessageRepository';
const LANGCHAIN = 'LangChain, InMemoryChatMessageHistory';
const AGENTS = 'OpenAI Agents SDK, MemorySession';

/** Each gives the outcome of the second time, and how many there are. */
const TWICE = {
  turnlog: async (entry) => {
    const store = createInMemoryStore();
    await store.append(SESSION, entry);
    return { said: await store.append(SESSION, entry), rows: (await store.get(SESSION)).length };
  },
  [NAMES.dexie]: (entry) => inStore(NAMES.dexie, entry),
  [NAMES.idb]: (entry) => inStore(NAMES.idb, entry),
  [LANGCHAIN]: async ({ input, output }) => {
    const history = new InMemoryChatMessageHistory();
    const message = new HumanMessage({ id: input.id, content: output.userMessage });
    await history.addMessage(message);
    await history.addMessage(message);
    return { said: 'nothing', rows: (await history.getMessages()).length };
  },
  [AGENTS]: async ({ input, output }) => {
    const session = new MemorySession();
    const item = { id: input.id, type: 'message', role: 'user', content: output.userMessage };
    await session.addItems([item]);
    await session.addItems([item]);
    return { said: 'nothing', rows: (await session.getItems()).length };
  },
  [REPOSITORY]: async ({ input, output }) => {
    const repository = new MessageRepository();
    const [{ message }] = ExportedMessageRepository.fromArray([{ id: input.id, role: 'assistant', content: output.userMessage }]).messages;
    repository.addOrUpdateMessage(null, message);
    repository.addOrUpdateMessage(null, message);
    return { said: 'nothing', rows: repository.getMessages().length };
  },
};

async function inStore(name, entry) {
  const database = `bench-duplicate-${name}`;
  const store = await makers[name](database).open();
  await store.append(entry);
  const said = await store.append(entry);
  const rows = await store.count();
  await store.close();
  indexedDB.deleteDatabase(database);
  return { said: said === 'deduped' ? 'ConstraintError' : said, rows };
}

export async function duplicateRows({ entries }) {
  const outcomes = {};
  for (const [name, twice] of Object.entries(TWICE)) outcomes[name] = await twice(entries[0]);
  mustEqual(outcomes.turnlog.said, 'deduped', 'what turnlog says of a message that is there');
  const spelled = Object.entries(outcomes).map(([name, { said }]) => `${name}: ${said}`).join('; ');
  return [
    {
      id: 'duplicate',
      way: 'rows left',
      what: 'one message appended twice: how many there are then',
      unit: 'rows',
      values: Object.fromEntries(Object.entries(outcomes).map(([name, { rows }]) => [name, rows])),
      note: `Duplicates: what the second append says. ${spelled}. Dexie and idb refuse it by a unique index, which the application declares.`,
    },
  ];
}
