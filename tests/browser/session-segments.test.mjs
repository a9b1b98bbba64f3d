// How a session's events are laid out in the database: few rows, whatever the visits were like.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('the stored events of a session', () => {
  const lab = useLab();

  test('stand in few rows after many short visits, and are what was appended', async () => {
    const page = await lab.fresh();
    const { rows, wrong, length } = await page.evaluate(async () => {
      const all = [];
      for (let visit = 1; visit <= 150; visit += 1) {
        const storage = lab.createIndexedDbStore();
        const sessions = lab.createSessionStore({ storage });
        const session = visit === 1 ? sessions.create('chat') : await sessions.open('chat');
        session.append('turn/start', { turn: visit, trigger: { kind: 'message', source: { kind: 'user' } } });
        session.append('plugin/any', { words: 'w '.repeat(visit % 40 === 0 ? 30_000 : visit) });
        session.append('turn/end', { turn: visit, reason: { kind: 'completed' } });
        all.push(...session.events.slice(-3));
        await sessions.flush(session);
        await storage.close();
      }
      const database = await lab.openDatabase('turnlog');
      const count = database.transaction('events').objectStore('events').count();
      await new Promise((resolve) => (count.onsuccess = resolve));
      database.close();
      const { events } = await lab.createSessionStore({ storage: lab.store() }).open('chat');
      return { rows: count.result, wrong: JSON.stringify(events) !== JSON.stringify(all), length: events.length };
    });
    assert.deepEqual([wrong, length], [false, 450]);
    assert.ok(rows < 80, `${rows} rows`);
  });
});
