// What is only so in Chromium, and cannot be seen from what its IndexedDB does.

/** Chromium alone has storage buckets, in windows and workers of secure contexts. */
export function isChromium() {
  return globalThis.navigator?.storageBuckets !== undefined;
}
