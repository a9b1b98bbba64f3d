// localStorage as a place for small notes beside a database. It may be missing (workers), denied or full: a note that
// cannot be kept is none, and what it would have told is told less well.

function storage() {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export function readNote(key) {
  try {
    return storage()?.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether it was kept. */
export function writeNote(key, text) {
  try {
    const place = storage();
    place?.setItem(key, text);
    return place !== undefined;
  } catch {
    return false;
  }
}

export function removeNote(key) {
  try {
    storage()?.removeItem(key);
  } catch {
    // Denied since it was written: it stays, and is read again.
  }
}

/** The keys that begin with `prefix`. */
export function noteKeys(prefix) {
  try {
    return Object.keys(storage() ?? {}).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
