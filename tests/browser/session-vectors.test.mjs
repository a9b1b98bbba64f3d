// The values that the reference gave, in Chromium.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { serve } from '../../www/serve.mjs';
import { launchChromium } from './chromium.mjs';

let site;
let browser;
before(async () => {
  site = await serve({ port: 0, www: fileURLToPath(new URL('..', import.meta.url)) });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test('a session gives what the reference gave', async () => {
  const page = await browser.newPage();
  await page.goto(`${site.url}browser/pages/blank.html`);
  const { compared, problems } = await page.evaluate(async () => {
    const [{ runVectors }, turnlog, cases] = await Promise.all([
      import('/session/vectors.mjs'),
      import('/pkg/index.js').then(({ init }) => init()),
      fetch('/fixtures/session.json').then((response) => response.json()),
    ]);
    return runVectors(turnlog, cases);
  });
  assert.deepEqual(problems, []);
  assert.ok(compared > 1_000, `${compared} results were compared`);
});
