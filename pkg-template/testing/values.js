// Entries come back as they went in, to the last digit and code unit, whatever the store does with them inside.
import { appendAll, check, holds, injection, same, turn, turns } from './assertions.js';

const S = 'session';

const TEXTS = [
  ['NUL and the other control characters', '\u0000\u0001\b\t\n\u000b\f\r\u001f\u007f'],
  ['a lone high surrogate', 'half an emoji \ud83d'],
  ['a lone low surrogate', '\ude00 the other half'],
  ['surrogates in the wrong order', '\ude00\ud83d'],
  ['U+2028 and U+2029', 'line\u2028paragraph\u2029end'],
  ['right-to-left text and marks', '\u202eabc\u202c \u200fשלום\u200e عَرَبِيّ'],
  ['emoji joined by ZWJ and with variation selectors', '👩‍👩‍👧‍👦 🏳️‍🌈 ❤️ 👍🏽'],
  ['a byte order mark, noncharacters and unassigned code points', '\ufeff\ufffe\uffff\u{10ffff}'],
  ['both normal forms', '\u00e9 e\u0301 \uac00 \u1100\u1161'],
  ['quotes, backslashes and what looks like an escape', '"\\" \\u0041 \\n %s ${x} $1 \' `'],
  ['nothing', ''],
  ['a million characters', 'aé漢😀\n'.repeat(170_000)],
];

const NUMBERS = [
  0, 1, -1, 0.1, 0.30000000000000004, 1e21, 1e-7, 1e100, 123456789012345680000, 5e-324, 2.2250738585072014e-308,
  1.7976931348623157e308, -1.7976931348623157e308, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 53, 2 ** 63, 4294967296, 1.5,
];

/** One turn with `value` in the input, deep in the output and in the metadata, stored and read back. */
async function survives(store, value) {
  const entry = turn(S, 'a', {
    input: { extra: value },
    output: { plan: { steps: [{ value }] } },
    metadata: { value },
  });
  await appendAll(store, S, [entry]);
  await holds(store, S, [entry], 'after append');
  same(await store.getResponseById(S, 'a'), entry.output, 'getResponseById');
  await store.replace(S, [entry, turn(S, 'b')]);
  await holds(store, S, [entry, turn(S, 'b')], 'after replace');
}

export const valueCases = [
  ...TEXTS.map(([what, text]) => [`text of ${what} survives`, async (store) => {
    await survives(store, text);
    await appendAll(store, S, [injection(S, 'c', text)]);
    same((await store.get(S))[2].input.content, text, 'content of the injection');
  }]),
  ['every number survives', (store) => survives(store, NUMBERS)],
  ['a timestamp may be zero, negative or a fraction', async (store) => {
    const entries = [0, -1, 1.5, 1e15].map((timestamp) => turn(S, `t${timestamp}`, { input: { timestamp } }));
    await appendAll(store, S, entries);
    await holds(store, S, entries);
  }],
  ['null, booleans, empty objects and empty lists survive', (store) => (
    survives(store, [null, true, false, {}, [], '', [[]], { a: {} }, [null], { a: null }])
  )],
  ['unknown fields are kept on every level', async (store) => {
    const entry = turn(S, 'a', {
      input: {
        fromTheFuture: { a: [{ b: 'c' }] },
        reasons: [{ kind: 'user_intent', text: 'x', lang: 'de' }, { kind: 'resize', width: 640, more: [1, { y: null }] }],
      },
      output: { usage: { tokens: 12 }, next: [{ z: 1 }] },
      metadata: { deep: { deeper: [{}] } },
    });
    entry.schema = 7;
    const other = injection(S, 'b', 'x', { input: { author: { name: 'n' } } });
    await appendAll(store, S, [entry, other]);
    await holds(store, S, [entry, other]);
  }],
  ['the keys of a payload keep their order', async (store) => {
    const payload = { zeta: 1, alpha: 2, Beta: 3, 'a b': 4, '': 5, é: 6, nested: { y: 1, x: 2, a: 3 } };
    await appendAll(store, S, [turn(S, 'a', { input: { payload }, output: { payload } })]);
    const [entry] = await store.get(S);
    for (const found of [entry.input.payload, entry.output.payload, (await store.getResponseById(S, 'a')).payload]) {
      check(JSON.stringify(found) === JSON.stringify(payload), `the keys came back as ${JSON.stringify(found)}`);
    }
  }],
  ['a key named __proto__ is data', async (store) => {
    const payload = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"t","length":3}');
    await survives(store, payload);
    const [entry] = await store.get(S);
    check(Object.hasOwn(entry.input.extra, '__proto__'), 'the own key __proto__ is gone');
    check({}.polluted === undefined, 'Object.prototype was changed');
  }],
  ['two hundred levels of nesting survive', (store) => {
    let value = 'bottom';
    for (let level = 0; level < 200; level += 1) value = level % 2 === 0 ? [value] : { in: value };
    return survives(store, value);
  }],
  ['an object of two thousand keys and a list of ten thousand items survive', (store) => survives(store, {
    wide: Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`key ${index}`, index])),
    long: Array.from({ length: 10_000 }, (_, index) => index / 4),
  })],
  ['a turn without reasons keeps its empty list', async (store) => {
    const entry = turn(S, 'a', { input: { reasons: [] }, output: { userMessage: '' } });
    await appendAll(store, S, [entry]);
    await holds(store, S, [entry]);
  }],
  ['metadata is kept where it is 0, the empty text, false, null or empty', async (store) => {
    const entries = [0, '', false, null, {}, []].flatMap((metadata, index) => [
      turn(S, `turn ${index}`, { metadata }), injection(S, `injection ${index}`, 'x', { metadata }),
    ]);
    await appendAll(store, S, entries);
    await holds(store, S, entries, 'after append');
    await store.replace(S, entries);
    await holds(store, S, entries, 'after replace');
  }],
  ['an entry without metadata does not get any', async (store) => {
    await appendAll(store, S, [turn(S, 'a'), injection(S, 'b')]);
    for (const entry of await store.get(S)) check(entry.metadata === undefined, `metadata of ${entry.input.id}`);
  }],
];

/** What a caller does to its own objects later is nothing to the store. A frozen object, that refuses, will do. */
function spoil(change) {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

export const independenceCases = [
  ['changing the list that get gave does not change the store', async (store) => {
    await appendAll(store, S, turns(S, 3));
    const list = await store.get(S);
    spoil(() => list.pop());
    spoil(() => list.reverse());
    spoil(() => list.push(turn(S, 'smuggled')));
    await holds(store, S, turns(S, 3));
    check((await store.append(S, turn(S, 'smuggled'))) === 'inserted', 'an id that was only pushed to a list');
  }],
  ['changing an entry that get gave does not change the store', async (store) => {
    await appendAll(store, S, [turn(S, 'a', { output: { plan: [1] }, metadata: { n: 1 } })]);
    const [entry] = await store.get(S);
    spoil(() => { entry.output.userMessage = 'changed'; });
    spoil(() => { entry.output.plan.push(2); });
    spoil(() => { entry.metadata.n = 2; });
    spoil(() => { entry.input.id = 'b'; });
    await holds(store, S, [turn(S, 'a', { output: { plan: [1] }, metadata: { n: 1 } })]);
  }],
  ['changing a response that getResponseById gave does not change the store', async (store) => {
    await appendAll(store, S, [turn(S, 'a', { output: { plan: [1] } })]);
    const output = await store.getResponseById(S, 'a');
    spoil(() => { output.userMessage = 'changed'; });
    spoil(() => { output.plan.push(2); });
    same(await store.getResponseById(S, 'a'), turn(S, 'a', { output: { plan: [1] } }).output, 'getResponseById');
    await holds(store, S, [turn(S, 'a', { output: { plan: [1] } })]);
  }],
  ['changing an entry after its append does not change the store', async (store) => {
    const entry = turn(S, 'a', { input: { layout: { rows: [1] } } });
    await appendAll(store, S, [entry]);
    spoil(() => { entry.input.layout.rows.push(2); });
    spoil(() => { entry.output.userMessage = 'changed'; });
    spoil(() => { entry.input.id = 'b'; });
    await holds(store, S, [turn(S, 'a', { input: { layout: { rows: [1] } } })]);
    check((await store.append(S, turn(S, 'b'))) === 'inserted', 'an id that was only written over another');
  }],
  ['changing a list and its entries after a replace does not change the store', async (store) => {
    const list = turns(S, 3);
    await store.replace(S, list);
    list[0].output.userMessage = 'changed';
    list.pop();
    list.push(turn(S, 'smuggled'));
    await holds(store, S, turns(S, 3));
  }],
];
