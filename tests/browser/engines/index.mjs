// The browser engines that the tests run on, behind one interface.
//
// launch({engine, site, profile?}) → browser
//   browser.engine, browser.version, browser.folder (its profile), browser.pid (of the process group's leader)
//   browser.problems         what its pages wrote to the console or threw without a catch, as texts
//   browser.open(url?)       → tab, when the page's load event is over; `url` is relative to the site
//   browser.close()          ends it as a user does who closes all windows
//   browser.kill()           SIGKILL to all its processes at once; resolves when none is left. Calls that are
//                            pending reject
// tab
//   tab.evaluate(work, argument?)  runs an async function in the page; argument and result are JSON. What it
//                                  throws is thrown here with its name, message, code and details
//   tab.goto(url), tab.reload()    resolve after the page's load event
//   tab.close()
//
// A launch on the profile of a browser that ended is a restart. What a page tells without being asked goes through
// `report`, see site.mjs.
import { rm, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { launchChromiumEngine } from './chromium.mjs';
import { launchFirefox } from './firefox.mjs';
import { launchWebKit } from './webkit.mjs';

/** Firefox and WebKit keep IndexedDB in SQLite; Chromium in LevelDB and, where this flag is on, in SQLite too. */
const SQLITE = '--enable-features=IdbSqliteBackingStore,IdbSqliteOnDiskRollout';

const LAUNCHERS = {
  chromium: launchChromiumEngine,
  'chromium-sqlite': (options) => launchChromiumEngine({ ...options, args: [SQLITE] }),
  firefox: launchFirefox,
  webkit: launchWebKit,
};

export const ENGINES = Object.keys(LAUNCHERS);

/**
 * Starts a browser. Rejects, saying what to install, when the engine is not on this machine.
 * @param {object} options
 * @param {string} options.engine one of ENGINES
 * @param {object} options.site of `startSite`: what its pages are served from
 * @param {string} [options.profile] folder that holds its data; without one it begins empty and leaves nothing
 */
export async function launch({ engine, site, profile }) {
  const launcher = LAUNCHERS[engine];
  if (!launcher) throw new Error(`no engine ${engine}; there are ${ENGINES.join(', ')}`);
  if (profile !== undefined) return Object.assign(await launcher({ site, folder: profile }), { engine, folder: profile });
  const folder = await createProfile(engine);
  const browser = await launcher({ site, folder }).catch(async (error) => {
    await removeProfile(folder);
    throw error;
  });
  const removing = (end) => async () => {
    await end.call(browser);
    await removeProfile(folder);
  };
  return Object.assign(browser, { engine, folder, close: removing(browser.close), kill: removing(browser.kill) });
}

/** A new, empty profile folder. */
export function createProfile(engine) {
  return mkdtemp(path.join(os.tmpdir(), `turnlog-${engine}-`));
}

export function removeProfile(folder) {
  // The browser may still be writing its last files while it goes away.
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
