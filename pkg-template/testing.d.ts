import type { HistoryStore } from './index.js';

/** A store with what belongs to it. */
export interface StoreUnderTest {
  store: HistoryStore;
  /** Called when the case is over, however it went. */
  close?(): unknown;
  /**
   * A second handle on the same data, as another tab or process has it. Where it is given, the cases that need two
   * handles run too.
   */
  another?(): HistoryStore | Promise<HistoryStore>;
}

/** How the cases are run. */
export interface TestHistoryStoreOptions {
  /**
   * Registers one case: `test` of node:test or vitest, or any function that calls `fn` and reports a rejection. If
   * the context it passes has `skip(reason)`, a case for an optional part that the store lacks is reported so.
   */
  test(name: string, fn: (context?: { skip?(reason?: string): unknown }) => Promise<void>): unknown;
  /** What the cases' names begin with; `history store` by default. */
  name?: string;
  /** Milliseconds after which a case has failed; 20,000 by default. */
  timeout?: number;
}

/**
 * The contract of `HistoryStore`, as cases to run: order, duplicates, all-or-nothing replacement, look-ups, lossless
 * values, independence of the caller's objects, and calls that overlap.
 *
 * `createStore` is called once a case and gives an empty store each time. The cases only use the five methods (and
 * `withLock`, where the store has it), and hold a store to nothing else.
 *
 * ```js
 * import { test } from 'node:test';
 * import { testHistoryStore } from 'turnlog/testing';
 *
 * testHistoryStore(() => createMyStore(), { test, name: 'my store' });
 * ```
 */
export function testHistoryStore(
  createStore: () => HistoryStore | StoreUnderTest | Promise<HistoryStore | StoreUnderTest>,
  options: TestHistoryStoreOptions,
): void;
