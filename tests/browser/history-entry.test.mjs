// `turnlog` and `turnlog/history` on one database, and on one page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('the entry turnlog/history', () => {
  const lab = useLab();

  // The browser tells a page of what another page wrote to localStorage, and not of what it wrote itself.
  for (const [make, isTold] of [['createIndexedDbStore', true], ['createLocalStorageStore', false]]) {
    test(`has the same entries as the whole package: ${make}`, async () => {
      const page = await lab.fresh();
      const found = await page.evaluate(async ([name, waits]) => {
        const history = await import('./pkg/history.js');
        await history.init();
        const [whole, part] = [lab[name](), history[name]()];
        const engineOn = (entry, store) => entry.createEngine({ planner: (request) => ({ userMessage: `To ${request.id}.` }), history: { store } });
        const sessionId = lab.SessionId('s');
        const ask = (engine, id) => engine.handle(lab.ChartRequestMessage({ id: lab.MessageId(id), sessionId, reasons: [{ kind: 'user_intent', text: 'Hi \ud83d 😀' }] }));
        const told = [];
        whole.subscribe(({ kind, local }) => told.push([kind, local]));
        const [one, other] = [engineOn(lab, whole), engineOn(history, part)];
        for (let turn = 0; turn < 20; turn += 1) await ask(turn % 2 === 0 ? one : other, `m${turn}`);
        const again = await ask(one, 'm1');
        const ids = await Promise.all([whole, part].map((store) => lab.ids(store, sessionId)));
        const sessions = await Promise.all([whole, part].map(async (store) => (await store.sessions()).map(({ id, entries, bytes }) => [id, entries, bytes])));
        // Told of what the other one wrote, as by another tab.
        const end = Date.now() + (waits ? 5_000 : 0);
        while (!told.some(([, local]) => !local) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
        await Promise.all([whole.close(), part.close()]);
        return { again, ids, sessions, isTold: told.some(([, local]) => !local) };
      }, [make, isTold]);
      assert.equal(found.again.value.replayed, true, 'answered by the other entry');
      assert.deepEqual(found.ids[0], Array.from({ length: 20 }, (_, turn) => `m${turn}`));
      assert.deepEqual(found.ids[1], found.ids[0]);
      assert.deepEqual(found.sessions[1], found.sessions[0]);
      assert.equal(found.isTold, isTold);
    });
  }

  test('makes the database whole, and leaves event logs in it alone', async () => {
    const page = await lab.fresh();
    const types = await page.evaluate(async () => {
      const history = await import('./pkg/history.js');
      await history.init();
      const part = history.createIndexedDbStore();
      await part.append('s', lab.turn('s', 'a'));
      const sessions = lab.createSessionStore({ storage: lab.store() });
      const session = sessions.create('log');
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
      session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
      await sessions.flush(session);
      await sessions.close(session);
      await part.append('s', lab.turn('s', 'b'));
      await part.replace('s', []);
      await part.close();
      return (await sessions.open('log')).events.map(({ type }) => type);
    });
    assert.deepEqual(types, ['turn/start', 'turn/end']);
  });
});
