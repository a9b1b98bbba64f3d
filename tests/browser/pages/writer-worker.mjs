// A dedicated worker that appends to a session, one entry after the other, and posts each id when it is acknowledged;
// 'done' after the last.
import { createIndexedDbStore, init } from './pkg/index.js';
import { turn } from './entries.mjs';

self.onmessage = async ({ data: { name, session, writer, count } }) => {
  try {
    await init();
    const store = createIndexedDbStore({ name });
    for (let number = 0; number < count; number += 1) {
      const id = `${writer}#${number}`;
      await store.append(session, turn(session, id));
      self.postMessage({ id });
    }
    await store.close();
    self.postMessage({ value: 'done' });
  } catch (error) {
    self.postMessage({ failed: String(error?.stack ?? error) });
  }
};
