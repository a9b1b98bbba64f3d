// When the page is left, frozen, back, or looked at again. Workers are told nothing of it.

/** Calls those of these that are given on the page's turns; the function given back ends that. */
export function watchPage({ sleep, wake, look }) {
  const { document } = globalThis;
  if (document === undefined) return () => {};
  const turns = [
    [globalThis, 'pagehide', sleep],
    [document, 'freeze', sleep],
    [globalThis, 'pageshow', wake],
    [document, 'resume', wake],
    [document, 'visibilitychange', () => document.visibilityState === 'visible' && look?.()],
  ].filter(([, , listener]) => listener !== undefined);
  for (const [target, type, listener] of turns) target.addEventListener(type, listener);
  return () => {
    for (const [target, type, listener] of turns) target.removeEventListener(type, listener);
  };
}

/** Where a transaction begun while the page is left is lost, or keeps the next page waiting for half a minute. */
export const isWebKit = () => /^Apple/.test(globalThis.navigator?.vendor ?? '');
