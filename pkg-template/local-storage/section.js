// One writer at a time for each session, where the browser has Web Locks. They make a collision of two tabs rare;
// that nothing is lost in one is up to the keys.

/** Milliseconds to wait for a lock. A frozen tab keeps its lock, so then it is taken away. */
const PATIENCE = 1_000;

const ROUNDS = 4;

const webLocks = () => globalThis.navigator?.locks;

/** Runs `work` while no other tab of this origin runs any of this name, if that can be had. */
export async function exclusively(name, work) {
  const locks = webLocks();
  let running;
  const run = () => (running ??= work());
  if (locks !== undefined) {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE);
    const entered = () => {
      clearTimeout(timer);
      return run();
    };
    await locks
      .request(name, { signal: patience.signal }, entered)
      // Ours can be taken away too: what was begun goes on, and its own outcome is the one that counts.
      .catch(() => running ?? locks.request(name, { steal: true }, run))
      .catch(() => {});
    clearTimeout(timer);
  }
  return run();
}

/**
 * Waits until other tabs' writes from before have most likely arrived here, and ours there: localStorage goes from
 * process to process by a way of its own, which no lock waits for. A few requests to the browser take longer than
 * that; a timer would take a second in a tab in the background.
 */
export async function settled() {
  const locks = webLocks();
  if (locks === undefined) return new Promise((resolve) => setTimeout(resolve));
  for (let round = 0; round < ROUNDS; round++) await locks.query().catch(() => {});
}

/** Says that a tab works on this name, until the function given back is called. */
export function occupy(name) {
  let leave = () => {};
  const left = new Promise((resolve) => (leave = resolve));
  webLocks()
    ?.request(name, { mode: 'shared' }, () => left)
    .catch(() => {});
  return leave;
}

/** Runs `work` unless a tab has said so; where that cannot be known, it is run. */
export async function unlessOccupied(name, work) {
  const locks = webLocks();
  if (locks === undefined) return work();
  return locks.request(name, { ifAvailable: true }, (lock) => (lock === null ? undefined : work()));
}
