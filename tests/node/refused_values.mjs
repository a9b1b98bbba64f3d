// The values that are not lossless JSON, each with a maker: some of them change when they are looked at.

class Point {
  constructor() {
    this.x = 1;
  }
}

/** `[what, make]`; each is refused wherever it stands. */
export const refusedValues = [
  ['a BigInt', () => 1n],
  ['a function', () => () => 1],
  ['a symbol', () => Symbol('s')],
  ['NaN', () => NaN],
  ['Infinity', () => Infinity],
  ['-Infinity', () => -Infinity],
  ['-0', () => -0],
  ['a Map', () => new Map([['a', 1]])],
  ['a Set', () => new Set([1])],
  ['a Date', () => new Date(0)],
  ['a class instance', () => new Point()],
  ['a regular expression', () => /x/],
  ['a typed array', () => new Uint8Array(2)],
  ['an ArrayBuffer', () => new ArrayBuffer(2)],
  ['an Error', () => new Error('x')],
  ['a promise', () => Promise.resolve(1)],
  ['a boxed number', () => Object(1)],
  ['a boxed string', () => Object('x')],
];
