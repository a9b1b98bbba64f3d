// The order of work: one at a time for each session, in the order asked; appends that wait for their turn are
// written together.

export class Lanes {
  #lanes = new Map();
  #ready;
  #whenIdle;
  #timer;

  /** `ready()` resolves when work may begin; `whenIdle` is called some time after the last one has ended. */
  constructor(ready, whenIdle) {
    this.#ready = ready;
    this.#whenIdle = whenIdle;
  }

  /** Runs `work` once nothing else is under way for the session. */
  async alone(id, work) {
    const lane = this.#lane(id);
    const before = lane.last;
    lane.running++;
    lane.last = before.then(work).finally(() => {
      if (--lane.running > 0) return;
      this.#lanes.delete(id);
      this.#restLater();
    });
    const result = lane.last;
    // The next one goes on whatever became of this one.
    lane.last = lane.last.catch(() => {});
    return result;
  }

  /** Has `write` called with this ticket and those of all others who wait; resolves when it has resolved. */
  join(id, ticket, write) {
    return new Promise((resolve, reject) => {
      this.#lane(id).waiting.push({ ticket, resolve, reject });
      this.alone(id, () => this.#writeWaiting(id, write)).catch(reject);
    });
  }

  /** `[session, ticket]` of all appends that were not acknowledged yet, in the order of each session. */
  pending() {
    return Array.from(this.#lanes, ([id, { writing, waiting }]) => [...writing, ...waiting].map(({ ticket }) => [id, ticket])).flat();
  }

  /** Resolves when nothing is under way any more. */
  async idle() {
    while (this.#lanes.size > 0) await Promise.all(Array.from(this.#lanes.values(), ({ last }) => last));
  }

  #lane(id) {
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { running: 0, last: this.#ready(), waiting: [], writing: [] };
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  /** Not before everybody who was waiting for a session has looked at it, which takes microtasks only. */
  #restLater() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#lanes.size === 0) this.#whenIdle();
    });
  }

  async #writeWaiting(id, write) {
    const lane = this.#lane(id);
    const batch = lane.waiting.splice(0);
    if (batch.length === 0) return;
    lane.writing = batch;
    try {
      await write(batch.map(({ ticket }) => ticket));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1) return batch[0].reject(error);
      // One bad entry must not take its neighbours along.
      for (const { ticket, resolve, reject } of batch) await write([ticket]).then(resolve, reject);
    } finally {
      lane.writing = [];
    }
  }
}
