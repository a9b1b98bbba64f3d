// Random choices that are the same for the same seed, in a page and in Node alike.

/** A generator for anything that can be written as text, as in `seeded(7, 'kills', 12)`. */
export function seeded(...seed) {
  // A text's characters mixed into one number, which is then stepped from choice to choice.
  let state = 0x9e3779b9;
  for (const unit of JSON.stringify(seed)) state = mix(state ^ unit.codePointAt(0));
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state) / 2 ** 32;
  };
  /** A whole number from `least` to `most`. */
  const between = (least, most) => least + Math.floor(next() * (most - least + 1));
  return { next, between, pick: (list) => list[between(0, list.length - 1)], chance: (share) => next() < share };
}

function mix(number) {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
