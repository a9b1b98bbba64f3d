// The engine: options in, the core's engine, change notices out.

import { core } from './core.js';
import { snapshot } from './glue.js';
import { readOptions, refuse } from './options.js';
import { err } from './result.js';
import { engineWrote, handleOf } from './stores.js';

const HISTORY = ['store', 'maxEntries', 'maxChars', 'retention', 'transformEntry', 'deriveLLMContext'];

export function createEngine(options) {
  const { planner, history } = readOptions(options, ['planner', 'history']);
  const plan = planFunction(planner);
  if (history === undefined) return new Engine(core().RawEngine.alone(plan));
  const settings = readOptions(history, HISTORY);
  return new Engine(withHistory(plan, settings), settings.store);
}

class Engine {
  #raw;
  #store;

  constructor(raw, store) {
    this.#raw = raw;
    this.#store = store;
  }

  async handle(message, options) {
    let frozen;
    let signal;
    try {
      frozen = snapshot(message, true);
      ({ signal } = readOptions(options, ['signal']));
      if (signal !== undefined && !(signal instanceof AbortSignal)) refuse('signal', 'must be an AbortSignal');
    } catch (error) {
      return err(error);
    }
    const result = await this.#raw.handle(frozen, signal);
    if (result.ok && (result.value.outcome === 'inserted' || result.value.replayed === false)) {
      this.#wrote(frozen.sessionId, frozen.id);
    }
    return result;
  }

  async getHistory(sessionId) {
    return this.#raw.getHistory(sessionId);
  }

  async getLLMContext(sessionId) {
    return this.#raw.getLLMContext(sessionId);
  }

  async getLLMContextBytes(sessionId) {
    return this.#raw.getLLMContextBytes(sessionId);
  }

  async importHistory(sessionId, entries) {
    let frozen;
    try {
      frozen = snapshot(entries, true);
    } catch (error) {
      return err(error);
    }
    const result = await this.#raw.importHistory(sessionId, frozen);
    if (result.ok && result.value.inserted > 0) this.#wrote(sessionId);
    return result;
  }

  #wrote(sessionId, messageId) {
    if (this.#store !== undefined) engineWrote(this.#store, sessionId, messageId);
  }
}

function planFunction(planner) {
  if (typeof planner === 'function') return (request, context) => planner(request, context);
  const { plan } = readOptions(planner, ['plan']);
  if (typeof plan === 'function') return (request, context) => planner.plan(request, context);
  return refuse('planner', 'must be a function or an object with a plan method');
}

function withHistory(plan, { store, maxEntries, maxChars, retention, transformEntry, deriveLLMContext }) {
  for (const [name, hook] of Object.entries({ transformEntry, deriveLLMContext })) {
    if (hook !== undefined && typeof hook !== 'function') refuse(`history.${name}`, 'must be a function');
  }
  // No store is ever chosen for the caller: one in memory could pass for a durable one.
  if (typeof store !== 'object' || store === null) refuse('history.store', 'is required');
  for (const [name, bound] of Object.entries({ maxEntries, maxChars })) {
    if (bound !== undefined && typeof bound !== 'number') refuse(`history.${name}`, 'must be a positive integer');
  }
  if (retention !== undefined && retention !== 'truncate' && retention !== 'keep') {
    refuse('history.retention', "must be 'truncate' or 'keep'");
  }
  const { RawBounds, RawEngine } = core();
  const bounds = new RawBounds(maxEntries, maxChars, retention === 'keep');
  const handle = handleOf(store);
  return handle === undefined
    ? RawEngine.foreign(plan, store, bounds, transformEntry, deriveLLMContext)
    : RawEngine.own(plan, handle, bounds, transformEntry, deriveLLMContext);
}
