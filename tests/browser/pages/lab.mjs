// What a page of the store tests offers to the functions that a test evaluates in it, as `globalThis.lab`.
import * as turnlog from './pkg/index.js';
import { default as startCore } from './pkg/turnlog.js';
import * as entries from './entries.mjs';
import * as database from './database.mjs';
import { runKit } from './kit.mjs';

const ready = turnlog.init();

/** The stores this page opened, by name: a test's evaluations share them. */
const stores = new Map();

globalThis.lab = {
  ...turnlog,
  ...entries,
  ...database,
  runKit,
  ready,

  /** The page's one IndexedDB store of this name. */
  store(name = 'turnlog') {
    if (!stores.has(name)) stores.set(name, turnlog.createIndexedDbStore({ name }));
    return stores.get(name);
  },

  /** An engine with a planner that says which request it answers, and counts its calls in `engine.planned`. */
  engine(store, history = {}, reply = (request) => `answered ${request.id}`) {
    const engine = turnlog.createEngine({
      planner: (request, context) => {
        engine.planned.push(request.id);
        return { userMessage: reply(request, context) };
      },
      history: { store, ...history },
    });
    engine.planned = [];
    return engine;
  },

  /** What a promise came to: its value, or the code and the class of the error. */
  async outcome(promise) {
    try {
      return { value: await promise };
    } catch (error) {
      return { name: error.name, code: error.code, message: error.message, details: error.details };
    }
  },

  async ids(store, session) {
    return (await store.get(session)).map((entry) => entry.input.id);
  },

  /** Runs a module of this folder in a dedicated worker and gives what it posts; rejects on an error there. */
  inWorker(url, message) {
    const worker = new Worker(url, { type: 'module' });
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => ('failed' in data ? reject(new Error(data.failed)) : resolve(data.value));
      worker.onerror = (event) => reject(new Error(`${event.message} (${event.filename}:${event.lineno})`));
      worker.postMessage(message);
    }).finally(() => worker.terminate());
  },

  /** Bytes of the core's memory. It never shrinks. */
  async coreMemory() {
    await ready;
    return (await startCore()).memory.buffer.byteLength;
  },
};
