// Chromium as one of the engines, through playwright-core.
import { readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { EXECUTABLE, launchChromiumProfile } from '../chromium.mjs';
import { pageTab, watchPage } from './page-tab.mjs';
import { killTree, mustBeInstalled } from './processes.mjs';

export async function launchChromiumEngine({ site, folder, args = [] }) {
  await mustBeInstalled('Chromium', EXECUTABLE, 'chromium');
  const context = await launchChromiumProfile(folder, { args });
  const ended = new Promise((resolve) => context.once('close', resolve));
  const problems = [];
  context.on('page', (page) => {
    watchPage(page, problems);
    page.on('crash', () => problems.push('a page crashed'));
  });
  const pid = await browserProcess(folder);
  return {
    version: `Chromium ${context.browser().version()}`,
    pid,
    problems,
    open: async (url = '') => {
      const tab = pageTab(await context.newPage(), site);
      await tab.goto(url);
      return tab;
    },
    close: () => context.close(),
    kill: async () => {
      await killTree(pid);
      await ended;
    },
  };
}

/** The process of the browser that holds the profile: its lock names it. */
async function browserProcess(folder) {
  const lock = await readlink(path.join(folder, 'SingletonLock'));
  const pid = Number(/-(\d+)$/u.exec(lock)[1]);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  if (!command.includes(folder)) throw new Error(`process ${pid} is not the browser on ${folder}`);
  return pid;
}
