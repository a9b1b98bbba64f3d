// Requests and transactions as promises.

/** A request's result. Its handlers are attached when it is made. */
export function resultOf(request) {
  const result = new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  // When a transaction fails, all its requests do; the one that is awaited tells.
  result.catch(() => {});
  return result;
}

/** Keys and values of a store, or of a range of it, in the order of the keys. */
export function keysAndValues(store, range) {
  return Promise.all([store.getAllKeys(range), store.getAll(range)].map(resultOf));
}

export function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    // It has ended already, which is what was asked for.
  }
}

/** Ends a transaction without waiting for its requests, where the browser knows how; others commit by themselves. */
export function commit(transaction) {
  try {
    transaction.commit?.();
  } catch {
    // It was committed already, or has been aborted, which it tells by itself.
  }
}
