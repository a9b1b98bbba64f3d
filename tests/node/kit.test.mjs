// The contract kit itself: a correct store passes every case, and each way of being wrong is told by a case.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testHistoryStore } from 'turnlog/testing';
import { plainStore } from './plain_store.mjs';

/** Runs the kit; gives the titles that passed, were skipped and failed (with the message). */
async function run(createStore, { only, ...options } = {}) {
  let cases = [];
  testHistoryStore(createStore, { test: (name, fn) => cases.push([name, fn]), name: 'kit', ...options });
  if (only) cases = cases.filter(([name]) => only.includes(name.replace(/^kit: /, '')));
  const [passed, skipped, failed] = [[], [], new Map()];
  for (const [name, fn] of cases) {
    const title = name.replace(/^kit: /, '');
    let skip = false;
    try {
      await fn({ skip() { skip = true; } });
      (skip ? skipped : passed).push(title);
    } catch (error) {
      failed.set(title, error.message);
    }
  }
  return { passed, skipped, failed };
}

describe('the plain store', () => {
  test('passes all cases, and those for optional parts are skipped', async () => {
    const { passed, skipped, failed } = await run(() => plainStore());
    assert.deepEqual([...failed], []);
    assert.ok(passed.length >= 45, `${passed.length} cases`);
    assert.equal(skipped.length, 7);
    assert.equal(new Set(passed).size, passed.length, 'two cases have one name');
  });

  test('passes with a pause in every call, a lock, a second handle and a close', async () => {
    let [made, closed] = [0, 0];
    const { skipped, failed } = await run(async () => {
      made += 1;
      const store = plainStore({ pause: () => new Promise(setImmediate), withLock: true });
      return { store, another: async () => store, close() { closed += 1; } };
    });
    assert.deepEqual([...failed], []);
    assert.deepEqual(skipped, []);
    assert.equal(closed, made, 'close is called after every case');
  });

  test('is closed after a case that fails, too', async () => {
    let [made, closed] = [0, 0];
    await run(() => {
      made += 1;
      return { store: { ...plainStore(), get: async () => null }, close: () => { closed += 1; } };
    });
    assert.equal(closed, made);
  });
});

test('a missing method is named', async () => {
  const { get, ...rest } = plainStore();
  const { failed } = await run(() => rest);
  assert.match([...failed.values()][0], /without get\(\)/);
});

test('a store that never answers fails its case in time', async () => {
  const { failed } = await run(() => ({ ...plainStore(), clear: () => new Promise(() => {}) }), { timeout: 300 });
  assert.match(failed.get('clear empties the session'), /did not answer within 300 ms/);
});

/**
 * Each store is right but for one thing: [what is wrong, how to make it from a right one, a case that must fail].
 */
const WRONG = [
  ['orders by timestamp', (store) => ({
    get: async (s) => (await store.get(s)).sort((a, b) => a.input.timestamp - b.input.timestamp),
  }), 'the order is that of insertion, not of timestamps'],
  ['orders by id', (store) => ({
    get: async (s) => (await store.get(s)).sort((a, b) => (a.input.id < b.input.id ? -1 : 1)),
  }), 'the order is that of insertion, not of ids'],
  ['gives undefined for an unknown session', (store) => ({
    get: async (s) => { const list = await store.get(s); return list.length === 0 ? undefined : list; },
  }), 'an unknown session is an empty list'],
  ['overwrites on a second append', (store) => ({
    async append(s, entry) {
      const outcome = await store.append(s, entry);
      if (outcome === 'deduped') {
        await store.replace(s, (await store.get(s)).map((old) => (old.input.id === entry.input.id ? entry : old)));
      }
      return outcome;
    },
  }), 'a deduped append leaves the content of the first'],
  ['moves a deduped entry to the end', (store) => ({
    async append(s, entry) {
      const outcome = await store.append(s, entry);
      if (outcome === 'deduped') {
        const list = await store.get(s);
        const known = list.find((old) => old.input.id === entry.input.id);
        await store.replace(s, [...list.filter((old) => old !== known), known]);
      }
      return outcome;
    },
  }), 'a deduped append leaves the order'],
  ['checks for a duplicate before it waits', (store) => ({
    async append(s, entry) {
      const known = (await store.get(s)).some((old) => old.input.id === entry.input.id);
      await new Promise(setImmediate);
      if (known) return 'deduped';
      const kept = (await store.get(s)).filter((old) => old.input.id !== entry.input.id);
      await store.replace(s, [...kept, entry]);
      return 'inserted';
    },
  }), 'of fifty appends of one id at once exactly one is inserted'],
  ['loses updates of appends at once', (store) => ({
    async append(s, entry) {
      const list = await store.get(s);
      if (list.some((old) => old.input.id === entry.input.id)) return 'deduped';
      await new Promise(setImmediate);
      await store.replace(s, [...list, entry]);
      return 'inserted';
    },
  }), 'a hundred appends of different ids at once are all there'],
  ['dedupes by kind and id', (store) => ({
    async append(s, entry) {
      const list = await store.get(s);
      const known = list.some((old) => old.kind === entry.kind && old.input.id === entry.input.id);
      if (known || !list.some((old) => old.input.id === entry.input.id)) return store.append(s, entry);
      return 'inserted';
    },
  }), 'an injection with the id of a turn is deduped, and the other way round'],
  ['replaces by clearing and appending', (store) => ({
    async replace(s, entries) {
      await store.clear(s);
      for (const entry of entries) await store.append(s, entry);
    },
  }), 'who reads during a replace sees the old list or the new one'],
  ['writes half of a replace that fails', (store) => ({
    async replace(s, entries) {
      await store.clear(s);
      for (const entry of entries) await store.append(s, entry);
    },
  }), 'a replace that is refused leaves the old list'],
  ['remembers ids that replace dropped', (store) => {
    const seen = new Set();
    return {
      async append(s, entry) {
        if (seen.has(`${s}\n${entry.input.id}`)) return 'deduped';
        seen.add(`${s}\n${entry.input.id}`);
        return store.append(s, entry);
      },
    };
  }, 'an id that replace dropped is new again'],
  ['answers from a cache that replace does not touch', (store) => {
    const cache = new Map();
    return {
      async append(s, entry) {
        const outcome = await store.append(s, entry);
        if (outcome === 'inserted' && entry.kind === 'turn') cache.set(`${s}\n${entry.input.id}`, structuredClone(entry.output));
        return outcome;
      },
      getResponseById: async (s, id) => cache.get(`${s}\n${id}`) ?? store.getResponseById(s, id),
    };
  }, 'getResponseById follows replace'],
  ['gives null where there is no response', (store) => ({
    getResponseById: async (s, id) => (await store.getResponseById(s, id)) ?? null,
  }), 'getResponseById of an unknown id or session is undefined'],
  ['clears by prefix', (store) => {
    const sessions = new Set();
    return {
      append: async (s, entry) => { sessions.add(s); return store.append(s, entry); },
      clear: async (s) => { for (const known of sessions) if (known.startsWith(s)) await store.clear(known); },
    };
  }, 'sessions whose ids begin alike, or differ in case, are apart'],
  ['folds the case of ids', (store) => renamed(store, (id) => id.toLowerCase()),
    'ids that differ in case, normal form or a space at the end are different'],
  ['ends session names at NUL', (store) => renamed(store, (id) => id, (session) => session.split('\0')[0]),
    'sessions whose ids begin alike, or differ in case, are apart'],
  ['keeps sessions in an object literal', () => inObjectLiteral(), 'a session id __proto__ is an id like any other'],
  ['makes text well formed', (store) => rewritten(store, (text) => text.toWellFormed()), 'text of a lone high surrogate survives'],
  ['drops NUL', (store) => rewritten(store, (text) => text.replaceAll('\0', '')),
    'text of NUL and the other control characters survives'],
  ['normalises text', (store) => rewritten(store, (text) => text.normalize('NFC')), 'text of both normal forms survives'],
  ['keeps numbers as 32-bit floats', (store) => rewritten(store, (text) => text, Math.fround), 'every number survives'],
  ['knows only the fields of today', (store) => ({
    append: (s, entry) => store.append(s, entry.kind === 'turn'
      ? { ...entry, output: { userMessage: entry.output.userMessage } } : entry),
  }), 'unknown fields are kept on every level'],
  ['sorts keys, as jsonb does', (store) => ({
    get: async (s) => (await store.get(s)).map(sortKeys),
  }), 'the keys of a payload keep their order'],
  ['copies with an assignment per key', (store) => ({
    get: async (s) => (await store.get(s)).map(assignKeys),
  }), 'a key named __proto__ is data'],
  ['drops metadata that is falsy', (store) => ({
    append: (s, { metadata, ...entry }) => store.append(s, metadata ? { ...entry, metadata } : entry),
  }), 'metadata is kept where it is 0, the empty text, false, null or empty'],
  ['gives null for metadata that is absent', (store) => ({
    get: async (s) => (await store.get(s)).map((entry) => ({ metadata: null, ...entry })),
  }), 'an entry without metadata does not get any'],
  ['hands out its own list', (store) => {
    const lists = new Map();
    const fresh = (s) => lists.delete(s);
    return {
      append: async (s, entry) => { fresh(s); return store.append(s, entry); },
      replace: async (s, entries) => { const done = await store.replace(s, entries); fresh(s); return done; },
      clear: async (s) => { fresh(s); return store.clear(s); },
      get: async (s) => { if (!lists.has(s)) lists.set(s, await store.get(s)); return lists.get(s); },
    };
  }, 'changing the list that get gave does not change the store'],
  ['keeps the caller’s objects', () => byReference(), 'changing an entry after its append does not change the store'],
  ['keeps the caller’s list', () => byReference(), 'changing a list and its entries after a replace does not change the store'],
  ['keeps at most 500 entries', (store) => ({
    get: async (s) => (await store.get(s)).slice(-500),
  }), 'a thousand entries are all there in order'],
];

/** The same for the optional parts: a lock, and a second handle. */
const WRONG_PARTS = [
  ['has a lock that lets everybody in', (store) => ({ store: { ...store, withLock: (s, fn) => fn() } }),
    'withLock lets one function of a session run at a time'],
  ['keeps its lock after an error', (store) => {
    const tails = new Map();
    const withLock = (s, fn) => {
      const turn = (tails.get(s) ?? Promise.resolve()).then(fn);
      tails.set(s, turn);
      return turn;
    };
    return { store: { ...store, withLock } };
  }, 'withLock gives what its function gives, and passes on what it throws'],
  ['has one lock for all sessions', (store) => ({
    store: { ...store, withLock: (s, fn) => plainLock.withLock('all', fn) },
  }), 'withLock of one session does not wait for another'],
  ['has handles that read once', (store) => ({ store, another: () => readingOnce(store) }), 'what one handle wrote, another sees'],
  ['has handles that each dedupe alone', (store) => ({ store, another: () => ({ ...store, append: appendUnchecked(store) }) }),
    'of appends of one id through two handles at once exactly one is inserted'],
];
const plainLock = plainStore({ withLock: true });

describe('each wrong store is told', () => {
  const wrong = [
    ...WRONG.map(([what, make, title]) => [what, (store) => ({ store: { ...store, ...make(store) } }), title]),
    ...WRONG_PARTS,
  ];
  for (const [what, make, title] of wrong) {
    test(`one that ${what}`, async () => {
      const simple = 'a first append is inserted, and get shows it at once';
      const { passed, failed } = await run(() => make(plainStore()), { timeout: 3_000, only: [simple, title] });
      assert.deepEqual(passed, [simple], `"${title}" did not fail, or more than it: ${JSON.stringify([...failed])}`);
      assert.ok(failed.has(title), `there is no case "${title}"`);
    });
  }
});

test('a store that is wrong in many ways fails many cases, and every case ends', async () => {
  const { failed } = await run(() => {
    const store = { ...plainStore(), ...byReference() };
    return { ...store, ...WRONG.find(([what]) => what.startsWith('replaces by clearing'))[1](store) };
  });
  assert.ok(failed.size >= 8, `${failed.size} failed`);
  for (const message of failed.values()) assert.doesNotMatch(message, /did not answer/);
});

/** The store under other names. */
function renamed(store, id, session = (name) => name) {
  const named = (entry) => ({ ...entry, renamedFrom: entry.input, input: { ...entry.input, id: id(entry.input.id) } });
  const restored = ({ renamedFrom, ...entry }) => ({ ...entry, input: renamedFrom });
  return {
    append: (s, entry) => store.append(session(s), named(entry)),
    get: async (s) => (await store.get(session(s))).map(restored),
    replace: (s, entries) => store.replace(session(s), entries.map(named)),
    clear: (s) => store.clear(session(s)),
    getResponseById: (s, m) => store.getResponseById(session(s), id(m)),
  };
}

/** The store with every text and number of a payload changed on the way in. */
function rewritten(store, text, number = (n) => n) {
  const change = (value) => JSON.parse(JSON.stringify(value), (_, inner) => {
    if (typeof inner === 'string') return text(inner);
    return typeof inner === 'number' ? number(inner) : inner;
  });
  const changed = (entry) => ({ ...change(entry), input: { ...change(entry.input), timestamp: entry.input.timestamp } });
  return {
    append: (s, entry) => store.append(s, changed(entry)),
    replace: (s, entries) => store.replace(s, entries.map(changed)),
  };
}

function sortKeys(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortKeys(value[key])]));
}

function assignKeys(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(assignKeys);
  const copy = {};
  for (const key of Object.keys(value)) copy[key] = assignKeys(value[key]);
  return copy;
}

/** What a first attempt looks like: a Map of the very arrays and objects that were handed in. */
function byReference() {
  const sessions = new Map();
  const list = (s) => sessions.get(s) ?? [];
  return {
    async append(s, entry) {
      if (list(s).some((old) => old.input.id === entry.input.id)) return 'deduped';
      sessions.set(s, [...list(s), entry]);
      return 'inserted';
    },
    async get(s) { return [...list(s)]; },
    async replace(s, entries) { sessions.set(s, entries); },
    async clear(s) { sessions.delete(s); },
    async getResponseById(s, id) { return list(s).find((old) => old.input.id === id)?.output; },
  };
}

/** Another first attempt: an object literal as the map of sessions. */
function inObjectLiteral() {
  const sessions = {};
  const list = (s) => sessions[s] ?? [];
  return {
    async append(s, entry) {
      if (list(s).some((old) => old.input.id === entry.input.id)) return 'deduped';
      sessions[s] = [...list(s), structuredClone(entry)];
      return 'inserted';
    },
    async get(s) { return structuredClone(list(s)); },
    async replace(s, entries) { sessions[s] = structuredClone(entries); },
    async clear(s) { delete sessions[s]; },
    async getResponseById(s, id) { return list(s).find((old) => old.input.id === id)?.output; },
  };
}

/** A handle that never looks again at a session it has read. */
function readingOnce(store) {
  const read = new Map();
  return {
    ...store,
    async get(s) {
      if (!read.has(s)) read.set(s, await store.get(s));
      return structuredClone(read.get(s));
    },
  };
}

/** An append that knows only the ids that went through it. */
function appendUnchecked(store) {
  const seen = new Set();
  return async (s, entry) => {
    const { id } = entry.input;
    if (seen.has(id)) return 'deduped';
    seen.add(id);
    return (await store.append(s, entry), 'inserted');
  };
}
