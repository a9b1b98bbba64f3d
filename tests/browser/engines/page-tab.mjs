// A tab of a browser that an automation library drives: Playwright's and Puppeteer's pages have these calls alike.
import { expressionOf, outcomeOf } from './call.mjs';

/** The interface of a tab (index.mjs) on a page of the library. */
export function pageTab(page, site) {
  return {
    evaluate: async (work, argument) => outcomeOf(await page.evaluate(expressionOf(work, argument))),
    goto: async (url = '') => void (await page.goto(new URL(url, site.url).href)),
    reload: async () => void (await page.reload()),
    close: () => page.close(),
  };
}

/** Adds to `problems` what the page writes to its console and throws without a catch. */
export function watchPage(page, problems) {
  page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error}`));
}
