// The scanner against the engine's own JSON.parse and JSON.stringify, on a hundred thousand random documents each way.
// Documented differences: -0 and numbers beyond a double, which JSON.parse takes and JSON.stringify cannot give back.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from 'turnlog';
import * as raw from '../../pkg/turnlog.js';

const DOCUMENTS = 100_000;
/** Another seed looks at other documents; every run with one seed looks at the same. */
const SEED = Number(process.env.JSON_TEST_SEED ?? 1);

before(() => init());

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** mulberry32: small, fast and the same everywhere. `below(n)` is 0 to n - 1. */
function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)] };
}

const SPACES = ['', '', '', '', ' ', '\n', '\t', '\r\n', '  '];
const CHARACTERS = ['a', 'Z', '0', ' ', '/', 'é', '漢', '😀', '\u2028', '\u2029', '\u007f', '\ufeff', '\uffff', '{', '}', '[', ',', ':', '\u0000',
  '\u001f', '\n', '\b', '"', '\\', '\ud83d', '\ude00'];
const SHORT = new Map([['\n', '\\n'], ['\b', '\\b'], ['"', '\\"'], ['\\', '\\\\'], ['/', '\\/']]);

/** JSON text of a random string; each character in one of the ways in which it can be written. */
function writeString(r, prefix = '') {
  let out = `"${prefix}`;
  for (let length = r.below(9); length > 0; length -= 1) {
    const character = r.pick(CHARACTERS);
    const mustEscape = character < ' ' || character === '"' || character === '\\' || !character.isWellFormed();
    if (SHORT.has(character) && r.below(2) === 0) out += SHORT.get(character);
    else if (mustEscape || r.below(4) === 0) {
      for (let unit = 0; unit < character.length; unit += 1) {
        const hex = character.charCodeAt(unit).toString(16).padStart(4, '0');
        out += `\\u${r.below(2) === 0 ? hex.toUpperCase() : hex}`;
      }
    } else out += character;
  }
  return `${out}"`;
}

function writeNumber(r) {
  const digits = (most) => Array.from({ length: 1 + r.below(most) }, () => r.below(10)).join('');
  const whole = r.below(3) === 0 ? '0' : `${1 + r.below(9)}${r.below(2) === 0 ? '' : digits(20)}`;
  const fraction = r.below(2) === 0 ? '' : `.${digits(20)}`;
  const exponent = r.below(3) > 0 ? '' : `${r.pick('eE')}${r.pick(['', '+', '-'])}${r.below(2) === 0 ? '' : '0'}${r.below(340)}`;
  return `${r.below(3) === 0 ? '-' : ''}${whole}${fraction}${exponent}`;
}

function writeValue(r, depth = 0) {
  const space = () => r.pick(SPACES);
  const kind = r.below(depth > 4 ? 5 : 8);
  if (kind === 0) return r.pick(['null', 'true', 'false']);
  if (kind <= 2) return writeString(r);
  if (kind <= 4) return writeNumber(r);
  const items = Array.from({ length: r.below(5) }, (_, index) => {
    const value = `${space()}${writeValue(r, depth + 1)}${space()}`;
    // The index keeps keys apart; one of two hundred is written twice, and the last one counts.
    return kind < 6 ? value : `${space()}${writeString(r, r.below(200) === 0 ? '' : `${index}`)}${space()}:${value}`;
  });
  return kind < 6 ? `[${items.join(',') || space()}]` : `{${items.join(',') || space()}}`;
}

const writeDocument = (r) => `${r.pick(SPACES)}${writeValue(r)}${r.pick(SPACES)}`;

/** One to three bytes of the text replaced, removed, added or moved. */
function spoil(r, bytes) {
  const out = [...bytes];
  for (let times = 1 + r.below(3); times > 0; times -= 1) {
    const at = r.below(out.length + 1);
    const byte = r.below(3) === 0 ? r.below(256) : r.pick(encoder.encode('[]{}",:\\u0123456789eE+-.truefalsn \n\u0000/'));
    const how = r.below(4);
    if (how === 0) out.splice(at, 1);
    else if (how === 1) out.splice(at, 0, byte);
    else if (how === 2) out.splice(at, 1, byte);
    else out.splice(at, 0, ...out.splice(r.below(out.length + 1), 1 + r.below(4)));
  }
  return Uint8Array.from(out);
}

/** What the scanner should say, by JSON.parse: `value` of what is JSON, and the `code` of a documented difference. */
function judged(bytes) {
  let value;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    return { code: 'refused' };
  }
  const found = new Set();
  const look = (inner) => {
    if (typeof inner === 'number' && Object.is(inner, -0)) found.add('negative_zero');
    else if (inner === Infinity || inner === -Infinity) found.add('number_out_of_range');
    else if (inner !== null && typeof inner === 'object') for (const name of Object.keys(inner)) look(inner[name]);
  };
  look(value);
  return { value, codes: found };
}

/** The value as text with its keys sorted, which is the same for the same value only. */
function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

function shown(bytes) {
  return JSON.stringify(new TextDecoder().decode(bytes));
}

/** Throws unless the scanner agrees with JSON.parse; gives the value where both take the text. */
function agreed(bytes) {
  const { value, code, codes } = judged(bytes);
  const said = raw.checkJson(bytes);
  if (code === 'refused') {
    // Invalid text may also hold a number that is refused before the place where it is invalid.
    assert.equal(typeof said, 'string', `JSON.parse refuses ${shown(bytes)}, the scanner does not`);
    return undefined;
  }
  if (codes.size > 0) {
    assert.ok(codes.has(said), `${[...codes]} in ${shown(bytes)}, the scanner says ${said}`);
    return undefined;
  }
  if (said === 'negative_zero' || said === 'number_out_of_range') {
    // Only under a key that is written twice is such a number out of JSON.parse's sight.
    assert.match(decoder.decode(bytes), /"\s*:/, `the scanner says ${said} of ${shown(bytes)}`);
    return undefined;
  }
  assert.equal(said, undefined, `JSON.parse takes ${shown(bytes)}, the scanner says ${said}`);
  return value;
}

describe('checkJson and sameJson', () => {
  test('take every document that JSON.parse takes, and what JSON.stringify makes of it is the same', () => {
    const r = random(SEED);
    let taken = 0;
    for (let n = 0; n < DOCUMENTS; n += 1) {
      const bytes = encoder.encode(writeDocument(r));
      const value = agreed(bytes);
      if (value === undefined) continue;
      taken += 1;
      const again = encoder.encode(JSON.stringify(value));
      assert.equal(raw.checkJson(again), undefined, `what JSON.stringify gave for ${shown(bytes)}`);
      assert.ok(raw.sameJson(bytes, again), `${shown(bytes)} and ${shown(again)}`);
    }
    assert.ok(taken > DOCUMENTS * 0.6, `only ${taken} documents had no documented difference`);
  });

  test('refuse every text that JSON.parse refuses, and tell different values apart', () => {
    const r = random(SEED + 1);
    const counts = { refused: 0, same: 0, different: 0 };
    for (let n = 0; n < DOCUMENTS; n += 1) {
      const original = encoder.encode(writeDocument(r));
      const bytes = spoil(r, original);
      const value = agreed(bytes);
      if (value === undefined) {
        counts.refused += 1;
        continue;
      }
      const first = judged(original);
      if (first.codes.size > 0 || raw.checkJson(original) !== undefined) continue;
      const same = canonical(value) === canonical(first.value);
      counts[same ? 'same' : 'different'] += 1;
      assert.equal(raw.sameJson(original, bytes), same, `${shown(original)} and ${shown(bytes)}`);
      assert.equal(raw.sameJson(bytes, original), same, 'the other way round');
    }
    for (const [what, count] of Object.entries(counts)) assert.ok(count > DOCUMENTS / 200, `${count} ${what}`);
  });

  test('the order of keys does not count, that of items does', () => {
    const same = (a, b) => raw.sameJson(encoder.encode(a), encoder.encode(b));
    assert.ok(same('{"a":1,"b":[1,{"c":2,"d":3}]}', ' {"b" : [1.0, {"d":3e0,"c":2}], "\\u0061":1}'));
    assert.ok(!same('[1,2]', '[2,1]'));
    assert.ok(!same('{"a":null}', '{}'));
    assert.ok(!same('"\\ud83d"', '"\\ufffd"'));
    assert.ok(!same('x', 'x'), 'what is no JSON is the same as nothing');
  });

  test('numbers are those of a double', () => {
    const r = random(SEED + 2);
    const double = new DataView(new ArrayBuffer(8));
    for (let n = 0; n < DOCUMENTS; n += 1) {
      double.setUint32(0, r.below(2 ** 32));
      double.setUint32(4, r.below(2 ** 32));
      const number = double.getFloat64(0);
      if (!Number.isFinite(number) || Object.is(number, -0)) continue;
      const bytes = encoder.encode(String(number));
      assert.equal(raw.checkJson(bytes), undefined, String(number));
      assert.ok(raw.sameJson(bytes, encoder.encode(number.toExponential(20))), String(number));
      double.setUint32(4, double.getUint32(4) ^ 1);
      assert.ok(!raw.sameJson(bytes, encoder.encode(String(double.getFloat64(0)))), `the neighbour of ${number}`);
    }
  });

  test('bytes that are no UTF-8, a byte order mark and half an escape are refused', () => {
    const bad = [[0x22, 0xff, 0x22], [0x22, 0xed, 0xa0, 0xbd, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xe2, 0x80, 0x22]];
    for (const bytes of bad) assert.equal(typeof raw.checkJson(Uint8Array.from(bytes)), 'string', bytes.join());
    for (const text of ['', ' ', '\ufeff1', '"\\u12"', '"\\x41"', "'a'", '01', '1.', '.5', '+1', '0x1', 'NaN', '[1,]', '{"a":1,}', '[1 2]', '1 1', '"\t"']) {
      assert.equal(typeof raw.checkJson(encoder.encode(text)), 'string', JSON.stringify(text));
    }
  });

  test('a million levels are taken or refused, and the next text is taken', () => {
    for (const [open, close] of [['[', ']'], ['{"a":', '}']]) {
      const said = raw.checkJson(encoder.encode(`${open.repeat(1e6)}1${close.repeat(1e6)}`));
      assert.ok(said === undefined || typeof said === 'string');
      assert.equal(typeof raw.checkJson(encoder.encode(open.repeat(1e6))), 'string');
      assert.equal(raw.checkJson(encoder.encode('[1]')), undefined);
    }
  });
});
