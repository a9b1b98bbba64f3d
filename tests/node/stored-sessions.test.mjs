// Sessions that last, in memory: what holds for every storage.
import { describe, test } from 'node:test';
import * as turnlog from 'turnlog';
import { checks } from '../browser/pages/stored-sessions.mjs';

describe('sessions stored in memory', () => {
  for (const [name, check] of Object.entries(checks)) {
    test(name, () => {
      const storage = turnlog.createInMemoryStore();
      return check(turnlog, () => storage);
    });
  }
});
