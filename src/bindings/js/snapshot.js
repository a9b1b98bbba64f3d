// One pass over a live value: read each property once, refuse what JSON cannot hold, copy, freeze.
//
// The invariant: what comes back is plain, detached and deeply frozen, and JSON.stringify followed by
// JSON.parse gives the same value again.
//
// Ordinary values are shallow, so the pass recurses, which is fastest; from DEEP levels on it goes on
// with a list of its own, so that no nesting overflows the stack. Cycles are looked for there only: a
// cycle is always deeper than DEEP.

import { ValidationError } from './errors.js';

const DEEP = 128;

// The containers and keys from the root to where the pass is. Shared by all calls: a getter may come
// back in here, and works above the place of the call it interrupts.
const containers = [];
const keys = [];
let top = 0;

/**
 * A deeply frozen copy of `value`.
 *
 * `undefined` as a property counts as absent where `omitUndefined` is set, and is refused elsewhere.
 * Throws a ValidationError (code `not_json`) with the path of the first offender; what a getter or a
 * proxy throws is its cause. Linear in the size of the value.
 */
export function snapshot(value, omitUndefined) {
  const base = top;
  try {
    return typeof value === 'object' && value !== null ? copy(value, omitUndefined, base) : scalar(value, base);
  } catch (error) {
    if (error instanceof Refusal) throw error.asError();
    throw new Refusal('cannot be read', pathOf(base, top), error).asError();
  } finally {
    top = base;
    containers.length = base;
    keys.length = base;
  }
}

function copy(source, omitUndefined, base) {
  if (top - base >= DEEP) return copyDeep(source, omitUndefined, base);
  const at = top++;
  containers[at] = source;
  keys[at] = undefined;
  let target;
  if (Array.isArray(source)) {
    const length = checkArray(source, base, at);
    target = [];
    for (let index = 0; index < length; index++) {
      keys[at] = index;
      const value = source[index];
      target[index] = typeof value === 'object' && value !== null ? copy(value, omitUndefined, base) : scalar(value, base);
    }
  } else {
    target = {};
    const names = checkObject(source, base, at);
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      keys[at] = name;
      const value = source[name];
      if (value === undefined && omitUndefined) continue;
      const kept = typeof value === 'object' && value !== null ? copy(value, omitUndefined, base) : scalar(value, base);
      if (name === '__proto__') define(target, kept);
      else target[name] = kept;
    }
  }
  top = at;
  return Object.freeze(target);
}

/** The same from here down with an explicit stack, looking for cycles. */
function copyDeep(source, omitUndefined, base) {
  const at = top;
  const ancestors = new Set(containers.slice(base, at));
  const root = open(source, ancestors, base);
  const stack = [root];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1];
    if (frame.next === frame.count) {
      stack.pop();
      ancestors.delete(frame.source);
      Object.freeze(frame.target);
      top--;
      continue;
    }
    const name = frame.names === undefined ? frame.next : frame.names[frame.next];
    frame.next++;
    keys[top - 1] = name;
    let value = frame.source[name];
    if (value === undefined && omitUndefined && frame.names !== undefined) continue;
    if (typeof value === 'object' && value !== null) {
      const child = open(value, ancestors, base);
      stack.push(child);
      value = child.target;
    } else {
      scalar(value, base);
    }
    if (name === '__proto__') define(frame.target, value);
    else frame.target[name] = value;
  }
  top = at;
  return root.target;
}

function open(source, ancestors, base) {
  const at = top++;
  containers[at] = source;
  keys[at] = undefined;
  if (ancestors.has(source)) refuse('is part of a cycle', base, firstRepeated(base));
  ancestors.add(source);
  if (Array.isArray(source)) {
    const count = checkArray(source, base, at);
    return { source, target: [], names: undefined, count, next: 0 };
  }
  const names = checkObject(source, base, at);
  return { source, target: {}, names, count: names.length, next: 0 };
}

function checkArray(source, base, at) {
  const prototype = Object.getPrototypeOf(source);
  if (prototype !== Array.prototype && !(Array.isArray(prototype) && isBuiltIn(prototype, 'Array'))) {
    refuse('is an array of another class', base, at);
  }
  const { length } = source;
  // A dense array without extras has exactly one key for each item, and `length`.
  if (Reflect.ownKeys(source).length !== length + 1) {
    for (let index = 0; index < length; index++) {
      if (!Object.hasOwn(source, index)) {
        keys[at] = index;
        refuse('is a hole in a sparse array', base, at + 1);
      }
    }
    refuse('is an array with named properties', base, at);
  }
  return length;
}

function checkObject(source, base, at) {
  const prototype = Object.getPrototypeOf(source);
  if (prototype !== Object.prototype && prototype !== null) {
    const plain = Object.getPrototypeOf(prototype) === null && isBuiltIn(prototype, 'Object');
    if (!plain) refuse(`is an instance of ${className(prototype)}, not a plain object`, base, at);
  }
  const names = Object.keys(source);
  if (Reflect.ownKeys(source).length !== names.length) refuse('has symbol or hidden properties', base, at);
  return names;
}

/** Whether this is the language's own prototype, of any realm: what a frame or a test's context makes is as plain. */
function isBuiltIn(prototype, name) {
  const type = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof type !== 'function' || type.prototype !== prototype) return false;
  // Browsers print the brackets on one line or on three.
  const [head, body] = Function.prototype.toString.call(type).split('{');
  return head === `function ${name}() ` && /^\s*\[native code\]\s*\}$/.test(body);
}

function className(prototype) {
  const type = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return (typeof type === 'function' && type.name) || 'a class';
}

function scalar(value, base) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(`is ${value}, which JSON cannot hold`, base, top);
      if (value === 0 && 1 / value < 0) refuse('is -0, which JSON cannot hold', base, top);
      return value;
    default:
      if (value === null) return null;
      return refuse(`is of type ${typeof value}, which JSON cannot hold`, base, top);
  }
}

function define(target, value) {
  Object.defineProperty(target, '__proto__', { value, enumerable: true, configurable: true, writable: true });
}

/** The first place on the way down at which a container comes again. */
function firstRepeated(base) {
  const seen = new Set();
  let at = base;
  while (!seen.has(containers[at])) seen.add(containers[at++]);
  return at;
}

/** Throws, naming the value below the containers `base` to `end`. */
function refuse(reason, base, end) {
  throw new Refusal(reason, pathOf(base, end));
}

/** A refusal on its way out: told apart from whatever a getter throws. */
class Refusal {
  constructor(reason, path, cause) {
    Object.assign(this, { reason, path, cause });
  }

  asError() {
    const { reason, path, cause } = this;
    return new ValidationError('not_json', path === undefined ? reason : `${path}: ${reason}`, { path, cause });
  }
}

function pathOf(base, end) {
  let path = '';
  for (let at = base; at < end && keys[at] !== undefined; at++) path = below(path, keys[at]);
  return path === '' ? undefined : path;
}

function below(path, key) {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
