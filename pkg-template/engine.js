// The engine: options in, the core's engine, change notices out.

import { core } from './core.js';
import { ValidationError } from './glue.js';
import { engineWrote, handleOf } from './stores.js';

export function createEngine({ planner, history } = {}) {
  const plan = planFunction(planner);
  const raw = history === undefined ? core().RawEngine.alone(plan) : withHistory(plan, history);
  return new Engine(raw, history?.store);
}

class Engine {
  #raw;
  #store;

  constructor(raw, store) {
    this.#raw = raw;
    this.#store = store;
  }

  async handle(message, { signal } = {}) {
    const result = await this.#raw.handle(message, signal);
    if (result.ok && (result.value.outcome === 'inserted' || result.value.replayed === false)) {
      this.#wrote(message.sessionId);
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
    const result = await this.#raw.importHistory(sessionId, entries);
    if (result.ok && result.value.inserted > 0) this.#wrote(sessionId);
    return result;
  }

  #wrote(sessionId) {
    if (this.#store !== undefined) engineWrote(this.#store, sessionId);
  }
}

function planFunction(planner) {
  if (typeof planner === 'function') return (request, context) => planner(request, context);
  if (typeof planner?.plan === 'function') return (request, context) => planner.plan(request, context);
  throw new ValidationError('invalid', 'planner: must be a function or an object with a plan method', {
    path: 'planner',
  });
}

function withHistory(plan, { store, maxEntries, maxChars, retention, transformEntry, deriveLLMContext }) {
  for (const [name, hook] of Object.entries({ transformEntry, deriveLLMContext })) {
    if (hook !== undefined && typeof hook !== 'function') {
      throw new ValidationError('invalid', `history.${name}: must be a function`, { path: `history.${name}` });
    }
  }
  if (typeof store !== 'object' || store === null) {
    throw new ValidationError('invalid', 'history.store: is required', { path: 'history.store' });
  }
  for (const [name, bound] of Object.entries({ maxEntries, maxChars })) {
    if (bound !== undefined && typeof bound !== 'number') {
      throw new ValidationError('invalid', `history.${name}: must be a positive integer`, { path: `history.${name}` });
    }
  }
  if (retention !== undefined && retention !== 'truncate' && retention !== 'keep') {
    throw new ValidationError('invalid', "history.retention: must be 'truncate' or 'keep'", { path: 'history.retention' });
  }
  const { RawBounds, RawEngine } = core();
  const bounds = new RawBounds(maxEntries, maxChars, retention === 'keep');
  const handle = handleOf(store);
  return handle === undefined
    ? RawEngine.foreign(plan, store, bounds, transformEntry, deriveLLMContext)
    : RawEngine.own(plan, handle, bounds, transformEntry, deriveLLMContext);
}
