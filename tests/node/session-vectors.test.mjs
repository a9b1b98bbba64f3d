// The values that the reference gave, in Node.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as turnlog from 'turnlog';
import { runVectors } from '../session/vectors.mjs';

test('a session gives what the reference gave', async () => {
  const cases = JSON.parse(await readFile(new URL('../fixtures/session.json', import.meta.url), 'utf8'));
  const { compared, problems } = await runVectors(turnlog, cases);
  assert.deepEqual(problems, []);
  assert.ok(compared > 1_000, `${compared} results were compared`);
});
