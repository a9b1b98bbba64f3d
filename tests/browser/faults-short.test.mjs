// The short form of the fault campaign (`make test-faults`), in Chromium only.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { campaign } from '../faults/campaign.mjs';
import { PARTS } from '../faults/parts.mjs';

describe('the fault campaign in short', () => {
  for (const part of Object.keys(PARTS)) {
    test(`${part}: nothing acknowledged is lost, doubled or out of order`, async () => {
      const state = await campaign({ engines: ['chromium'], only: part, short: true });
      const { lost, doubled, misordered, acknowledged, faults } = state.of('chromium');
      assert.deepEqual(state.problems, []);
      assert.deepEqual({ lost, doubled, misordered }, { lost: 0, doubled: 0, misordered: 0 });
      assert.ok(acknowledged > 0 || Object.keys(faults).length > 0, 'something was done');
    });
  }
});
