// The short form of the fault campaign (`make test-faults`), in Chromium only but for the kills in sessions.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { campaign } from '../faults/campaign.mjs';
import { ENGINES } from './engines/index.mjs';
import { PARTS } from '../faults/parts.mjs';

describe('the fault campaign in short', () => {
  for (const part of Object.keys(PARTS)) {
    for (const engine of part === 'sessions' ? ENGINES : ['chromium']) {
      test(`${part} in ${engine}: nothing acknowledged is lost, doubled or out of order`, async () => {
        const state = await campaign({ engines: [engine], only: part, short: true });
        const { lost, doubled, misordered, acknowledged, faults } = state.of(engine);
        assert.deepEqual(state.problems, []);
        assert.deepEqual({ lost, doubled, misordered }, { lost: 0, doubled: 0, misordered: 0 });
        assert.ok(acknowledged > 0 || Object.keys(faults).length > 0, 'something was done');
      });
    }
  }
});
