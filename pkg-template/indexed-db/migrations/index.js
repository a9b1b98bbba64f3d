// The layout of the database, one file a version. All that are missing run in the one transaction that the browser
// gives an upgrade: killed in the middle of it, the database is as before. A version that moves records takes three:
// one adds the new store, one moves, one deletes the old store, so that each can be started over.

import * as chunksAndHeads from './1-chunks-and-heads.js';
import * as side from './2-side.js';

const migrations = [chunksAndHeads, side];

/** The version of the layout. Data of a higher one is refused with `version_too_new`. */
export const VERSION = migrations.length;

export function upgrade(database, from) {
  for (const { migrate } of migrations.slice(from)) migrate(database);
}
