// The code samples for browsers run in Chromium, under the content security policy that the package promises to work
// with; so do all others that import nothing but `turnlog` and start it with `init()`. Marks: ../node/markdown_samples.mjs.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { serve } from '../../www/serve.mjs';
import { allSamples, asJavaScript } from '../node/markdown_samples.mjs';
import { launchChromium } from './chromium.mjs';

const samples = (await allSamples()).filter(
  ({ inBrowser, source }) => inBrowser || (/\bawait init\(\)/.test(source) && !/ from '(?!turnlog')/.test(source)),
);

describe('samples in Chromium', () => {
  let site;
  let browser;

  before(async () => {
    site = await serve({ port: 0 });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const sample of samples) {
    test(`${sample.title} runs and prints what it says`, async () => {
      const javaScript = (await asJavaScript(sample)).replaceAll(/ from ["']turnlog["']/g, " from '/pkg/index.js'");
      // Each in a context of its own: nothing is stored there.
      const context = await browser.newContext();
      try {
        const { printed, problems } = await runIn(await context.newPage(), site.url, javaScript);
        assert.deepEqual(problems, []);
        if (sample.prints.length > 0) assert.deepEqual(printed, sample.prints);
      } finally {
        await context.close();
      }
    });
  }

  test('there is a sample for browsers alone', () => {
    assert.ok(samples.some(({ inBrowser }) => inBrowser));
  });
});

/** Runs a module in a blank page of the site. */
async function runIn(page, url, javaScript) {
  const [printed, problems] = [[], []];
  page.on('console', (message) => (message.type() === 'log' ? printed : problems).push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.route('**/blank.html', (route) => fulfil(route, 'text/html', '<!doctype html><title>sample</title>'));
  await page.route('**/sample.mjs', (route) => fulfil(route, 'text/javascript', javaScript));
  await page.goto(`${url}blank.html`);
  await page.evaluate(() => import('/sample.mjs'));
  return { printed, problems };
}

function fulfil(route, contentType, body) {
  // The policy of www/serve.mjs, as strict as the package's promise.
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  return route.fulfill({ contentType, body, headers: { 'content-security-policy': policy } });
}
