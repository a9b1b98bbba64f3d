// Drafts in the store in memory: what a draft does wherever it is kept.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { ChartRequestMessage, createEngine, createInMemoryStore, StoreError, ValidationError } from 'turnlog';

const request = (id) => ChartRequestMessage({ sessionId: 's', id, timestamp: 5, reasons: [] });
const turn = (id) => ({ kind: 'turn', input: request(id), output: { userMessage: `re ${id}` } });
const found = async (store, session = 's') => (await store.drafts(session)).map(({ messageId, text }) => [messageId, text]);

describe('a draft', () => {
  test('is stored within its window, each window once, and its text is all that was written', async () => {
    const store = createInMemoryStore();
    const began = Date.now();
    const draft = store.draft('s', 'a', { window: 60 });
    draft.write('Hel');
    draft.write('lo');
    assert.equal(draft.text, 'Hello');
    assert.deepEqual(await found(store), [], 'the window is not over');
    await after(90);
    assert.deepEqual(await found(store), [['a', 'Hello']]);
    draft.write(', you');
    assert.deepEqual(await found(store), [['a', 'Hello']]);
    await after(90);
    const [{ text, updated }] = await store.drafts('s');
    assert.equal(text, 'Hello, you');
    assert.ok(updated >= began + 60 && updated <= Date.now(), String(updated));
    assert.equal(draft.text, 'Hello, you');
  });

  test('flush does not wait for the window, and has nothing to do when all is stored', async () => {
    const store = createInMemoryStore();
    const draft = store.draft('s', 'a', { window: 60_000 });
    await draft.flush();
    assert.deepEqual(await found(store), []);
    draft.write('Hello');
    await draft.flush();
    await draft.flush();
    assert.deepEqual(await found(store), [['a', 'Hello']]);
    await draft.discard();
  });

  test('a window of 0 stores each write', async () => {
    const store = createInMemoryStore();
    const draft = store.draft('s', 'a', { window: 0 });
    for (let number = 0; number < 500; number += 1) draft.write(`${number},`);
    await after(20);
    assert.deepEqual(await found(store), [['a', Array.from({ length: 500 }, (_, number) => `${number},`).join('')]]);
  });

  test('surrogate pairs that are split between writes and windows come back whole, halves as halves', async () => {
    const store = createInMemoryStore();
    const draft = store.draft('s', 'a');
    const pieces = ['x\ud83d', '\ude00', '\ud83d', ' lone ', '\ude00', '\ufeffbom', '\u0000\u2028'];
    for (const piece of pieces) {
      draft.write(piece);
      await draft.flush();
    }
    assert.deepEqual(await found(store), [['a', pieces.join('')]]);
  });

  test('discard removes it, and only it', async () => {
    const store = createInMemoryStore();
    const [one, two] = [store.draft('s', 'a'), store.draft('s', 'b')];
    one.write('one');
    two.write('two');
    await Promise.all([one.flush(), two.flush()]);
    one.write(' more');
    await one.discard();
    await after(130);
    assert.deepEqual(await found(store), [['b', 'two']]);
    assert.equal(one.text, 'one more');
    assert.throws(() => one.write('x'), (error) => error instanceof StoreError && error.code === 'closed');
    await one.flush();
    await one.discard();
    assert.deepEqual(await found(store), [['b', 'two']]);
  });

  test('a new draft of an id starts anew, replaces the stored one with its first write, and ends the old object', async () => {
    const store = createInMemoryStore();
    const old = store.draft('s', 'a');
    old.write('old');
    await old.flush();
    const anew = store.draft('s', 'a');
    assert.equal(anew.text, '');
    assert.throws(() => old.write('x'), (error) => error.code === 'closed');
    assert.deepEqual(await found(store), [['a', 'old']]);
    anew.write('new');
    await anew.flush();
    assert.deepEqual(await found(store), [['a', 'new']]);
    await old.discard();
    assert.deepEqual(await found(store), [['a', 'new']], 'an old object removes nothing of the new one');
  });

  test('ids that could be taken for one another are not', async () => {
    const store = createInMemoryStore();
    const ids = [['a', 'b,c'], ['a,b', 'c'], ['a"', 'b'], ['a', '"b'], ['a', 'b'], ['a\\', 'b']];
    for (const [session, message] of ids) {
      const draft = store.draft(session, message);
      draft.write(`${session} ${message}`);
      await draft.flush();
    }
    await store.clear('a');
    for (const [session, message] of ids) {
      const expected = session === 'a' ? [] : [[message, `${session} ${message}`]];
      assert.deepEqual(await found(store, session), expected);
    }
  });

  test('append ends it, also of an id that was there; replace leaves it; clear removes all of the session', async () => {
    const store = createInMemoryStore();
    await store.append('s', turn('known'));
    const drafts = new Map(['a', 'known', 'b', 'c'].map((id) => [id, store.draft('s', id)]));
    for (const [id, draft] of drafts) {
      draft.write(id);
      await draft.flush();
    }
    drafts.get('a').write(' and what was not stored yet');
    assert.equal(await store.append('s', turn('a')), 'inserted');
    assert.equal(await store.append('s', turn('known')), 'deduped');
    assert.deepEqual(await found(store), [['b', 'b'], ['c', 'c']]);
    assert.throws(() => drafts.get('a').write('x'), (error) => error.code === 'closed');
    await store.replace('s', []);
    assert.deepEqual(await found(store), [['b', 'b'], ['c', 'c']]);
    drafts.get('b').write('!');
    await store.clear('s');
    await after(130);
    assert.deepEqual(await found(store), []);
    assert.throws(() => drafts.get('b').write('x'), (error) => error.code === 'closed');
  });

  test('an engine that stores the reply ends it', async () => {
    const store = createInMemoryStore();
    const engine = createEngine({
      planner: async ({ sessionId, id }) => {
        const draft = store.draft(sessionId, id);
        draft.write('so far');
        await draft.flush();
        if (id === 'fails') throw new Error('the model is gone');
        return { userMessage: 'all of it' };
      },
      history: { store },
    });
    assert.equal((await engine.handle(request('works'))).ok, true);
    assert.equal((await engine.handle(request('fails'))).ok, false);
    assert.deepEqual(await found(store), [['fails', 'so far']]);
  });

  test('lists the oldest first, and what is finished in another way is swept', async () => {
    const store = createInMemoryStore();
    for (const id of ['z', 'a', 'm']) {
      const draft = store.draft('s', id);
      draft.write(id);
      await draft.flush();
      await after(3);
    }
    assert.deepEqual(await found(store), [['z', 'z'], ['a', 'a'], ['m', 'm']]);
    const other = createInMemoryStore();
    await other.append('s', turn('a'));
    await store.importSession(await other.exportSession('s'));
    assert.deepEqual(await found(store), [['z', 'z'], ['m', 'm']]);
    await store.replace('s', []);
    assert.deepEqual(await found(store), [['z', 'z'], ['m', 'm']], 'it is gone, and does not come back');
  });

  test('close stores what is left; after it there are no drafts to begin or to write', async () => {
    const store = createInMemoryStore();
    const draft = store.draft('s', 'a', { window: 60_000 });
    draft.write('left');
    await store.close();
    await draft.flush();
    assert.throws(() => draft.write('x'), (error) => error.code === 'closed');
    assert.throws(() => store.draft('s', 'b'), (error) => error.code === 'closed');
  });

  test('refuses what is no text, no id and no window', async () => {
    const store = createInMemoryStore();
    const refused = (work) => assert.throws(work, (error) => error instanceof ValidationError && error.code === 'invalid');
    for (const id of ['', undefined, 5, {}, 'x'.repeat(513), '\ud83d']) {
      refused(() => store.draft(id, 'a'));
      refused(() => store.draft('s', id));
      await assert.rejects(() => store.drafts(id), ValidationError);
    }
    for (const window of [-1, 60_001, NaN, Infinity, '100', null, {}]) refused(() => store.draft('s', 'a', { window }));
    refused(() => store.draft('s', 'a', { get window() { throw new Error('no'); } }));
    const draft = store.draft('s', 'a');
    draft.write('kept');
    for (const text of [undefined, null, 5, {}, ['x'], new String('x')]) refused(() => draft.write(text));
    draft.write('');
    await draft.flush();
    assert.deepEqual(await found(store), [['a', 'kept']]);
  });
});
