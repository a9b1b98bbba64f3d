// Chromium keeps IndexedDB in LevelDB, which writes a log. A browser that is killed in the middle of a write leaves the
// beginning of a record at the end of it; the next one goes on writing behind that, and the one after takes it for damage and
// deletes all databases of the origin (seen in one of about 75 kills under load: "partial record without end").
//
// Deleting a database has LevelDB begin a new log and delete the old one once all that is in it is elsewhere. So before
// the first write of a page an empty database is made and deleted.

import { isChromium } from './chromium.js';
import { within } from './watchdog.js';

/** How long the first write waits for it; it takes 5 to 20 ms. */
const MOST_MS = 1_000;

/** Resolves when the log is a new one, or cannot be had in time; undefined where there is none. */
export function renewLog(name) {
  return isChromium() ? within(MOST_MS, renew(`${name}:log`), () => undefined).catch(() => {}) : undefined;
}

function renew(name) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onerror = reject;
    opening.onsuccess = () => {
      opening.result.close();
      const deleting = indexedDB.deleteDatabase(name);
      deleting.onsuccess = resolve;
      deleting.onerror = reject;
    };
  });
}
