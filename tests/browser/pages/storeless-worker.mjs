// What the stores that need a page come to in a worker, which has no localStorage. Posts the outcomes.
import { createLocalStorageStore, init, openStore } from './pkg/index.js';

const outcome = (promise) =>
  promise.then(
    (value) => ({ value }),
    ({ name, code }) => ({ name, code }),
  );

self.onmessage = async ({ data: prefer }) => {
  await init();
  const store = createLocalStorageStore();
  const calls = [store.get('s'), store.append('s', { kind: 'none' }), store.clear('s'), store.sessions()].map(outcome);
  const opened = await openStore({ prefer });
  const { kind, reason, migrated } = opened;
  await opened.close();
  self.postMessage({ value: { calls: await Promise.all(calls), kind, reason: reason?.code, migrated } });
};
