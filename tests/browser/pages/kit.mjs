// The contract kit of turnlog/testing, run where this module is imported: a page or a dedicated worker.
import { createIndexedDbStore, createInMemoryStore, createLocalStorageStore, init } from './pkg/index.js';
import { testHistoryStore } from './pkg/testing.js';

let made = 0;

/** A store on a place of its own, and a second handle on the same one as another tab has it. */
function fresh(create, clean = () => {}) {
  const name = `kit ${(made += 1)}`;
  const handles = [create(name)];
  return {
    store: handles[0],
    another() {
      handles.push(create(name));
      return handles.at(-1);
    },
    async close() {
      for (const handle of handles) await handle.close();
      clean();
    },
  };
}

const kinds = {
  indexeddb: () => fresh((name) => createIndexedDbStore({ name })),
  // Not much fits in it.
  localstorage: () => fresh((prefix) => createLocalStorageStore({ prefix }), () => localStorage.clear()),
  memory: createInMemoryStore,
};

/** Runs all cases for a kind of store: `{passed, skipped, failed}`, lists of names; failures with their reason. */
export async function runKit(kind) {
  await init();
  const cases = [];
  testHistoryStore(kinds[kind], { name: kind, test: (name, run) => cases.push({ name, run }), timeout: 60_000 });
  const report = { passed: [], skipped: [], failed: [] };
  for (const { name, run } of cases) {
    let skipped = false;
    try {
      await run({ skip: () => (skipped = true) });
      (skipped ? report.skipped : report.passed).push(name);
    } catch (error) {
      // Only Chromium's stack begins with the message.
      report.failed.push(`${name}: ${error}\n${error?.stack ?? ''}`);
    }
  }
  return report;
}
