// Those who watch a store's sessions. What they throw is theirs: it is told of and changes nothing, except that a
// listener of `session/created` may veto.

import { ValidationError } from '../glue.js';

const EVENTS = ['session/created', 'session/event', 'session/flush', 'session/disposed'];

export class Listeners {
  #lists = new Map(EVENTS.map((event) => [event, []]));
  #warn;

  /** `warn(text)` is told of failures that are contained. */
  constructor(warn) {
    this.#warn = warn;
  }

  /** Adds a listener; the function given back takes it away again. */
  add(event, listener) {
    const list = this.#lists.get(event);
    if (list === undefined) throw new ValidationError('invalid', `there is no event "${event}"; there are ${EVENTS.join(', ')}`);
    const entry = { listener };
    list.push(entry);
    return () => {
      const at = list.indexOf(entry);
      if (at >= 0) list.splice(at, 1);
    };
  }

  /** Calls each listener in order. `mayVeto`: the first throw ends that and is thrown on. */
  call(event, given, mayVeto = false) {
    const [{ id }] = given;
    for (const { listener } of [...this.#lists.get(event)]) {
      try {
        const result = listener(...given);
        if (typeof result?.then === 'function') result.then(undefined, (error) => this.#tell(id, event, 'rejected', error));
      } catch (error) {
        if (mayVeto) throw error;
        this.#tell(id, event, 'threw', error);
      }
    }
  }

  /** Starts all listeners, waits for all, and then throws what the first one to fail, in their order, has thrown. */
  async settle(event, ...given) {
    const started = [...this.#lists.get(event)].map(async ({ listener }) => listener(...given));
    const failed = (await Promise.allSettled(started)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #tell(id, event, how, error) {
    this.#warn(`session "${id}": ${event} listener ${how}: ${error}`);
  }
}
