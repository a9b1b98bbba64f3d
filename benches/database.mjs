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
    const head = resultOf(transaction.objectStore('heads').get(session));
    const range = IDBKeyRange.bound([session, 0], [session, Infinity]);
    const chunks = resultOf(transaction.objectStore('chunks').getAll(range));
    return { head: await head, chunks: await chunks };
  } finally {
    database.close();
  }
}
