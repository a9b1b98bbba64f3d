// WebKitGTK as one of the engines: its MiniBrowser, without automation, because an automation session keeps
// IndexedDB in memory only. Its tabs take their commands from the site.
import { execFile, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startDisplay } from './display.mjs';
import { haveEnded, isThere, killTree, mustBeInstalled, processTree } from './processes.mjs';

const LIBRARIES = '/usr/lib';

const ENVIRONMENT = {
  GDK_BACKEND: 'x11',
  LIBGL_ALWAYS_SOFTWARE: '1',
  NO_AT_BRIDGE: '1',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
};

const OPTIONS = ['--javascript-can-open-windows-automatically=true', '--enable-write-console-messages-to-stdout=true'];

let version;

/** The user agent does not tell the engine's version. */
async function askVersion(executable, env) {
  return (await promisify(execFile)(executable, ['--version'], { env })).stdout.trim();
}

export async function launchWebKit({ site, folder }) {
  const executable = await findExecutable();
  const display = await startDisplay();
  const tabs = new Set();
  const expect = () => {
    const tab = site.remote.expect();
    tabs.add(tab);
    return tab;
  };
  const first = expect();
  const arrival = first.arrival();
  const env = { ...process.env, ...ENVIRONMENT, ...foldersIn(folder), DISPLAY: display.name };
  const child = spawn(executable, [...OPTIONS, first.address], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  });
  const problems = [];
  // Despite the option's name. The rest is GTK's own.
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, message] = /CONSOLE (.*)/u.exec(line) ?? [];
    if (message !== undefined) problems.push(message);
  });
  const kill = async (reason = 'the browser was killed') => {
    await killTree(child.pid);
    for (const tab of tabs) tab.drop(reason);
    await display.stop();
  };
  await arrival.catch(async (error) => {
    await kill();
    throw error;
  });
  return {
    version: await (version ??= askVersion(executable, env)),
    pid: child.pid,
    problems,
    open: async (url = '') => {
      const tab = expect();
      // A window with a process of its own, and a visible one: the timers of hidden tabs hardly run.
      const opening = (address) => void open(address, '_blank', 'noopener,width=400,height=300');
      await Promise.all([tab.arrival(), first.evaluate(opening, tab.address)]);
      await tab.goto(url);
      return tab;
    },
    close: async () => {
      const tree = await processTree(child.pid);
      for (const tab of tabs) if (tab !== first) await tab.close();
      child.kill('SIGTERM');
      await haveEnded(tree);
      first.drop('the browser was closed');
      await display.stop();
    },
    kill: () => kill(),
  };
}

/** Debian keeps it in a folder for each architecture; the environment variable MINIBROWSER names another place. */
async function findExecutable() {
  const named = process.env.MINIBROWSER;
  const folders = named ? [] : await readdir(LIBRARIES);
  const places = folders.map((folder) => path.join(LIBRARIES, folder, 'webkit2gtk-4.1', 'MiniBrowser'));
  for (const place of places) if (await isThere(place)) return place;
  const missing = named || `${LIBRARIES}/*/webkit2gtk-4.1/MiniBrowser`;
  await mustBeInstalled('WebKitGTK', missing, 'webkit2gtk-driver');
  return missing;
}

function foldersIn(folder) {
  return {
    HOME: folder,
    XDG_CACHE_HOME: path.join(folder, 'cache'),
    XDG_CONFIG_HOME: path.join(folder, 'config'),
    XDG_DATA_HOME: path.join(folder, 'data'),
  };
}
