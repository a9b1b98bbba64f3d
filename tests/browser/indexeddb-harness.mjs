// What every test file of the IndexedDB store begins with: the pages, the browser, and the rule that the console
// is silent and no rejection stays unhandled.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before } from 'node:test';
import { serve } from '../../www/serve.mjs';
import { createProfile, launchChromium, launchChromiumProfile } from './chromium.mjs';

const PAGES = path.join(path.dirname(fileURLToPath(import.meta.url)), 'pages');

/**
 * Registers the hooks of one test file; call it once inside `describe`. What a test opens is closed after it.
 * The environment variable TURNLOG_PKG names another folder than pkg/ for the package.
 */
export function useLab() {
  let site;
  let browser;
  let contexts = [];
  let profiles = [];
  let problems = [];

  before(async () => {
    site = await serve({ port: 0, www: PAGES, ...(process.env.TURNLOG_PKG ? { pkg: process.env.TURNLOG_PKG } : {}) });
    const built = await fetch(`${site.url}pkg/index.js`, { method: 'HEAD' });
    assert.equal(built.status, 200, 'the package is built (make build)');
    browser = await launchChromium();
  });

  after(async () => {
    await browser?.close();
    await site?.close();
  });

  afterEach(async () => {
    // A rejection that nobody handles is told of after the task it came up in.
    await Promise.all(contexts.flatMap((context) => context.pages()).map((page) => page.evaluate(settled)));
    const found = problems;
    await Promise.all(contexts.map((context) => context.close()));
    await Promise.all(profiles.map((profile) => profile.remove()));
    [contexts, profiles, problems] = [[], [], []];
    assert.deepEqual(found, [], 'the console is silent');
  });

  const watch = (context) => {
    context.on('page', (page) => {
      page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error}`));
      page.on('crash', () => problems.push('a page crashed'));
    });
    contexts.push(context);
    return context;
  };

  return {
    /** The site's origin, as CDP wants it. */
    get origin() {
      return new URL(site.url).origin;
    },
    newContext: async () => watch(await browser.newContext()),
    /** An empty profile folder, removed after the test. */
    newProfile: async () => {
      const profile = await createProfile();
      profiles.push(profile);
      return profile.folder;
    },
    /** A browser of its own on the profile in `folder`; closing its context ends that browser. */
    openProfile: async (folder) => watch(await launchChromiumProfile(folder)),
    /** The context is over: it was closed or killed by the test. */
    forget: (context) => {
      contexts = contexts.filter((other) => other !== context);
    },
    /** A page of the context in which `lab` is ready; `script` runs in it before any other. */
    open: async (context, script) => {
      const page = await context.newPage();
      if (script !== undefined) await page.addInitScript(script);
      await page.goto(site.url);
      await isReady(page);
      return page;
    },
    /** A page with nothing stored. */
    async fresh(script) {
      return this.open(await this.newContext(), script);
    },
  };
}

/** Waits until the page's `lab` can be used; needed again after a reload. */
export async function isReady(page) {
  await page.waitForFunction(() => globalThis.lab !== undefined);
  await page.evaluate(() => lab.ready.then(() => undefined));
}

function settled() {
  return new Promise((resolve) => setTimeout(resolve, 30));
}
