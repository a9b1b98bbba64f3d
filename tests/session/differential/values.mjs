// Random values, most of which JSON can hold. The same number always makes the same value, a new one each time: what is
// read twice, or kept by one of the two, must not be seen by the other.

import { runInNewContext } from 'node:vm';
import { refusedValues } from '../../node/refused_values.mjs';
import { Thrown } from './reference.mjs';

const SCALARS = [
  null, true, false, 0, 1, -1, 1.5, 1e21, -1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53, 2 ** 53 + 2,
  '', 'text', 'null', '\ud83d', '\ude00', 'a\ud83d\ude00', '\u0000', '"\\\n\u2028', 'größer 売上 🎉 👩‍🔬',
];
const KEYS = ['a', 'b', 'content', 'reason', '7', '01', '', '__proto__', 'constructor', 'toJSON', 'length', 'then', '\ud83d', '\u0000'];

/** What is lossless although it does not look so. */
const ODD = [
  (make) => Object.assign(Object.create(null), { a: make() }),
  (make) => Object.freeze({ a: make() }),
  (make) => Object.freeze([make()]),
  (make) => new Proxy({ a: make() }, {}),
  (make) => new Proxy([make()], {}),
  (make) => { const shared = { a: make() }; return [shared, shared]; },
  (make) => { const value = make(); return withGetter({}, 'a', () => value); },
  (make) => { const value = make(); return withGetter([0, 0], 1, () => value); },
  () => runInNewContext('({ a: [1, { b: null }] })'),
  () => runInNewContext('[{ a: [] }]'),
  // Each value is read once, so the second one is never seen.
  () => { let reads = 0; return withGetter({}, 'a', () => (reads++ === 0 ? 1 : NaN)); },
  (make, dice) => { let value = make(); for (let level = 100 + dice.below(60); level > 0; level--) value = level % 2 ? [value] : { d: value }; return value; },
  () => Object.defineProperty([1], 0, { value: 1, enumerable: false }),
];

/** What JSON cannot hold, besides those of `refused_values.mjs`. */
const LOSSY = [
  ...refusedValues.map(([, make]) => make),
  () => undefined,
  () => { const cycle = {}; cycle.a = [cycle]; return cycle; },
  () => { let inner = []; const cycle = inner; for (let level = 0; level < 200; level++) inner = inner[0] = []; inner[0] = cycle; return cycle; },
  () => [1, , 2], // eslint-disable-line no-sparse-arrays
  () => new Array(3),
  () => Object.assign([1], { extra: 1 }),
  () => { const list = Object.assign([1], { extra: 1 }); list.length = 2; return list; },
  () => ({ [Symbol('x')]: 1 }),
  () => Object.defineProperty({ a: 1 }, 'hidden', { value: 1, enumerable: false }),
  () => Object.create({ inherited: 1 }),
  () => Object.create(Object.create(null)),
  () => Object.create(Object.assign(Object.create(null), { isPrototypeOf: 1, constructor: Object })),
  () => Object.create(Object.defineProperty(Object.create(null), 'constructor', { value: class Object {} })),
  () => Object.setPrototypeOf([1], Object.create(Array.prototype)),
  () => Object.setPrototypeOf([1], null),
  () => new (class extends Array {})(1, 2),
  () => (function list() { return arguments; })(1), // eslint-disable-line prefer-rest-params
  () => ({ toJSON: () => 1 }),
  () => JSON,
  () => Object.prototype,
  () => Array.prototype,
  () => runInNewContext('new Map()'),
  () => runInNewContext('new (class extends Array {})()'),
  () => { const list = [0, 1]; return withGetter(list, 0, () => { list.length = 1; return 1; }); },
  () => { const object = { a: 0, b: 1 }; return withGetter(object, 'a', () => { delete object.b; return 1; }); },
  () => withGetter({}, 'a', () => { throw new Thrown('by a getter'); }),
  () => new Proxy({}, { ownKeys() { throw new Thrown('by a proxy'); } }),
];

function withGetter(target, key, get) {
  return Object.defineProperty(target, key, { get, enumerable: true, configurable: true });
}

/** A value in which what is lossy comes up `lossyPercent` of a hundred times. */
export function anyValue(dice, lossyPercent = 0) {
  const poison = dice.percent(lossyPercent) ? dice.pick(LOSSY) : undefined;
  const place = dice.below(4);
  const value = losslessValue(dice, 0);
  if (poison === undefined) return value;
  return [() => poison(), () => [value, poison()], () => ({ a: value, b: poison() }), () => [{ a: [poison(), value] }]][place]();
}

/** A value that JSON holds without loss. */
export function losslessValue(dice, depth = 0) {
  if (depth > 2 || dice.percent(45)) return dice.pick(SCALARS);
  const inner = () => losslessValue(dice, depth + 1);
  if (dice.percent(15)) return dice.pick(ODD)(inner, dice);
  if (dice.percent(50)) return Array.from({ length: dice.below(4) }, inner);
  const object = {};
  for (let count = dice.below(4); count > 0; count--) {
    Object.defineProperty(object, dice.pick(KEYS), { value: inner(), enumerable: true, configurable: true, writable: true });
  }
  return object;
}
