// Transcripts in the database: what a small change writes, and what is damaged.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('a transcript in the database', () => {
  const lab = useLab();

  test('of 1,000 records writes no more than a group of them when a reply grows', async () => {
    const page = await lab.fresh();
    const { first, later, same } = await page.evaluate(async () => {
      const sessions = lab.createSessionStore({ storage: lab.store() });
      const view = new lab.HistoryState();
      for (let n = 0; n < 1_000; n += 1) view.push({ type: 'background_event', payload: { title: `event ${n}`, description: 'd'.repeat(200) } });
      let bytes = 0;
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function counted(value, key) {
        if (value instanceof Uint8Array) bytes += value.length;
        return put.call(this, value, key);
      };
      const save = async () => {
        bytes = 0;
        await sessions.saveTranscript('chat', view);
        return bytes;
      };
      const whole = await save();
      const counts = [];
      for (let n = 1; n <= 20; n += 1) {
        view.upsertAssistantStream({ stream_id: 's', preview_markdown: 'w '.repeat(n), delta: { delta: 'w ', sequence: n, received_at: '2026-01-02T03:04:05Z' } });
        counts.push(await save());
      }
      const again = await lab.createSessionStore({ storage: lab.createIndexedDbStore() }).transcript('chat');
      return { first: whole, later: Math.max(...counts), same: again.snapshotText() === view.snapshotText() };
    });
    assert.ok(same);
    assert.ok(first > 250_000 && later < 10_000, `${first} bytes, then ${later}`);
  });

  test('that is damaged, or lacks a row, is told of as that, and can be saved anew', async () => {
    const page = await lab.fresh();
    const codes = await page.evaluate(async () => {
      const storage = lab.store();
      const sessions = lab.createSessionStore({ storage });
      const view = new lab.HistoryState();
      for (let n = 0; n < 40; n += 1) view.push({ type: 'loading', payload: { message: `${n}` } });
      const found = [];
      for (const damage of [
        (side) => side.put(new Uint8Array([1, 2, 3]), ['transcript', '"chat"', 1]),
        (side) => side.put('no bytes', ['transcript', '"chat"', 0]),
        (side) => side.delete(['transcript', '"chat"', 2]),
      ]) {
        await sessions.saveTranscript('chat', new lab.HistoryState(view.snapshot()));
        const database = await lab.openDatabase('turnlog');
        const transaction = database.transaction('side', 'readwrite');
        damage(transaction.objectStore('side'));
        await new Promise((resolve) => (transaction.oncomplete = resolve));
        database.close();
        found.push((await lab.outcome(sessions.transcript('chat'))).code);
      }
      await sessions.saveTranscript('chat', new lab.HistoryState(view.snapshot()));
      found.push((await sessions.transcript('chat')).length);
      return found;
    });
    assert.deepEqual(codes, ['corrupt', 'corrupt', 'corrupt', 40]);
  });
});
