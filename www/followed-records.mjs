// The newest records of a transcript that somebody else changes, and which of them have changed since they were last looked at.
export class FollowedRecords {
  /** @type {Map<number, {record: object, text: string}>} by id, as they were looked at last */
  #seen = new Map();

  /** @param {import('/pkg/index.js').HistoryState} state */
  constructor(state) {
    this.state = state;
  }

  /** @returns {{ids: number[], read: (id: number) => object, hidden: number, changed: Set<number>}} as a view takes it */
  update(limit) {
    const hidden = Math.max(0, this.state.length - limit);
    const seen = new Map();
    const changed = new Set();
    for (let at = hidden; at < this.state.length; at += 1) {
      const record = this.state.get(at);
      const text = JSON.stringify(record);
      const before = this.#seen.get(record.id);
      if (before !== undefined && before.text !== text) changed.add(record.id);
      seen.set(record.id, { record, text });
    }
    this.#seen = seen;
    return { ids: [...seen.keys()], read: (id) => seen.get(id).record, hidden, changed };
  }
}
