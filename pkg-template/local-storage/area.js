// localStorage with the store's errors, and writes that happen whole or not at all.

import { StoreError, makeError } from '../glue.js';
import { storeError } from '../indexed-db/store-error.js';

/** The version of the keys and values. Data of a higher one is refused with `version_too_new`. */
const VERSION = 1;

/** This origin's localStorage. Reading it is what fails where it is denied. */
export function openArea(prefix) {
  let area;
  try {
    area = globalThis.localStorage;
  } catch (error) {
    throw makeError(1, 'unavailable', `localStorage is denied: ${error.message}`, undefined, error);
  }
  if (!area) throw new StoreError('unavailable', 'there is no localStorage here');
  if (area.getItem(`${prefix}/v`) > VERSION) {
    throw new StoreError('version_too_new', 'the stored data was written by a newer version of this package');
  }
  return area;
}

/** All keys that begin so. */
export function keysIn(area, start) {
  const found = [];
  for (let index = 0; index < area.length; index++) {
    const key = area.key(index);
    if (key.startsWith(start)) found.push(key);
  }
  return found;
}

/** Writes all of these or, where that fails, none. Only the last one may be there already. */
export function putAll(area, prefix, pairs) {
  if (pairs.length === 0) return;
  let done = 0;
  try {
    if (area.getItem(`${prefix}/v`) === null) area.setItem(`${prefix}/v`, VERSION);
    for (const [key, text] of pairs) {
      area.setItem(key, text);
      done++;
    }
  } catch (error) {
    for (const [key] of pairs.slice(0, done)) area.removeItem(key);
    throw /quota/i.test(error.name) ? fullError(area, pairs, error) : error;
  }
}

/** The limit is on UTF-16 code units, keys included, of everybody on this origin. */
function fullError(area, pairs, cause) {
  const size = (list) => list.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  const details = { used: size(keysIn(area, '').map((key) => [key, area.getItem(key)])), needed: size(pairs) };
  return new StoreError('quota_exceeded', `localStorage is full: ${JSON.stringify(details)}`, { cause, details });
}

/** The store's error for what localStorage throws; anything else passes through. */
export function areaError(error) {
  // Firefox throws errors of its own besides those that have a class.
  const isBare = /^NS_ERROR/.test(error?.name) && !(error instanceof DOMException);
  return isBare ? makeError(1, 'failed', error.name, undefined, error) : storeError(error);
}
