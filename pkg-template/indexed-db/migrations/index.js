// The layout of the database, one file a version. All that are missing run in the one transaction that the browser
// gives an upgrade: killed in the middle of it, the database is as before. A version that moves records takes three:
// one adds the new store, one moves, one deletes the old store, so that each can be started over.

import * as chunksAndHeads from './1-chunks-and-heads.js';
import * as side from './2-side.js';
import * as numberedHeads from './3-numbered-heads.js';
import * as eventLogs from './4-event-logs.js';

const migrations = [chunksAndHeads, side, numberedHeads, eventLogs];

/** The version of the layout. Data of a higher one is refused with `version_too_new`. */
export const VERSION = migrations.length;

/** Whether these are the object stores of a database of this version that we made. */
export function isOurs(names, version) {
  return migrations[version - 1].stores.every((store) => names.contains(store));
}

export function upgrade(database, transaction, from) {
  for (const { migrate } of migrations.slice(from)) migrate(database, transaction);
}
