// What a store keeps, in which order, and under which name.
import { appendAll, check, holds, ids, injection, refused, same, turn, turns } from './assertions.js';

const S = 'session';

/** Legal ids (1 to 512 UTF-16 code units, no lone surrogate) that a careless backend mixes up or trips over. */
const STRANGE_IDS = [
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['toString', 'toString'],
  ['of one space', ' '],
  ['of emoji', '👩‍👩‍👧‍👦🏳️‍🌈'],
  ['of 512 code units', 'é'.repeat(512)],
  ['with NUL', 'a\u0000b'],
  ['with U+2028', 'a\u2028b'],
  ['with quotes', `'; DROP TABLE entries; --"\\`],
  ['with a path', '../a/%2e%2e/*?_%'],
];

export const appendCases = [
  ['an unknown session is an empty list', async (store) => {
    same(await store.get(S), [], 'get');
  }],
  ['a first append is inserted, and get shows it at once', async (store) => {
    check((await store.append(S, turn(S, 'a'))) === 'inserted', "append of a new id must give 'inserted'");
    same(await ids(store, S), ['a'], 'ids');
  }],
  ['a turn comes back whole', async (store) => {
    const entry = turn(S, 'a', { input: { vessels: [{ id: 1 }] }, output: { plan: ['x'] }, metadata: { tenant: 't' } });
    await appendAll(store, S, [entry]);
    await holds(store, S, [entry]);
  }],
  ['an injection comes back whole', async (store) => {
    const entry = injection(S, 'a', 'hello', { metadata: { by: 'me' } });
    await appendAll(store, S, [entry]);
    await holds(store, S, [entry]);
  }],
  ['the order is that of insertion, not of timestamps', async (store) => {
    const entries = [30, 10, 20].map((timestamp) => turn(S, `t${timestamp}`, { input: { timestamp } }));
    await appendAll(store, S, entries);
    await holds(store, S, entries);
  }],
  ['the order is that of insertion, not of ids', async (store) => {
    const names = ['b', '10', 'a', '9', '1', 'B'];
    await appendAll(store, S, names.map((id) => turn(S, id)));
    same(await ids(store, S), names, 'ids');
  }],
  ['entries with equal timestamps keep the order of insertion', async (store) => {
    await appendAll(store, S, turns(S, 30));
    same(await ids(store, S), turns(S, 30).map((entry) => entry.input.id), 'ids');
  }],
  ['a second append of an id is deduped', async (store) => {
    await appendAll(store, S, [turn(S, 'a')]);
    check((await store.append(S, turn(S, 'a'))) === 'deduped', "append of a known id must give 'deduped'");
    same(await ids(store, S), ['a'], 'ids');
  }],
  ['a deduped append leaves the content of the first', async (store) => {
    const entry = turn(S, 'a', { metadata: 1 });
    await appendAll(store, S, [entry]);
    await store.append(S, turn(S, 'a', { input: { timestamp: 5 }, output: { userMessage: 'other' }, metadata: 2 }));
    await holds(store, S, [entry]);
  }],
  ['a deduped append leaves the order', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.append(S, turn(S, 'm0'));
    same(await ids(store, S), ['m0', 'm1', 'm2'], 'ids');
  }],
  ['an injection with the id of a turn is deduped, and the other way round', async (store) => {
    const entries = [turn(S, 'a'), injection(S, 'b')];
    await appendAll(store, S, entries);
    check((await store.append(S, injection(S, 'a'))) === 'deduped', 'injection with the id of a turn');
    check((await store.append(S, turn(S, 'b'))) === 'deduped', 'turn with the id of an injection');
    await holds(store, S, entries);
  }],
  ['ids that differ in case, normal form or a space at the end are different', async (store) => {
    const names = ['a', 'A', 'a ', '\u00e9', 'e\u0301', '1', '01', '1.0'];
    await appendAll(store, S, names.map((id) => turn(S, id)));
    same(await ids(store, S), names, 'ids');
  }],
  ['a thousand entries are all there in order', async (store) => {
    const entries = turns(S, 1000);
    await appendAll(store, S, entries);
    await holds(store, S, entries);
    check((await store.append(S, entries[500])) === 'deduped', 'the 501st of 1000 is known');
  }],
  ...STRANGE_IDS.map(([what, id]) => [`a message id ${what} is an id like any other`, async (store) => {
    check((await store.getResponseById(S, id)) === undefined, 'no response is stored under it yet');
    const entry = turn(S, id);
    await appendAll(store, S, [entry, turn(S, 'other')]);
    check((await store.append(S, turn(S, id))) === 'deduped', 'a second append of it must be deduped');
    await holds(store, S, [entry, turn(S, 'other')]);
    same(await store.getResponseById(S, id), entry.output, 'getResponseById');
  }]),
];

export const isolationCases = [
  ...STRANGE_IDS.map(([what, session]) => [`a session id ${what} is an id like any other`, async (store) => {
    same(await store.get(session), [], 'get before anything was stored');
    await appendAll(store, session, [turn(session, 'a')]);
    await appendAll(store, S, [turn(S, 'a')]);
    await holds(store, session, [turn(session, 'a')]);
    await store.clear(session);
    same(await store.get(session), [], 'get after clear');
    await holds(store, S, [turn(S, 'a')], 'the other session');
  }]),
  ['one id in two sessions is two entries', async (store) => {
    const [one, two] = [turn('one', 'a', { output: { n: 1 } }), turn('two', 'a', { output: { n: 2 } })];
    await appendAll(store, 'one', [one]);
    await appendAll(store, 'two', [two]);
    await holds(store, 'one', [one]);
    await holds(store, 'two', [two]);
  }],
  ['sessions whose ids begin alike, or differ in case, are apart', async (store) => {
    const sessions = ['a', 'a/', 'a\u0000', 'a\u0000\u0000', 'a\uffff', 'ab', 'A', 'a ', 'a/b', 'a:b', '\u00e9', 'e\u0301'];
    for (const session of sessions) await appendAll(store, session, turns(session, 2));
    await store.clear('a');
    await store.replace('a/', [turn('a/', 'new')]);
    same(await store.get('a'), [], 'the cleared session');
    same(await ids(store, 'a/'), ['new'], 'the replaced session');
    for (const session of sessions.slice(2)) await holds(store, session, turns(session, 2), JSON.stringify(session));
  }],
  ['a session id and a message id that join to the same text are apart', async (store) => {
    for (const [session, id] of [['a', 'b/c'], ['a/b', 'c'], ['a', 'b\u0000c'], ['a\u0000b', 'c']]) {
      await appendAll(store, session, [turn(session, id)]);
    }
    same(await ids(store, 'a'), ['b/c', 'b\u0000c'], 'ids');
    check((await store.getResponseById('a', 'c')) === undefined, 'a response of another session');
  }],
  ['appends that take turns between sessions keep the order in each', async (store) => {
    for (let n = 0; n < 10; n += 1) {
      for (const session of ['x', 'y', 'z']) await appendAll(store, session, [turn(session, `m${n}`)]);
    }
    for (const session of ['x', 'y', 'z']) await holds(store, session, turns(session, 10), session);
  }],
];

export const replaceCases = [
  ['replace gives exactly the new list in its order', async (store) => {
    await appendAll(store, S, turns(S, 3));
    const list = [turn(S, 'z'), injection(S, 'b'), turn(S, 'm1')];
    await store.replace(S, list);
    await holds(store, S, list);
  }],
  ['replace of an unknown session makes it', async (store) => {
    await store.replace(S, turns(S, 3));
    await holds(store, S, turns(S, 3));
  }],
  ['replace with an empty list leaves an empty session', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.replace(S, []);
    same(await store.get(S), [], 'get');
    await appendAll(store, S, [turn(S, 'm0')]);
    same(await ids(store, S), ['m0'], 'ids');
  }],
  ['an append after a replace goes to the end', async (store) => {
    await appendAll(store, S, turns(S, 5));
    await store.replace(S, [turn(S, 'z'), turn(S, 'b')]);
    await appendAll(store, S, [turn(S, 'a', { input: { timestamp: 1 } })]);
    same(await ids(store, S), ['z', 'b', 'a'], 'ids');
  }],
  ['replace by a permutation reorders', async (store) => {
    const entries = turns(S, 6);
    await appendAll(store, S, entries);
    const shuffled = [4, 0, 5, 2, 1, 3].map((index) => entries[index]);
    await store.replace(S, shuffled);
    await holds(store, S, shuffled);
  }],
  ['replace by the newest entries cuts the rest', async (store) => {
    const entries = turns(S, 20);
    await appendAll(store, S, entries);
    await store.replace(S, entries.slice(-7));
    await holds(store, S, entries.slice(-7));
    await appendAll(store, S, [turn(S, 'next')]);
    await holds(store, S, [...entries.slice(-7), turn(S, 'next')]);
  }],
  ['replace by the list that get gave changes nothing', async (store) => {
    await appendAll(store, S, turns(S, 5));
    await store.replace(S, await store.get(S));
    await holds(store, S, turns(S, 5));
    await store.replace(S, await store.get(S));
    await holds(store, S, turns(S, 5));
  }],
  ['an id that replace dropped is new again', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.replace(S, turns(S, 3).slice(1));
    check((await store.append(S, turn(S, 'm0'))) === 'inserted', 'append of the dropped id');
    same(await ids(store, S), ['m1', 'm2', 'm0'], 'ids');
  }],
  ['an id that replace kept or brought is known', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.replace(S, [turn(S, 'm2'), turn(S, 'brought')]);
    check((await store.append(S, turn(S, 'm2'))) === 'deduped', 'append of the kept id');
    check((await store.append(S, turn(S, 'brought'))) === 'deduped', 'append of the brought id');
    same(await ids(store, S), ['m2', 'brought'], 'ids');
  }],
  ['replace takes the new content of a known id', async (store) => {
    await appendAll(store, S, turns(S, 2));
    const list = [turn(S, 'm0', { output: { userMessage: 'edited' }, metadata: { n: 1 } }), turn(S, 'm1')];
    await store.replace(S, list);
    await holds(store, S, list);
  }],
  ['replace leaves other sessions alone', async (store) => {
    await appendAll(store, 'other', turns('other', 3));
    await store.replace(S, turns(S, 1));
    await store.replace(S, []);
    await holds(store, 'other', turns('other', 3));
  }],
  ['replace with a thousand entries keeps them in order', async (store) => {
    await appendAll(store, S, [turn(S, 'old')]);
    await store.replace(S, turns(S, 1000));
    await holds(store, S, turns(S, 1000));
  }],
  ['replace with one id twice never leaves the id twice', async (store) => {
    const old = turns(S, 2);
    await appendAll(store, S, old);
    // A store may refuse such a list or store the id once; the contract only excludes two entries of one id.
    const wasRefused = await refused(() => store.replace(S, [turn(S, 'x'), turn(S, 'y'), turn(S, 'x')]));
    const now = await ids(store, S);
    if (wasRefused) same(now, ['m0', 'm1'], 'ids after the refusal');
    else same([...now].sort(), ['x', 'y'], 'ids');
  }],
  ['a replace that is refused leaves the old list', async (store) => {
    await appendAll(store, S, turns(S, 3));
    const bad = turn(S, 'bad');
    Object.defineProperty(bad, 'output', { enumerable: true, get() { throw new Error('not readable'); } });
    check(await refused(() => store.replace(S, [turn(S, 'new'), bad])), 'an entry that cannot be read must be refused');
    await holds(store, S, turns(S, 3));
    await appendAll(store, S, [turn(S, 'new')]);
    await holds(store, S, [...turns(S, 3), turn(S, 'new')], 'the store after the refusal');
  }],
  ['an append that is refused stores nothing', async (store) => {
    const bad = turn(S, 'a');
    Object.defineProperty(bad, 'output', { enumerable: true, get() { throw new Error('not readable'); } });
    check(await refused(() => store.append(S, bad)), 'an entry that cannot be read must be refused');
    same(await store.get(S), [], 'get after the refusal');
    await appendAll(store, S, [turn(S, 'a')]);
  }],
];

export const clearCases = [
  ['clear empties the session', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.clear(S);
    same(await store.get(S), [], 'get');
    check((await store.getResponseById(S, 'm1')) === undefined, 'a response after clear');
  }],
  ['clear of an unknown session, and twice, is no error', async (store) => {
    await store.clear(S);
    await appendAll(store, S, turns(S, 1));
    await store.clear(S);
    await store.clear(S);
    same(await store.get(S), [], 'get');
  }],
  ['after clear an id is new again, and the order starts over', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.clear(S);
    await appendAll(store, S, turns(S, 3).reverse());
    await holds(store, S, turns(S, 3).reverse());
  }],
  ['clear leaves other sessions alone', async (store) => {
    await appendAll(store, 'other', turns('other', 2));
    await appendAll(store, S, turns(S, 2));
    await store.clear(S);
    await holds(store, 'other', turns('other', 2));
  }],
];

export const lookUpCases = [
  ['getResponseById gives the output of a turn', async (store) => {
    const entry = turn(S, 'a', { output: { plan: { steps: [1, 2] }, layout: null } });
    await appendAll(store, S, [turn(S, 'before'), entry, turn(S, 'after')]);
    same(await store.getResponseById(S, 'a'), entry.output, 'getResponseById');
  }],
  ['getResponseById of an injection is undefined', async (store) => {
    await appendAll(store, S, [injection(S, 'a')]);
    check((await store.getResponseById(S, 'a')) === undefined, 'an injection has no response');
  }],
  ['getResponseById of an unknown id or session is undefined', async (store) => {
    check((await store.getResponseById(S, 'a')) === undefined, 'unknown session');
    await appendAll(store, S, [turn(S, 'a')]);
    for (const id of ['b', 'A', 'a ', '%', 'm', 'hasOwnProperty']) {
      check((await store.getResponseById(S, id)) === undefined, `unknown id ${id}`);
    }
  }],
  ['getResponseById does not see another session', async (store) => {
    await appendAll(store, 'other', [turn('other', 'a')]);
    check((await store.getResponseById(S, 'a')) === undefined, 'a response of another session');
  }],
  ['getResponseById follows replace', async (store) => {
    await appendAll(store, S, turns(S, 3));
    await store.replace(S, [turn(S, 'm1', { output: { userMessage: 'edited' } }), turn(S, 'm2')]);
    check((await store.getResponseById(S, 'm0')) === undefined, 'a response that replace dropped');
    same(await store.getResponseById(S, 'm1'), { userMessage: 'edited' }, 'a response that replace changed');
    same(await store.getResponseById(S, 'm2'), turn(S, 'm2').output, 'a response that replace kept');
  }],
  ['getResponseById gives the first response after a deduped append', async (store) => {
    await appendAll(store, S, [turn(S, 'a')]);
    await store.append(S, turn(S, 'a', { output: { userMessage: 'second' } }));
    same(await store.getResponseById(S, 'a'), turn(S, 'a').output, 'getResponseById');
  }],
  ['getResponseById finds each of many', async (store) => {
    const entries = turns(S, 300);
    await store.replace(S, entries);
    for (const index of [0, 1, 63, 64, 65, 150, 298, 299]) {
      same(await store.getResponseById(S, `m${index}`), entries[index].output, `response ${index}`);
    }
  }],
];
