// Chromium with pages that it really freezes and really keeps for "back". Playwright holds every page visible and turns
// the back/forward cache off, and the demo's server forbids caches: so another library and a server in between.
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { serve } from '../../www/serve.mjs';
import { EXECUTABLE } from './chromium.mjs';

const PAGES = fileURLToPath(new URL('pages', import.meta.url));

/** What Puppeteer switches off, and pages need to sleep. */
const NOT = [
  '--disable-back-forward-cache',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--disable-background-timer-throttling',
];

/** Starts the site and the browser. The environment variable TURNLOG_PKG names another folder than pkg/. */
export async function startSleepers() {
  const files = await serve({ port: 0, www: PAGES, ...(process.env.TURNLOG_PKG ? { pkg: process.env.TURNLOG_PKG } : {}) });
  const server = http.createServer((request, response) => {
    http.get(new URL(request.url, files.url), (found) => {
      const { 'cache-control': _, ...headers } = found.headers;
      response.writeHead(found.statusCode, headers);
      found.pipe(response);
    }).on('error', () => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Containers run the tests as root, where Chromium's sandbox cannot start.
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await puppeteer.launch({ executablePath: EXECUTABLE, args, ignoreDefaultArgs: NOT });
  const url = `http://127.0.0.1:${server.address().port}/`;
  return {
    url,
    /** A page in which `lab` and `faults` are ready, in a profile of its own or that of `other`. */
    async open(other) {
      const context = other?.browserContext() ?? (await browser.createBrowserContext());
      const page = await context.newPage();
      page.problems = [];
      page.on('pageerror', (error) => page.problems.push(`uncaught: ${error.stack ?? error}`));
      page.on('console', (message) => page.problems.push(`${message.type()}: ${message.text()}`));
      await page.goto(url);
      await isReady(page);
      return page;
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await files.close();
    },
  };
}

export async function isReady(page) {
  await page.waitForFunction(() => globalThis.lab !== undefined);
  await page.evaluate(async () => {
    await lab.ready;
    globalThis.faults = await import('/faults.mjs');
  });
}

/** Freezes a page, which is only done to one that nobody sees: `other` is brought before it. */
export async function freeze(page, other) {
  await other.bringToFront();
  const cdp = await page.createCDPSession();
  await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
  return async function thaw() {
    await cdp.send('Page.setWebLifecycleState', { state: 'active' });
    await cdp.detach();
  };
}
