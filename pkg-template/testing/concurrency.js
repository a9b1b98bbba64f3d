// Calls that overlap: each case allows every outcome that some order of the calls, one after the other, could have.
import { appendAll, check, holds, ids, injection, same, turn, turns } from './assertions.js';

const S = 'session';

/** Throws unless the ids of the session are one of the `allowed` lists. */
async function isOneOf(store, allowed, what) {
  const now = JSON.stringify(await ids(store, S));
  check(allowed.some((list) => JSON.stringify(list) === now), `${what}: ${now} is the outcome of no order of the calls`);
}

const names = (entries) => entries.map((entry) => entry.input.id);
const count = (outcomes, outcome) => outcomes.filter((found) => found === outcome).length;

export const concurrencyCases = [
  ['of fifty appends of one id at once exactly one is inserted', async (store) => {
    const outcomes = await Promise.all(turns(S, 50).map((_, n) => store.append(S, turn(S, 'a', { output: { n } }))));
    same([count(outcomes, 'inserted'), count(outcomes, 'deduped')], [1, 49], 'inserted and deduped');
    await holds(store, S, [turn(S, 'a', { output: { n: outcomes.indexOf('inserted') } })], 'the one that was inserted');
  }],
  ['of appends of one id to many sessions at once every one is inserted', async (store) => {
    const sessions = Array.from({ length: 30 }, (_, index) => `s${index}`);
    const outcomes = await Promise.all(sessions.map((session) => store.append(session, turn(session, 'a'))));
    check(count(outcomes, 'inserted') === 30, `${count(outcomes, 'inserted')} of 30 were inserted`);
    for (const session of sessions) await holds(store, session, [turn(session, 'a')], session);
  }],
  ['a hundred appends of different ids at once are all there', async (store) => {
    const entries = turns(S, 100);
    const outcomes = await Promise.all(entries.map((entry) => store.append(S, entry)));
    check(count(outcomes, 'inserted') === 100, `${count(outcomes, 'inserted')} of 100 were inserted`);
    const now = await ids(store, S);
    same([...now].sort(), names(entries).sort(), 'ids');
    same(await ids(store, S), now, 'the order, read again');
  }],
  ['writers side by side lose nothing and keep the order of each', async (store) => {
    const writers = ['a', 'b', 'c', 'd'];
    await Promise.all(writers.map((writer) => appendAll(store, S, turns(S, 25, writer))));
    const now = await ids(store, S);
    check(now.length === 100, `${now.length} of 100 entries are there`);
    for (const writer of writers) {
      same(now.filter((id) => id.startsWith(writer)), names(turns(S, 25, writer)), `the order of writer ${writer}`);
    }
  }],
  ['turns and injections at once are deduped against each other', async (store) => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => (
      store.append(S, index % 2 === 0 ? turn(S, 'a') : injection(S, 'a'))
    )));
    check(count(outcomes, 'inserted') === 1, `${count(outcomes, 'inserted')} were inserted`);
    same(await ids(store, S), ['a'], 'ids');
  }],
  ['who reads during a replace sees the old list or the new one', async (store) => {
    const [old, fresh] = [turns(S, 40, 'old'), turns(S, 40, 'new')];
    await store.replace(S, old);
    const allowed = [old, fresh].map((list) => JSON.stringify(names(list)));
    const look = async () => {
      const seen = JSON.stringify(await ids(store, S));
      check(allowed.includes(seen), `a reader saw ${seen.slice(0, 200)}`);
    };
    for (let round = 0; round < 10; round += 1) {
      let writing = true;
      const reader = async () => {
        while (writing) {
          await look();
          await new Promise((resolve) => { setTimeout(resolve, 0); });
        }
      };
      const written = store.replace(S, round % 2 === 0 ? fresh : old).finally(() => { writing = false; });
      // Two reads begin with the replace; two readers go on until it is done.
      await Promise.all([written, look(), look(), reader(), reader()]);
      await look();
    }
    await holds(store, S, old, 'after the last replace');
  }],
  ['a look-up during a replace finds what both lists hold', async (store) => {
    await store.replace(S, [...turns(S, 20, 'old'), turn(S, 'both')]);
    for (let round = 0; round < 10; round += 1) {
      const writing = store.replace(S, [turn(S, 'both'), ...turns(S, 20, `r${round}`)]);
      const looks = [0, 1, 2].map(async (ticks) => {
        for (let tick = 0; tick < ticks; tick += 1) await undefined;
        return store.getResponseById(S, 'both');
      });
      for (const output of await Promise.all(looks)) same(output, turn(S, 'both').output, 'getResponseById');
      await writing;
    }
  }],
  ['an append during a replace is at the end or was replaced', async (store) => {
    const fresh = turns(S, 10, 'new');
    for (const first of ['replace', 'append']) {
      await store.replace(S, turns(S, 10, 'old'));
      const replace = () => store.replace(S, fresh);
      const append = () => store.append(S, turn(S, 'x'));
      const calls = first === 'replace' ? [replace(), append()] : [append(), replace()];
      const outcomes = await Promise.all(calls);
      check(outcomes.includes('inserted'), 'an append of a new id must be inserted');
      await isOneOf(store, [names(fresh), [...names(fresh), 'x']], `${first} begun first`);
    }
  }],
  ['an append of an id that a replace brings at the same time does not double it', async (store) => {
    await Promise.all([store.replace(S, turns(S, 3)), store.append(S, turn(S, 'm1')), store.append(S, turn(S, 'm2'))]);
    same(await ids(store, S), ['m0', 'm1', 'm2'], 'ids');
  }],
  ['of two replaces at once one list is there whole', async (store) => {
    const lists = [turns(S, 30, 'a'), turns(S, 10, 'b')];
    await Promise.all(lists.map((list) => store.replace(S, list)));
    await isOneOf(store, lists.map(names), 'two replaces');
    for (const id of ['a0', 'b0', 'a29']) {
      const known = (await ids(store, S)).includes(id);
      check(((await store.getResponseById(S, id)) !== undefined) === known, `getResponseById(${id}) and get disagree`);
    }
  }],
  ['a clear at the same time as writes is before or after each', async (store) => {
    await appendAll(store, S, turns(S, 5, 'old'));
    await Promise.all([store.append(S, turn(S, 'x')), store.clear(S)]);
    await isOneOf(store, [[], ['x']], 'append and clear');
    await Promise.all([store.replace(S, turns(S, 3)), store.clear(S)]);
    await isOneOf(store, [[], names(turns(S, 3))], 'replace and clear');
  }],
  ['two hundred calls of all kinds at once all settle, and other sessions are untouched', async (store) => {
    await store.replace('quiet', turns('quiet', 5));
    await Promise.all(Array.from({ length: 200 }, (_, index) => [
      () => store.append(S, turn(S, `m${index}`)), () => store.get(S), () => store.getResponseById(S, 'm0'),
      () => store.append('busy', turn('busy', `m${index % 7}`)), () => store.replace('other', turns('other', 3)),
    ][index % 5]()));
    check((await ids(store, S)).length === 40, 'forty appends');
    same(names(await store.get('other')), names(turns('other', 3)), 'the replaced session');
    await holds(store, 'quiet', turns('quiet', 5), 'the untouched session');
  }],
];

export const lockCases = [
  ['withLock gives what its function gives, and passes on what it throws', async (store) => {
    check((await store.withLock(S, async () => 42)) === 42, 'the value of the function');
    const thrown = new Error('mine');
    const caught = await store.withLock(S, async () => { throw thrown; }).then(() => undefined, (error) => error);
    check(caught === thrown, `the error of the function, got ${caught}`);
    check((await store.withLock(S, async () => 'again')) === 'again', 'the lock is free after an error');
  }],
  ['withLock lets one function of a session run at a time', async (store) => {
    let inside = 0;
    await Promise.all(Array.from({ length: 20 }, () => store.withLock(S, async () => {
      inside += 1;
      check(inside === 1, `${inside} functions hold the lock`);
      await new Promise((resolve) => { setTimeout(resolve, 1); });
      inside -= 1;
    })));
  }],
  ['withLock of one session does not wait for another', (store) => (
    store.withLock('one', () => store.withLock('two', async () => undefined))
  )],
  ['the store works inside its own lock', async (store) => {
    await store.withLock(S, async () => {
      await appendAll(store, S, turns(S, 3));
      await store.replace(S, (await store.get(S)).slice(1));
      check((await store.getResponseById(S, 'm2')) !== undefined, 'getResponseById inside the lock');
    });
    same(await ids(store, S), ['m1', 'm2'], 'ids');
  }],
];

export const secondHandleCases = [
  ['what one handle wrote, another sees', async (store, { another }) => {
    const other = await another();
    await appendAll(store, S, turns(S, 3));
    await holds(other, S, turns(S, 3), 'the other handle');
    check((await other.append(S, turn(S, 'm1'))) === 'deduped', 'an id that the first handle wrote');
    same(await other.getResponseById(S, 'm1'), turn(S, 'm1').output, 'getResponseById');
    await other.replace(S, turns(S, 3).slice(1));
    check((await store.append(S, turn(S, 'm0'))) === 'inserted', 'an id that the other handle dropped');
    same(await ids(other, S), ['m1', 'm2', 'm0'], 'ids');
    await store.clear(S);
    same(await other.get(S), [], 'after clear');
  }],
  ['of appends of one id through two handles at once exactly one is inserted', async (store, { another }) => {
    const other = await another();
    for (let round = 0; round < 20; round += 1) {
      const outcomes = await Promise.all([store, other, store, other].map((handle) => handle.append(S, turn(S, `r${round}`))));
      check(count(outcomes, 'inserted') === 1, `${count(outcomes, 'inserted')} were inserted`);
    }
    check((await ids(store, S)).length === 20, 'twenty entries');
    same(await ids(other, S), await ids(store, S), 'both handles read the same');
  }],
  ['two handles side by side lose nothing and keep the order of each', async (store, { another }) => {
    const other = await another();
    await Promise.all([appendAll(store, S, turns(S, 50, 'a')), appendAll(other, S, turns(S, 50, 'b'))]);
    const now = await ids(store, S);
    check(now.length === 100, `${now.length} of 100 entries are there`);
    for (const writer of ['a', 'b']) same(now.filter((id) => id.startsWith(writer)), names(turns(S, 50, writer)), writer);
    same(await ids(other, S), now, 'both handles read the same');
  }],
];
