import * as api from './api.js';
import { start } from './core.js';

let started;

export function init(source) {
  // A failure is forgotten, so that the next call tries again.
  started ??= start(source).then(
    () => api,
    (error) => {
      started = undefined;
      throw error;
    },
  );
  return started;
}
