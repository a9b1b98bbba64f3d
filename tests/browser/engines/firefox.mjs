// Firefox as one of the engines: the system's, through puppeteer-core and WebDriver BiDi, without geckodriver.
import puppeteer from 'puppeteer-core';
import { pageTab, watchPage } from './page-tab.mjs';
import { haveEnded, killTree, mustBeInstalled, processTree } from './processes.mjs';

/** The environment variable FIREFOX names another. */
const EXECUTABLE = process.env.FIREFOX || '/usr/bin/firefox-esr';

const LAUNCH_MS = 60_000;

/** The browser asks the network for nothing of its own. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'dom.push.connection.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
};

export async function launchFirefox({ site, folder }) {
  await mustBeInstalled('Firefox', EXECUTABLE, 'firefox-esr');
  const browser = await puppeteer.launch({
    browser: 'firefox',
    headless: true,
    executablePath: EXECUTABLE,
    userDataDir: folder,
    timeout: LAUNCH_MS,
    // A call takes as long as what it runs in the page.
    protocolTimeout: 0,
    extraPrefsFirefox: PREFERENCES,
  });
  const { pid } = browser.process();
  const problems = [];
  return {
    version: (await browser.version()).replace('firefox/', 'Firefox '),
    pid,
    problems,
    open: async (url = '') => {
      // The timers of a tab in the background run once a second.
      const page = await browser.newPage({ type: 'window' });
      watchPage(page, problems);
      const tab = pageTab(page, site);
      await tab.goto(url);
      return tab;
    },
    close: async () => {
      const tree = await processTree(pid);
      await browser.close();
      // The next launch on the profile would find it locked.
      await haveEnded(tree);
    },
    kill: () => killTree(pid),
  };
}
