// Databases may not answer at all (a damaged file, a frozen page in the way), so nothing is waited for without a limit.

/** A timer that is later than this was late itself: the page slept, and the database had no time to answer. */
const SLEPT_MS = 1_000;

/** Calls `bark` after `ms` of a page that is awake; the function given back ends that. */
export function watchdog(ms, bark) {
  let due;
  let timer;
  const wait = () => {
    due = performance.now() + ms;
    timer = setTimeout(() => (performance.now() - due > SLEPT_MS ? wait() : bark()), ms);
  };
  wait();
  return () => clearTimeout(timer);
}

/** What `promise` comes to, or the rejection with what `late` gives after `ms`. */
export function within(ms, promise, late) {
  return new Promise((resolve, reject) => {
    const end = watchdog(ms, () => Promise.resolve(late()).then(reject, reject));
    promise.finally(end).then(resolve, reject);
  });
}
