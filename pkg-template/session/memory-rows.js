// Rows of transcripts that last as long as the page: a place like those of the databases.

export class MemoryRows {
  #rows = new Map();

  async readRows(key) {
    const { mark, rows } = this.#rows.get(key) ?? { rows: [] };
    return { mark, rows: [...rows] };
  }

  async writeRows(key, mark, next, count, changed) {
    const stored = this.#rows.get(key);
    if (mark !== undefined && stored?.mark !== mark) return false;
    const rows = (stored?.rows ?? []).slice(0, count);
    for (const [row, value] of changed) rows[row] = value;
    this.#rows.set(key, { mark: next, rows });
    return true;
  }

  async removeRows(key) {
    this.#rows.delete(key);
  }
}
