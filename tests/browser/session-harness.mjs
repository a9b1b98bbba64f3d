// What the tests of lasting sessions share, besides the lab: its pages with `chat` ready.
import assert from 'node:assert/strict';
import { isReady, useLab } from './indexeddb-harness.mjs';

/** The lab of indexeddb-harness.mjs, whose pages have pages/session-lab.mjs as `globalThis.chat`. */
export function useSessions() {
  const lab = useLab();
  return Object.assign(lab, {
    /** A page of the context, or of one of its own, in which `lab` and `chat` are ready. */
    async tab(context) {
      const page = await lab.open(context ?? (await lab.newContext()));
      await loadChat(page);
      return page;
    },
  });
}

/** Waits until `lab` and `chat` can be used; needed again after a navigation. */
export async function isArmed(page) {
  await isReady(page);
  await loadChat(page);
}

const loadChat = (page) => page.evaluate(async () => {
  globalThis.chat = await import('./session-lab.mjs');
});

/** That two lists of long texts are the same; what is said of a difference stays short. */
export function assertTexts(found, wanted, what = 'the events') {
  const at = wanted.findIndex((text, index) => found[index] !== text);
  const short = (text) => text?.slice(0, 120);
  if (at >= 0) assert.fail(`${what} differ at ${at}: found ${short(found[at])}, wanted ${short(wanted[at])}`);
  assert.equal(found.length, wanted.length, `${what}: how many there are`);
}
