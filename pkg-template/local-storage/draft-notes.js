// localStorage as the place where drafts are kept: a key for each part, `PREFIX/t/PART`.

import { areaError, keysIn, openArea, putAll } from './area.js';
import { NotedDrafts } from './drafts.js';

/** The drafts of a store with this prefix. localStorage is not touched before the first call. */
export function draftNotes(prefix) {
  const typed = (work) => {
    try {
      return work(openArea(prefix));
    } catch (error) {
      throw areaError(error);
    }
  };
  return new NotedDrafts(`${prefix}/t/`, {
    keys: (start) => typed((area) => keysIn(area, start)),
    get: (key) => typed((area) => area.getItem(key)),
    set: (key, text) => typed((area) => putAll(area, prefix, [[key, text]])),
    delete: (key) => typed((area) => area.removeItem(key)),
  });
}
