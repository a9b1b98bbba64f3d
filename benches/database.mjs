// The databases the benchmarks read: made once, through the public API and through the peer.

export function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The stored values of a session as turnlog's own driver reads them. */
export async function storedValues(name, session) {
  const database = await resultOf(indexedDB.open(name));
  try {
    const transaction = database.transaction(['chunks', 'heads'], 'readonly');
    const range = IDBKeyRange.bound([session], [session, []]);
    const [heads, chunks] = ['heads', 'chunks'].map((store) => resultOf(transaction.objectStore(store).getAll(range)));
    return { heads: await heads, chunks: await chunks };
  } finally {
    database.close();
  }
}

/** How many values one request of `copyDatabase` moves. */
const COPIED = 64;

/** Makes the database `to` with the stores and the records of `from`, whose keys are not in its values. */
export async function copyDatabase(from, to) {
  const source = await resultOf(indexedDB.open(from));
  const names = Array.from(source.objectStoreNames);
  const opening = indexedDB.open(to);
  opening.onupgradeneeded = () => names.forEach((name) => opening.result.createObjectStore(name));
  const target = await resultOf(opening);
  for (const name of names) await copyStore(source, target, name);
  source.close();
  target.close();
}

async function copyStore(source, target, name) {
  for (let range; ; ) {
    const store = source.transaction(name).objectStore(name);
    const [keys, values] = await Promise.all([resultOf(store.getAllKeys(range, COPIED)), resultOf(store.getAll(range, COPIED))]);
    if (keys.length === 0) return;
    const writing = target.transaction(name, 'readwrite', { durability: 'relaxed' });
    const done = new Promise((resolve, reject) => ([writing.oncomplete, writing.onabort] = [resolve, reject]));
    values.forEach((value, index) => writing.objectStore(name).put(value, keys[index]));
    await done;
    range = IDBKeyRange.lowerBound(keys.at(-1), true);
  }
}
