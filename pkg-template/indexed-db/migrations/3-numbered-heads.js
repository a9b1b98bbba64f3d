// Version 3: a head's key is its session and a number. What moves is small, and moves inside one store, so that it needs no
// more steps than the transaction has: a row is added under its new key, the one under the old key is deleted.

export const stores = ['chunks', 'heads', 'side'];

export function migrate(_, transaction) {
  const heads = transaction.objectStore('heads');
  heads.openCursor().onsuccess = ({ target: { result: cursor } }) => {
    // Strings stand before arrays: these are all old ones.
    if (typeof cursor?.key !== 'string') return;
    heads.put(cursor.value, [cursor.key, 1]);
    cursor.delete();
    cursor.continue();
  };
}
