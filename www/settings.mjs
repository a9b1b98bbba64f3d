// What the settings dialog holds. Everything but the key is remembered in localStorage; the key lives in this
// module's memory, is sent to the server it was entered for, and is gone when the page is loaded anew.

const STORAGE_KEY = 'turnlog-demo.settings';

/** `maxEntries` and `maxChars` are the engine's bounds; null is no bound. */
export const DEFAULTS = Object.freeze({
  answering: 'offline',
  baseUrl: '',
  model: '',
  systemPrompt: '',
  maxEntries: 40,
  maxChars: 8000,
  retention: 'keep',
});

/** The bounds as the engine takes them: an absent one is left out. */
export function historyBounds(settings) {
  const bounds = { retention: settings.retention };
  if (settings.maxEntries !== null) bounds.maxEntries = settings.maxEntries;
  if (settings.maxChars !== null) bounds.maxChars = settings.maxChars;
  return bounds;
}

/**
 * The first thing wrong with `settings`, or undefined. The bounds themselves are the engine's to judge.
 * @returns {{field: string, message: string} | undefined}
 */
export function settingsProblem(settings) {
  if (settings.answering !== 'server') return undefined;
  let url;
  try {
    url = new URL(settings.baseUrl);
  } catch {
    return { field: 'baseUrl', message: 'Enter a whole address, such as http://localhost:11434/v1.' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { field: 'baseUrl', message: 'The address begins with http:// or https://.' };
  }
  // It would be remembered with the address, and a key is never stored.
  if (url.username !== '' || url.password !== '') {
    return { field: 'baseUrl', message: 'Leave names and passwords out of the address.' };
  }
  if (url.search !== '' || url.hash !== '') {
    return { field: 'baseUrl', message: 'The address ends with a path: leave out what begins with ? or #.' };
  }
  if (settings.model === '') return { field: 'model', message: 'Enter the name of a model that the server knows.' };
  return undefined;
}

export class SettingsStore {
  #settings = read();
  #key = '';

  get current() {
    return this.#settings;
  }

  get key() {
    return this.#key;
  }

  /**
   * Takes over `settings` and remembers them. `key` undefined leaves the key as it is, unless the server has
   * changed: a key is never sent to a server it was not entered for.
   */
  save(settings, key) {
    this.#adopt(settings);
    if (key !== undefined) this.#key = key;
    localStorage.setItem(STORAGE_KEY, JSON.stringify(this.#settings));
  }

  /** Calls `listener` when another tab has saved other settings. */
  onOtherTab(listener) {
    addEventListener('storage', (event) => {
      if (event.key !== STORAGE_KEY && event.key !== null) return;
      this.#adopt(read());
      listener();
    });
  }

  #adopt(settings) {
    if (origin(settings.baseUrl) !== origin(this.#settings.baseUrl)) this.#key = '';
    this.#settings = Object.freeze({ ...settings });
  }
}

function origin(url) {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** What is remembered, field by field: a value of the wrong kind (an older page, a hand edit) gives the default. */
function read() {
  const text = localStorage.getItem(STORAGE_KEY);
  if (text === null) return DEFAULTS;
  let stored;
  try {
    stored = JSON.parse(text);
  } catch {
    return DEFAULTS;
  }
  const bound = (value, fallback) => (value === null || (Number.isSafeInteger(value) && value > 0) ? value : fallback);
  const string = (value, fallback) => (typeof value === 'string' ? value : fallback);
  const settings = {
    answering: stored?.answering === 'server' ? 'server' : DEFAULTS.answering,
    baseUrl: string(stored?.baseUrl, DEFAULTS.baseUrl),
    model: string(stored?.model, DEFAULTS.model),
    systemPrompt: string(stored?.systemPrompt, DEFAULTS.systemPrompt),
    maxEntries: bound(stored?.maxEntries, DEFAULTS.maxEntries),
    maxChars: bound(stored?.maxChars, DEFAULTS.maxChars),
    retention: stored?.retention === 'truncate' ? 'truncate' : DEFAULTS.retention,
  };
  if (settingsProblem(settings)) settings.answering = DEFAULTS.answering;
  return Object.freeze(settings);
}
