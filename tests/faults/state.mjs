// How far the campaign has come, kept in a file after each round, so that a second run goes on where one ended.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Problems beyond these are counted only. */
const MOST_PROBLEMS = 40;

export class State {
  #file;
  #data;

  constructor(file, data) {
    this.#file = file;
    this.#data = data;
  }

  /** Takes up what the file holds of the same seed; `fresh` begins anew. Without a file nothing is kept. */
  static async load(file, { seed, fresh }) {
    const kept = fresh || file === undefined ? undefined : await readFile(file, 'utf8').then(JSON.parse, () => undefined);
    return new State(file, kept?.seed === seed ? kept : { seed, engines: {}, problems: [] });
  }

  get seed() {
    return this.#data.seed;
  }

  get problems() {
    return this.#data.problems;
  }

  get engines() {
    return this.#data.engines;
  }

  of(engine) {
    return (this.#data.engines[engine] ??= {
      kills: 0, acknowledged: 0, lost: 0, doubled: 0, misordered: 0, faults: {},
    });
  }

  /** How often this fault was tried already. */
  runs(engine, fault) {
    return this.of(engine).faults[fault] ?? 0;
  }

  /** Adds a round's counts, and `runs` of a fault. */
  add(engine, { acknowledged = 0, lost = [], doubled = [], misordered = [], kills = 0, problems = [] }, fault, runs = 1) {
    const sums = this.of(engine);
    sums.kills += kills;
    sums.acknowledged += acknowledged;
    sums.lost += lost.length;
    sums.doubled += doubled.length;
    sums.misordered += misordered.length;
    if (fault !== undefined) sums.faults[fault] = this.runs(engine, fault) + runs;
    const what = fault ?? 'kills';
    for (const [kind, ids] of Object.entries({ lost, doubled, misordered })) {
      if (ids.length > 0) this.#tell(`${engine} ${what}: ${ids.length} ${kind}: ${ids.slice(0, 5).join(' ')}`);
    }
    for (const problem of problems) this.#tell(`${engine} ${what}: ${problem}`);
  }

  #tell(problem) {
    console.log(`  PROBLEM ${problem}`);
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(problem);
  }

  async save() {
    if (this.#file === undefined) return;
    await mkdir(path.dirname(this.#file), { recursive: true });
    // Renamed into place: a run that is killed meanwhile leaves the one before.
    await writeFile(`${this.#file}.new`, JSON.stringify(this.#data));
    await rename(`${this.#file}.new`, this.#file);
  }
}
