// What every test file of the demo begins with: the site, the browser, and the rule that the console is silent.
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { serve } from '../../www/serve.mjs';
import { launchChromium, launchChromiumProfile } from './chromium.mjs';
import { DemoPage } from './demo-page.mjs';
import { startModelServer } from './model-server.mjs';

// Without the offline partner's pace of speaking the tests wait for nothing.
const CONTEXT = { reducedMotion: 'reduce' };
// Far above what any action takes: two cores shared by browsers, servers and tests can stall one for seconds.
const ACTION_MS = 30_000;

/**
 * Registers the hooks of one test file; call it once inside `describe`. What a test opens is closed after it.
 * The environment variable TURNLOG_PKG names another folder than pkg/ for the package.
 */
export function useDemo() {
  let site;
  let browser;
  let contexts = [];
  let pages = [];
  let models = [];

  before(async () => {
    site = await serve({ port: 0, ...(process.env.TURNLOG_PKG ? { pkg: process.env.TURNLOG_PKG } : {}) });
    const built = await fetch(`${site.url}pkg/index.js`, { method: 'HEAD' });
    assert.equal(built.status, 200, 'the package is built (make build)');
    browser = await launchChromium();
  });

  after(async () => {
    await browser?.close();
    await site?.close();
  });

  afterEach(async () => {
    const problems = pages.flatMap((demo) => demo.problems);
    await Promise.all(contexts.map((context) => context.close()));
    await Promise.all(models.map((model) => model.close()));
    [contexts, pages, models] = [[], [], []];
    assert.deepEqual(problems, [], 'the console is silent');
  });

  const keep = (context) => {
    context.setDefaultTimeout(ACTION_MS);
    contexts.push(context);
    return context;
  };
  const demo = {
    get url() {
      return site.url;
    },
    newContext: async () => keep(await browser.newContext(CONTEXT)),
    /** The browser on the profile in `folder`; closing its context ends that browser. */
    openProfile: async (folder) => keep(await launchChromiumProfile(folder, CONTEXT)),
    open: async (context, url = site.url) => {
      const page = await DemoPage.open(context, url);
      pages.push(page);
      return page;
    },
    /** A page in a browser context of its own, with nothing stored. */
    fresh: async () => demo.open(await demo.newContext()),
    startModel: async () => {
      const model = await startModelServer();
      models.push(model);
      return model;
    },
  };
  return demo;
}
