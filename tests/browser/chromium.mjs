// Chromium for the browser tests, through playwright-core: the browser of the system, not a downloaded one.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

/** The browser's executable; the environment variable CHROMIUM names another. */
export const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';

const LAUNCH = {
  headless: true,
  executablePath: EXECUTABLE,
  args: [
    // Containers run the tests as root, where Chromium's sandbox cannot start.
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** A browser whose contexts start empty. @returns {Promise<import('playwright-core').Browser>} */
export function launchChromium() {
  return chromium.launch(LAUNCH);
}

/**
 * The browser on a profile in `folder`, which keeps its data: closing and launching again is a restart.
 * @param {string} folder
 * @param {object} [options] of Playwright's `launchPersistentContext`; its `args` come after those used here
 * @returns {Promise<import('playwright-core').BrowserContext>}
 */
export function launchChromiumProfile(folder, options = {}) {
  const args = [...LAUNCH.args, ...(options.args ?? [])];
  return chromium.launchPersistentContext(folder, { ...LAUNCH, ...options, args });
}

/** A new, empty profile folder. @returns {Promise<{folder: string, remove(): Promise<void>}>} */
export async function createProfile() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'turnlog-profile-'));
  // The browser may still be writing its last files while it goes away.
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) };
}
