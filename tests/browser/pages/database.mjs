// The database behind a store, looked at and damaged without the store.

/** A connection that does not give way holds up whoever deletes or upgrades: after this long, that is an error. */
const BLOCKED_MS = 5_000;

function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => setTimeout(() => reject(new Error('another connection is in the way')), BLOCKED_MS);
  });
}

/** Opens a database, as another program of the same origin would. `upgrade` is called with it when it is new. */
export function openDatabase(name, version, upgrade) {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => upgrade?.(request.result);
  return resultOf(request);
}

export function deleteDatabase(name) {
  return resultOf(indexedDB.deleteDatabase(name));
}

/** Runs `work(chunks, heads)` in one writing transaction; resolves when it is durable. */
export async function tamper(name, work) {
  const database = await openDatabase(name);
  try {
    const transaction = database.transaction(['chunks', 'heads'], 'readwrite', { durability: 'strict' });
    const over = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    await work(transaction.objectStore('chunks'), transaction.objectStore('heads'), resultOf);
    await over;
  } finally {
    database.close();
  }
}

/** All keys and values of a database, as text that can be compared; values as hexadecimal bytes. */
export async function dump(name) {
  const database = await openDatabase(name);
  try {
    const content = { version: database.version };
    for (const store of database.objectStoreNames) {
      const records = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([resultOf(records.getAllKeys()), resultOf(records.getAll())]);
      content[store] = keys.map((key, index) => [JSON.stringify(key), shown(values[index])]);
    }
    return content;
  } finally {
    database.close();
  }
}

function shown(value) {
  if (!(value instanceof Uint8Array)) return JSON.stringify(value);
  return Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** How many values the chunks store holds, and the size of the largest in bytes. */
export async function chunkSizes(name) {
  const database = await openDatabase(name);
  try {
    const values = await resultOf(database.transaction('chunks').objectStore('chunks').getAll());
    return { count: values.length, largest: Math.max(0, ...values.map((value) => value.byteLength)) };
  } finally {
    database.close();
  }
}
