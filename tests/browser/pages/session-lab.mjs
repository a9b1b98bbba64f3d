// What pages of the tests of lasting sessions are given, as `globalThis.chat`: sessions over the page's one database, turns
// to fill them with, and a look at what is stored of them.
import { openDatabase } from './database.mjs';
import { turnEvents } from './session-turns.mjs';

/** What stores of sessions have warned of. */
export const warnings = [];

/** A store of sessions over the page's database. */
export const sessions = (options) => lab.createSessionStore({ storage: lab.store(), warn: (text) => warnings.push(text), ...options });

/** Appends a turn, or the first `count` events of it. */
export function write(session, turn, count) {
  for (const event of turnEvents(turn, session.seq).slice(0, count)) session.append(...event);
}

export const texts = ({ events }) => events.map((event) => JSON.stringify(event));

/** Why each turn of a session ended. */
export const endings = ({ events }) => events.flatMap(({ type, data }) => (type === 'turn/end' ? [data.reason.kind] : []));

/** The keys of what pages noted when they were left. */
export const notes = () => Object.keys(localStorage).filter((key) => key.includes(':events:'));

/** What a store that has nothing in memory reads of a session. */
export async function stored(id, options) {
  const storage = lab.createIndexedDbStore();
  try {
    return await lab.createSessionStore({ storage }).open(id, options);
  } finally {
    await storage.close();
  }
}

/** What was kept aside: of which session, and the bytes as text. */
export async function aside() {
  const found = await lab.store().damaged();
  return found.map(({ sessionId, bytes }) => [sessionId, bytes.map((value) => new TextDecoder().decode(value))]);
}

/** Runs `work({ events, logs }, resultOf)` in one writing transaction; gives what it gives, when that is durable. */
export async function tamper(work) {
  const database = await openDatabase('turnlog');
  try {
    const transaction = database.transaction(['events', 'logs'], 'readwrite', { durability: 'strict' });
    const over = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const [events, logs] = ['events', 'logs'].map((name) => transaction.objectStore(name));
    const resultOf = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const result = await work({ events, logs }, resultOf);
    await over;
    return result;
  } finally {
    database.close();
  }
}

/** Flips one bit of the row of events at that place. */
export const flip = (place) => tamper(async ({ events }, resultOf) => {
  const [keys, values] = [await resultOf(events.getAllKeys()), await resultOf(events.getAll())];
  const value = values.at(place);
  value[value.length - 9] ^= 1;
  events.put(value, keys.at(place));
});

/** All that is stored of sessions, as text that can be compared. */
export async function dump() {
  const { events, logs } = await lab.dump('turnlog');
  return JSON.stringify({ events, logs });
}

/** Keeps writes of events pending, and their transactions open, for as long as `globalThis.stuck` is set. */
export function stick() {
  globalThis.stuck = true;
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...given) {
    const request = put.apply(this, given);
    if (this.name !== 'events' || !globalThis.stuck) return request;
    // Who has put it hears of that when it is let go; until then there is always one more request.
    const hold = (tell) => {
      if (globalThis.stuck) this.get('none').onsuccess = () => hold(tell);
      else tell();
    };
    Object.defineProperty(request, 'onsuccess', {
      set: (listener) => request.addEventListener('success', (event) => hold(() => listener.call(request, event))),
    });
    return request;
  };
}
