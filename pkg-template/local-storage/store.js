import { core } from '../core.js';
import { readOptions, refuse } from '../options.js';
import { LocalStore } from '../stores.js';
import { Driver } from './driver.js';
import { Notices } from './notices.js';

export function createLocalStorageStore(options) {
  const { prefix = 'turnlog', onChange } = readOptions(options, ['prefix', 'onChange']);
  if (typeof prefix !== 'string' || prefix === '') refuse('prefix', 'must be a non-empty string');
  if (onChange !== undefined && typeof onChange !== 'function') refuse('onChange', 'must be a function');
  return localStorageStore(prefix, onChange).store;
}

/** The store with its driver, for whoever opens it. */
export function localStorageStore(prefix, onChange) {
  const raw = new (core().RawStore)();
  const driver = new Driver(prefix, raw);
  raw.drive(driver);
  const store = new LocalStore('localstorage', raw, new Notices(prefix), driver);
  if (onChange !== undefined) store.subscribe(onChange);
  return { store, driver };
}
