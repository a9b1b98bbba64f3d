// Random numbers for tests that are to be repeated.

/** Numbers that look random, the same for the same seed (mulberry32). */
export class Dice {
  #state;

  constructor(seed) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 up to `count`, without it. */
  below(count) {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * count);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** True in so many of a hundred cases. */
  percent(share) {
    return this.below(100) < share;
  }

  shuffled(list) {
    const out = [...list];
    for (let at = out.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [out[at], out[other]] = [out[other], out[at]];
    }
    return out;
  }
}
