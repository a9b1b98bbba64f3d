// What the tests of storage under bad conditions share, besides the lab: its pages with `faults` ready.
import { isReady, useLab } from './indexeddb-harness.mjs';

/** The lab of indexeddb-harness.mjs, whose pages have pages/faults.mjs as `globalThis.faults`. */
export function useFaults() {
  const lab = useLab();
  return Object.assign(lab, {
    /** A page of the context in which `lab` and `faults` are ready. */
    async tab(context, script) {
      const page = await lab.open(context, script);
      await loadFaults(page);
      return page;
    },
    async freshTab(script) {
      return this.tab(await lab.newContext(), script);
    },
  });
}

/** Waits until `lab` and `faults` can be used; needed again after a navigation. */
export async function isArmed(page) {
  await isReady(page);
  await loadFaults(page);
}

const loadFaults = (page) => page.evaluate(async () => {
  globalThis.faults = await import('./faults.mjs');
});

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
