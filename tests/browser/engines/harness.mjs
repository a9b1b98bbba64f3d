// What a test file of the engines begins with: the site, the browser, and the rule that the console is silent and no
// rejection stays unhandled.
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { createProfile, launch, removeProfile } from './index.mjs';
import { startSite } from './site.mjs';

/** A rejection that nobody handles is told of after the task it came up in. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Registers the hooks for one engine; call it once inside `describe`. */
export function useEngine(engine) {
  let site;
  let shared;
  let profiles = [];
  const browsers = new Set();

  const start = async (profile) => {
    const browser = await launch({ engine, site, profile });
    browsers.add(browser);
    return browser;
  };
  const check = async () => {
    await settled();
    const problems = [...browsers].flatMap((browser) => browser.problems.splice(0));
    assert.deepEqual(problems, [], 'the console is silent');
  };

  before(async () => {
    site = await startSite();
    const built = await fetch(`${site.url}pkg/index.js`, { method: 'HEAD' });
    assert.equal(built.status, 200, 'the package is built (make build)');
  });

  afterEach(async () => {
    const own = [...browsers].filter((browser) => browser !== shared);
    try {
      await check();
    } finally {
      site.onReport = () => {};
      for (const browser of own) await lab.close(browser);
      await Promise.all(profiles.map(removeProfile));
      profiles = [];
    }
  });

  after(async () => {
    if (shared) await lab.close(shared);
    await site?.close();
  });

  const lab = {
    /** Has `listener` called with what the pages report, until the test ends. */
    onReport: (listener) => {
      site.onReport = listener;
    },
    /** An empty profile folder, removed after the test. */
    newProfile: async () => {
      const folder = await createProfile(engine);
      profiles.push(folder);
      return folder;
    },
    /** A browser of its own, on that profile or on an empty one. */
    start,
    /** Two ways to end one; what is left running ends with the test. */
    close: async (browser) => {
      browsers.delete(browser);
      await browser.close();
    },
    kill: async (browser) => {
      browsers.delete(browser);
      await browser.kill();
    },
    /** A page in which `lab` is ready: of the given browser, or of one that all tests of the engine share. */
    open: async (browser) => {
      const tab = await (browser ?? (shared ??= await start())).open();
      await tab.evaluate(() => lab.ready.then(() => undefined));
      return tab;
    },
  };
  return lab;
}
