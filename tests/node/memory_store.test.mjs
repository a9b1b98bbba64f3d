// createInMemoryStore: the contract of every store, and what the stores of this package do besides.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssistantInjectionMessage, ChartRequestMessage, ValidationError, createIndexedDbStore, createInMemoryStore, isTurnlogError } from 'turnlog';
import { testHistoryStore } from 'turnlog/testing';
import { refusedValues } from './refused_values.mjs';

const turn = (sessionId, id, more) => ({
  kind: 'turn', input: ChartRequestMessage({ sessionId, id, timestamp: 5, reasons: [], ...more }), output: { userMessage: `re ${id}` },
});
const injection = (sessionId, id, more) => ({
  kind: 'injection', input: AssistantInjectionMessage({ sessionId, id, timestamp: 5, content: id, ...more }),
});
const ids = (list) => list.map((entry) => entry.input.id);

testHistoryStore(() => createInMemoryStore(), { test, name: 'createInMemoryStore' });
testHistoryStore(() => {
  const store = createInMemoryStore();
  return { store, close: () => store.close() };
}, { test, name: 'createInMemoryStore, closed after each case' });

describe('the in-memory store', () => {
  test('says so in kind, and each one is empty and by itself', async () => {
    const [one, two] = [createInMemoryStore(), createInMemoryStore()];
    assert.equal(one.kind, 'memory');
    await one.append('s', turn('s', 'a'));
    assert.deepEqual([...await two.get('s')], []);
  });
  test('gives an entry back frozen, and the caller’s own object is not', async () => {
    const store = createInMemoryStore();
    const entry = { kind: 'injection', input: { type: 'assistant_message', id: 'a', sessionId: 's', timestamp: 1, content: 'x' } };
    await store.append('s', entry);
    const [stored] = await store.get('s');
    assert.ok(Object.isFrozen(stored) && Object.isFrozen(stored.input));
    assert.ok(!Object.isFrozen(entry) && !Object.isFrozen(entry.input));
  });
  test('refuses an entry that JSON cannot hold or that is none, with a ValidationError, and keeps working', async () => {
    const store = createInMemoryStore();
    const bad = [undefined, null, 1, 'x', [], {}, { kind: 'turn' }, { ...turn('s', 'a'), kind: 'other' }, { ...turn('s', 'a'), output: undefined },
      { ...injection('s', 'a'), input: { ...injection('s', 'a').input, id: '' } },
      ...refusedValues.flatMap(([, make]) => [{ ...turn('s', 'a'), metadata: make() }, { ...turn('s', 'a'), output: { userMessage: 'm', deep: [make()] } }])];
    for (const entry of bad) {
      await assert.rejects(() => store.append('s', entry), ValidationError);
      await assert.rejects(() => store.replace('s', [turn('s', 'fine'), entry]), ValidationError);
    }
    assert.deepEqual([...await store.get('s')], []);
    assert.equal(await store.append('s', turn('s', 'a')), 'inserted');
  });
  test('has tells which ids are there', async () => {
    const store = createInMemoryStore();
    await store.append('s', turn('s', 'a'));
    await store.append('s', injection('s', 'b'));
    assert.deepEqual(await Promise.all([store.has('s', 'a'), store.has('s', 'b'), store.has('s', 'c'), store.has('other', 'a')]), [true, true, false, false]);
  });
  test('tail gives the last n in order, or all there are', async () => {
    const store = createInMemoryStore();
    await store.replace('s', Array.from({ length: 10 }, (_, n) => turn('s', `m${n}`)));
    assert.deepEqual(ids(await store.tail('s', 3)), ['m7', 'm8', 'm9']);
    assert.equal((await store.tail('s', 50)).length, 10);
    assert.deepEqual([...await store.tail('unknown', 3)], []);
  });
  test('sessions lists what there is, last activity first', async () => {
    const store = createInMemoryStore();
    await store.append('old', injection('old', 'a', { timestamp: 100 }));
    await store.append('new', injection('new', 'a', { timestamp: 900 }));
    await store.append('new', injection('new', 'b', { timestamp: 950 }));
    const list = await store.sessions();
    assert.deepEqual(list.map(({ id, entries }) => [id, entries]), [['new', 2], ['old', 1]]);
    for (const { bytes } of list) assert.ok(bytes > 0);
    await store.clear('new');
    assert.deepEqual((await store.sessions()).map(({ id }) => id), ['old']);
  });
  test('subscribe tells of each change until it is ended, and not of a deduped append', async () => {
    const store = createInMemoryStore();
    const seen = [];
    const end = store.subscribe((change) => seen.push({ ...change }));
    await store.append('s', turn('s', 'a'));
    await store.append('s', turn('s', 'a'));
    await store.replace('s', [turn('s', 'b')]);
    await store.clear('s');
    await new Promise(setImmediate);
    assert.deepEqual(seen, ['append', 'replace', 'clear'].map((kind) => ({ sessionId: 's', kind, local: true })));
    end();
    await store.append('s', turn('s', 'c'));
    await new Promise(setImmediate);
    assert.equal(seen.length, 3);
  });
  test('a session that was exported comes back whole in another store', async () => {
    const [one, two] = [createInMemoryStore(), createInMemoryStore()];
    const entries = [turn('s', 'a', { layout: { x: [0.1, 1e21, null] } }), injection('s', 'b', { content: 'half \ud83d\u2028' })];
    for (const entry of entries) await one.append('s', entry);
    const bytes = await one.exportSession('s');
    assert.ok(bytes instanceof Uint8Array);
    const counts = ({ sessionId, inserted, deduped }) => [sessionId, inserted, deduped];
    assert.deepEqual(counts(await two.importSession(bytes)), ['s', 2, 0]);
    assert.deepEqual(await two.get('s'), entries);
    assert.deepEqual(counts(await two.importSession(bytes)), ['s', 0, 2]);
  });
});

test('createIndexedDbStore where there is no IndexedDB says so with a coded error, when made or at its first use', async (t) => {
  await assert.rejects(async () => {
    const store = createIndexedDbStore();
    t.after(() => store.close());
    await store.get('s');
  }, (error) => isTurnlogError(error) && error.code === 'unavailable');
});
