// Bodies of requests in a browser: of a session that is stored, and handed to fetch without a copy.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

describe('a body of a request', () => {
  const lab = useLab();

  test('of a stored session is that of the live one, also after one more turn', async () => {
    const page = await lab.fresh();
    const bodies = await page.evaluate(async () => {
      const source = { kind: 'user' };
      const say = (session, turn) => {
        session.append('turn/start', { turn, trigger: { kind: 'message', source } });
        session.append('user/message', { content: [{ type: 'text', text: `Question ${turn} \ud83d` }], source }, { surfaceOp: 'append' });
        const content = [{ type: 'tool-call', id: 'c', name: 'look', arguments: '{}' }];
        const provenance = { provider: 'openai', model: 'm' };
        session.append('assistant/message', { turn, step: 1, content, provenance }, { surfaceOp: 'append' });
        session.append('tool/result', { turn, step: 1, callId: 'c', content: [{ type: 'text', text: '😀' }], isError: false }, { surfaceOp: 'append' });
        const answer = [{ type: 'text', text: `Answer ${turn}` }];
        session.append('assistant/message', { turn, step: 2, content: answer, provenance }, { surfaceOp: 'append' });
        session.append('turn/end', { turn, reason: { kind: 'completed' } });
      };
      const storage = lab.store();
      const sessions = lab.createSessionStore({ storage });
      const live = sessions.create('chat');
      for (let turn = 1; turn <= 300; turn += 1) say(live, turn);
      await sessions.flush(live);
      const text = (session, options) => new TextDecoder().decode(lab.buildRequest('openai-chat', session, { model: 'm', ...options }));
      const all = (session) => [text(session), text(session, { maxChars: 900 }), text(session, { maxInputTokens: 500, dropInSteps: 25 })];
      const first = all(live);
      await sessions.close(live);
      const again = await sessions.open('chat');
      const stored = all(again);
      say(again, 301);
      const next = all(again);
      const anew = all(new lab.Session('chat', again.events));
      return { first, stored, next, anew };
    });
    assert.deepEqual(bodies.stored, bodies.first);
    assert.deepEqual(bodies.next, bodies.anew);
    assert.ok(bodies.next[0].startsWith(bodies.first[0].slice(0, -2)), 'what was sent before is sent alike');
    assert.deepEqual(bodies.next.map((body) => body.includes('Answer 301')), [true, true, true]);
  });

  test('that is a view is sent as it was when fetch was called', async () => {
    const page = await lab.fresh();
    const sent = [];
    await page.route('**/v1/chat/completions', (route) => {
      sent.push(route.request().postDataBuffer().toString('utf8'));
      return route.fulfill({ status: 200, contentType: 'application/json', body: '{}' });
    });
    const wanted = await page.evaluate(async () => {
      const session = new lab.Session('chat');
      const text = (words) => [{ type: 'text', text: words }];
      const provenance = { provider: 'openai', model: 'm' };
      for (let turn = 1; turn <= 200; turn += 1) {
        session.append('user/message', { content: text(`q ${turn} ${'x'.repeat(2_000)}`), source: { kind: 'user' } }, { surfaceOp: 'append' });
        session.append('assistant/message', { turn, step: 1, content: text(`a ${turn}`), provenance }, { surfaceOp: 'append' });
      }
      session.append('user/message', { content: text('last'), source: { kind: 'user' } }, { surfaceOp: 'append' });
      const copy = new TextDecoder().decode(lab.buildRequest('openai-chat', session, { model: 'm' }));
      const body = lab.buildRequest('openai-chat', session, { model: 'm', view: true });
      if (body.buffer.byteLength === body.length) throw new Error('it is a copy');
      const answer = fetch('/v1/chat/completions', { method: 'POST', body });
      // Another beginning moves all of it, and much more text has the memory grow.
      lab.buildRequest('openai-chat', session, { model: 'm', system: 'Be brief.', view: true });
      lab.buildRequest('openai-chat', [{ role: 'user', content: 'y'.repeat(30_000_000) }], { model: 'm' });
      await answer;
      return copy;
    });
    assert.deepEqual(sent, [wanted]);
  });
});
