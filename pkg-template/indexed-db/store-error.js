// The store's errors for what IndexedDB throws.

import { makeError } from '../glue.js';

const codes = {
  QuotaExceededError: 'quota_exceeded',
  VersionError: 'version_too_new',
  InvalidStateError: 'closed',
  SecurityError: 'unavailable',
};

/** The store's error for something IndexedDB threw; anything else passes through. */
export function storeError(thrown) {
  return errorOf(thrown, codes[thrown?.name] ?? 'failed');
}

/** The same when a database cannot be opened: but for a few reasons, there is none to use here. */
export function openError(thrown) {
  const code = codes[thrown?.name];
  return errorOf(thrown, code === undefined || code === 'closed' ? 'unavailable' : code);
}

function errorOf(thrown, code) {
  if (!(thrown instanceof DOMException)) return thrown;
  return makeError(1, code, thrown.message || thrown.name, undefined, thrown);
}
