// Runs in each of two pages that write one session.

import { init } from '/pkg/index.js';
import { makeEntries, renamed } from '../payload.mjs';
import { makers } from '../rows/stores.mjs';

const WORDS = 20;
const databaseOf = (name) => `bench-two-pages-${name}`;
let opened;

const calls = {
  names: () => Object.keys(makers),
  /** Both open the store before either of them writes, as two tabs of one chat do. */
  open: async (name) => {
    opened = await makers[name](databaseOf(name)).open();
    await opened.count();
  },
  append: async (page, count) => {
    const refused = [];
    for (const entry of renamed(makeEntries(WORDS), count, page)) {
      try {
        await opened.append(entry);
      } catch (error) {
        refused.push(String(error));
      }
    }
    return refused;
  },
  close: () => opened.close(),
  /** The ids that a new page finds, in their order. */
  ids: async (name) => {
    const store = await makers[name](databaseOf(name)).open();
    const all = await store.all();
    await store.close();
    return all.map(({ input }) => input.id);
  },
};

await init();
globalThis.two = { calls };
