// Starting the core, once.

import { start } from './core.js';

let started;

/** The `init` of an entry: resolves to its exports, which `exportsOf` gives. */
export function initOf(exportsOf) {
  return (source) => {
    // A failure is forgotten, so that the next call tries again.
    started ??= start(source).catch((error) => {
      started = undefined;
      throw error;
    });
    return started.then(exportsOf);
  };
}
