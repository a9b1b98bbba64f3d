// turnlog/testing: the executable contract of a HistoryStore, for whoever writes one.
//
// It imports nothing and asserts by throwing, so it runs under node:test and vitest, and in a page that collects
// the cases. It holds only what the contract promises of every store.
import { appendCases, clearCases, isolationCases, lookUpCases, replaceCases } from './testing/lists.js';
import { independenceCases, valueCases } from './testing/values.js';
import { concurrencyCases, lockCases, secondHandleCases } from './testing/concurrency.js';

const METHODS = ['append', 'get', 'replace', 'clear', 'getResponseById'];

/** Milliseconds that one case may take unless `timeout` says otherwise. */
const DEFAULT_TIMEOUT = 20_000;

/**
 * Registers one case after another with `test(name, fn)`; see testing.d.ts.
 */
export function testHistoryStore(createStore, { test, name = 'history store', timeout = DEFAULT_TIMEOUT }) {
  const always = [
    ...appendCases, ...isolationCases, ...replaceCases, ...clearCases, ...lookUpCases,
    ...valueCases, ...independenceCases, ...concurrencyCases,
  ];
  for (const [title, run] of always) {
    test(`${name}: ${title}`, () => inFreshStore(createStore, timeout, run));
  }
  for (const [title, run] of lockCases) {
    register(title, run, (made) => typeof made.store.withLock === 'function', 'the store has no withLock');
  }
  for (const [title, run] of secondHandleCases) {
    register(title, run, (made) => made.another !== undefined, 'createStore gives no `another`');
  }

  /** A case for stores that have an optional part: skipped, where the runner can say so, for those without. */
  function register(title, run, applies, reason) {
    test(`${name}: ${title}`, async (context) => {
      let skipped = false;
      await inFreshStore(createStore, timeout, (store, made) => {
        skipped = !applies(made);
        return skipped ? undefined : run(store, made);
      });
      if (skipped && typeof context?.skip === 'function') context.skip(reason);
    });
  }
}

async function inFreshStore(createStore, timeout, run) {
  const made = unwrap(await createStore());
  try {
    await within(timeout, (async () => run(made.store, made))());
  } finally {
    await made.close?.();
  }
}

/** `createStore` gives a store, or an object with the store and what belongs to it. */
function unwrap(made) {
  const { store, close, another } = typeof made?.append === 'function' ? { store: made } : (made ?? {});
  for (const method of METHODS) {
    if (typeof store?.[method] !== 'function') throw new Error(`createStore gave a store without ${method}()`);
  }
  return {
    store,
    close: close && (() => close.call(made)),
    another: another && (() => another.call(made)),
  };
}

/** A store that hangs fails its case instead of stopping the run. */
function within(timeout, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the store did not answer within ${timeout} ms`)), timeout);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
