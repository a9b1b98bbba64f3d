// A HistoryStore in plain JavaScript: what a caller who reads the contract would write, and slow on demand.

/**
 * Keeps each session as a list of JSON texts. `pause` is awaited wherever a real backend would wait, before the one
 * synchronous step that does the work; `withLock` adds the optional lock.
 */
export function plainStore({ pause = async () => undefined, withLock = false } = {}) {
  const sessions = new Map();
  const list = (sessionId) => sessions.get(sessionId) ?? [];
  const calls = [];
  const store = {
    calls,
    async append(sessionId, entry) {
      calls.push('append');
      const record = { id: entry.input.id, text: JSON.stringify(entry) };
      await pause('append');
      if (list(sessionId).some((known) => known.id === record.id)) return 'deduped';
      sessions.set(sessionId, [...list(sessionId), record]);
      return 'inserted';
    },
    async get(sessionId) {
      calls.push('get');
      await pause('get');
      return list(sessionId).map(({ text }) => JSON.parse(text));
    },
    async replace(sessionId, entries) {
      calls.push('replace');
      const records = entries.map((entry) => ({ id: entry.input.id, text: JSON.stringify(entry) }));
      if (new Set(records.map(({ id }) => id)).size < records.length) throw new Error('an id occurs twice');
      await pause('replace');
      sessions.set(sessionId, records);
    },
    async clear(sessionId) {
      calls.push('clear');
      await pause('clear');
      sessions.delete(sessionId);
    },
    async getResponseById(sessionId, messageId) {
      calls.push('getResponseById');
      await pause('getResponseById');
      const found = list(sessionId).find(({ id }) => id === messageId);
      return found && JSON.parse(found.text).output;
    },
  };
  if (!withLock) return store;
  const tails = new Map();
  store.withLock = (sessionId, fn) => {
    calls.push('withLock');
    const turn = (tails.get(sessionId) ?? Promise.resolve()).then(fn);
    tails.set(sessionId, turn.catch(() => undefined));
    return turn;
  };
  return store;
}
