// The transcript as JavaScript has it: objects where they can hold everything, texts where they cannot.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HistoryState, Session, documentToNative, isTurnlogError, nativeToDocument, writeSessionLog } from 'turnlog';

const span = (text) => ({ text, tone: 'default', emphasis: { bold: false, italic: false, dim: false, strike: false, underline: false }, entity: null });
const line = (text) => ({ kind: 'paragraph', spans: [span(text)] });
const said = (text) => ({ type: 'plain_message', payload: { role: 'user', kind: 'user', header: null, lines: [line(text)], metadata: null } });
const started = { index: 99, call_id: 'c', command: ['ls'], parsed: [], action: 'run', started_at: '2026-01-02T03:04:05.000000006Z', env: [], tags: [] };
const refusal = (code, path) => (error) => {
  assert.deepEqual([error.name, error.code, error.path], ['TranscriptError', code, path]);
  assert.ok(isTurnlogError(error));
  return true;
};
const textsOf = (state) => Array.from({ length: state.length }, (_, index) => state.get(index).payload.lines?.[0].spans[0].text);

describe('a transcript', () => {
  test('gives records ids, finds them, and gives them back as they were', () => {
    const state = new HistoryState();
    const record = { id: 77, ...said('one'), more: [1, { deep: null }] };
    assert.deepEqual([state.push(record), state.push(said('two')), state.insert(1, said('between'))], [1, 2, 3]);
    assert.deepEqual([state.length, state.nextId, state.indexOf(3), state.indexOf(2n), state.indexOf(9)], [3, 4, 1, 2, -1]);
    assert.deepEqual(state.get(0), { ...record, id: 1 });
    assert.deepEqual(state.record(3), { id: 3, ...said('between') });
    assert.deepEqual([state.get(3), state.record(9), state.remove(9)], [undefined, undefined, undefined]);
    assert.equal(state.remove(0).id, 1);
    assert.deepEqual(textsOf(state), ['between', 'two']);
    assert.deepEqual(state.truncateAfter(3).map(({ id }) => id), [2]);
    assert.equal(state.nextId, 4);
  });

  test('makes changes and says what they were', () => {
    const state = new HistoryState();
    const inserted = state.apply({ type: 'start_exec', ...started });
    assert.deepEqual([inserted.type, inserted.index, inserted.id, inserted.record.payload.status], ['inserted', 0, 1, 'running']);
    state.apply({ type: 'update_exec_stream', index: 0, stdout_chunk: { offset: 0, content: 'é' } });
    const grown = state.apply({ type: 'update_exec_stream', index: 0, stdout_chunk: { offset: 2, content: '🚀' } });
    assert.deepEqual(grown.record.payload.stdout_chunks, [{ offset: 0, content: 'é🚀' }]);
    assert.throws(() => state.apply({ type: 'update_exec_stream', index: 0, stdout_chunk: { offset: 3, content: 'x' } }), refusal('offset', 'stdout_chunk.offset'));
    const over = state.apply({ type: 'finish_exec', call_id: 'c', status: 'success', exit_code: 0, wait_active: false, wait_notes: [], stdout_tail: '!' });
    assert.deepEqual([over.record.payload.status, over.record.payload.stdout_chunks[0].content], ['success', 'é🚀!']);
    assert.deepEqual(state.apply({ type: 'remove', index: 5 }), { type: 'noop' });
    assert.equal(state.apply({ type: 'replace', index: 0, record: said('instead') }).record.type, 'plain_message');
  });

  test('has a reply stream in, and makes it a message', () => {
    const state = new HistoryState();
    const received_at = '2026-01-02T03:04:05Z';
    assert.equal(state.upsertAssistantStream({ stream_id: 's', preview_markdown: 'He', delta: { delta: 'He', sequence: 1, received_at } }), 1);
    state.push(said('meanwhile'));
    assert.equal(state.upsertAssistantStream({ stream_id: 's', preview_markdown: 'Hello', delta: { delta: 'llo', sequence: 1, received_at } }), 1);
    const { payload } = state.record(1);
    assert.deepEqual([payload.preview_markdown, payload.deltas], ['Hello', [{ delta: 'Hello', sequence: 1, received_at }]]);
    assert.ok(Math.abs(Date.parse(payload.last_updated_at) - Date.now()) < 60_000);
    assert.deepEqual([state.idOfStream('s'), state.idOfStream('t'), state.idOfExecCall('s'), state.idOfToolCall('s')], [1, undefined, undefined, undefined]);
    assert.equal(state.upsertAssistantStream('s', 'Hello.', { delta: '.', sequence: 2, received_at }), 1);
    const message = state.finalizeAssistantStream('s', 'Hello.', undefined, { prompt: 1, completion: 2, total: 9 });
    assert.equal(state.finalizeAssistantStream({ stream_id: 's', markdown: 'Hello.', token_usage: { prompt: 1, completion: 2, total: 9 } }).id, 3);
    assert.deepEqual([message.id, message.type, message.payload.token_usage.total, state.length], [3, 'assistant_message', 9, 2]);
  });

  test('keeps what it does not know, and nothing of a secret', () => {
    const state = new HistoryState();
    const future = { type: 'hologram', payload: { depth: [1.5, { words: 'kept' }] }, beside: true };
    const args = [{ name: 'key', value: { type: 'secret', secret: 'hunter2' } }, { name: 'n', value: { type: 'vector', of: [1] } }];
    state.push(future);
    state.push({ type: 'tool_call', payload: { status: 'paused', title: 't', arguments: args, novel: null } });
    assert.deepEqual(state.get(0), { id: 1, ...future });
    const { payload } = state.get(1);
    assert.deepEqual(payload.arguments, [{ name: 'key', value: { type: 'secret' } }, args[1]]);
    assert.deepEqual([payload.status, payload.novel], ['paused', null]);
    assert.ok(!state.snapshotText().includes('hunter2'));
  });

  test('comes back from its snapshot, as objects and as text', () => {
    const state = new HistoryState();
    state.push(said('one'));
    state.apply({ type: 'start_exec', ...started });
    const [objects, text] = [state.snapshot(), state.snapshotText()];
    assert.deepEqual(JSON.parse(text), objects);
    assert.deepEqual(objects.exec_call_lookup, { c: 2 });
    assert.equal(new HistoryState(objects).snapshotText(), text);
    for (const restore of [(other) => other.restore(objects), (other) => other.restoreText(text), (other) => other.restoreText(new TextEncoder().encode(text))]) {
      const other = new HistoryState();
      other.push(said('replaced'));
      restore(other);
      assert.equal(other.snapshotText(), text);
    }
  });
});

describe('numbers that no object can hold', () => {
  const WIDE = '18446744073709551615';
  const text = `{"records":[{"id":9007199254740993,"type":"loading","payload":{"message":"m","n":${WIDE},"f":1.10}}],"next_id":9007199254740994}`;

  test('are kept by the texts, and refused by the objects, where nothing has changed then', () => {
    const state = new HistoryState();
    state.restoreText(text);
    assert.ok(state.snapshotText().startsWith(text.slice(0, -1)), 'byte for byte');
    assert.equal(state.indexOf(9007199254740993n), 0);
    for (const [path, call] of [
      ['id', () => state.get(0)],
      ['next_id', () => state.nextId],
      ['records[0].id', () => state.snapshot()],
      ['id', () => state.remove(0)],
      ['id', () => state.push(said('x'))],
      ['id', () => state.apply({ type: 'insert', index: 0, record: said('x') })],
      ['[0].id', () => state.truncateAfter(0)],
    ]) assert.throws(call, refusal('unsafe_integer', path));
    assert.ok(state.snapshotText().startsWith(text.slice(0, -1)), 'still byte for byte');
    const mutation = state.applyText(`{"type":"insert","index":0,"record":{"type":"loading","payload":{"message":"","n":${WIDE}}}}`);
    assert.ok(mutation.includes(`"id":9007199254740994,`) && mutation.includes(WIDE));
    assert.equal(state.length, 2);
  });

  test('do not come in as numbers that are not safe', () => {
    const state = new HistoryState();
    assert.throws(() => state.push({ type: 'loading', payload: { message: 5 } }), refusal('invalid', 'payload.message'));
    for (const record of [undefined, null, 5, 'text', [], { type: 'x' }, { type: 5, payload: {} }, { type: 'x', payload: 1n }, { type: 'x', payload: { n: NaN } }]) {
      assert.throws(() => state.push(record), { name: 'TranscriptError' });
    }
    for (const call of [() => state.get(-1), () => state.get('0'), () => state.indexOf('1'), () => state.insert(NaN, said('x')), () => state.truncateAfter(-1), () => state.restoreText(5)]) {
      assert.throws(call, { name: 'ValidationError', code: 'invalid' });
    }
    assert.throws(() => state.insert(1, said('x')), refusal('index', undefined));
    for (const bad of ['', '{', '{"records":{}}', '{"records":[],"next_id":-1}', '{"records":[],"next_id":1} x', '\u0000']) {
      assert.throws(() => state.restoreText(bad), { name: 'TranscriptError' }, bad);
    }
    assert.equal(state.length, 0);
  });
});

describe('a session that is drawn', () => {
  const source = { kind: 'user' };
  const text = (words) => [{ type: 'text', text: words }];
  const model = { provider: 'p', model: 'm' };
  const steps = [
    ['turn/start', () => ({ turn: 1, trigger: { kind: 'message', source } })],
    ['user/message', (words) => ({ content: text(words), source }), { surfaceOp: 'append' }],
    ['assistant/chunk', (words) => ({ turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: words } })],
    ['assistant/chunk', (words) => ({ turn: 1, step: 1, chunk: { type: 'reasoning-delta', index: 0, text: words } })],
    ['assistant/message', (words) => ({ turn: 1, step: 1, content: [...text(words), { type: 'tool-call', id: words, name: 'n', arguments: '{}' }], provenance: model }), { surfaceOp: 'append' }],
    ['tool/result', (words) => ({ turn: 1, step: 1, callId: words, content: text(words), isError: words.length > 2 }), { surfaceOp: 'append' }],
    ['todo/write', (words) => ({ todos: [{ content: words, status: 'pending' }] })],
    ['turn/end', (words) => ({ turn: 1, reason: { kind: words.length > 2 ? 'interrupted' : 'completed' } })],
  ];

  test('bit by bit is what it is at once, from the session, its events and its log', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.nat(7), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 40 }), (program) => {
      const session = new Session('s');
      const view = new HistoryState();
      for (const [kind, words] of program) {
        const [type, data, intent] = steps[kind];
        session.append(type, data(words), intent);
        if (words.length % 2 === 0) view.follow(session);
        if (kind === 3) view.restoreText(view.snapshotText());
      }
      view.follow(session).follow(session.events);
      const wanted = view.snapshotText();
      for (const from of [session, session.events, Session.fromLog(writeSessionLog(session.header, session.events))]) {
        assert.equal(HistoryState.fromSession(from).snapshotText(), wanted);
      }
    }), { numRuns: 150 });
  });

  test('is refused where it is none', () => {
    for (const source of [undefined, 'events', { events: [] }]) {
      assert.throws(() => HistoryState.fromSession(source), { name: 'ValidationError', code: 'invalid', path: 'source' });
    }
    assert.throws(() => HistoryState.fromSession([undefined]), { name: 'SessionError', code: 'seed_json' });
    assert.equal(HistoryState.fromSession([null, 5, {}, { type: 'user/message' }]).length, 1);
  });
});

describe('the native form', () => {
  const folder = new URL('../fixtures/transcript/', import.meta.url);
  const read = (name) => readFile(new URL(name, folder), 'utf8');

  test('goes there and back for every snapshot of the reference, and is restored', async () => {
    const names = (await readdir(folder)).filter((name) => name.startsWith('native_'));
    assert.ok(names.length >= 20, `${names.length} snapshots`);
    for (const name of names) {
      const [native, document] = await Promise.all([name, name.replace('native', 'doc')].map(read));
      const converted = nativeToDocument(native);
      assert.deepEqual(JSON.parse(converted), JSON.parse(document), name);
      assert.deepEqual(JSON.parse(documentToNative(converted)), JSON.parse(native), name);
      new HistoryState().restoreText(converted);
    }
  });

  test('is refused where the other one is wanted, and the other way round', async () => {
    const native = await read('native_05_loading.json');
    const document = nativeToDocument(new TextEncoder().encode(native));
    for (const [code, call] of [
      ['document_form', () => nativeToDocument(document)],
      ['native_form', () => documentToNative(native)],
      ['native_form', () => new HistoryState().restoreText(native)],
      ['not_json', () => nativeToDocument('{')],
    ]) assert.throws(call, (error) => error.name === 'TranscriptError' && error.code === code);
    assert.throws(() => nativeToDocument(5), { name: 'ValidationError', code: 'invalid' });
  });
});

describe('for any program', () => {
  const operation = fc.tuple(fc.nat(7), fc.nat(12), fc.string({ maxLength: 5 }));

  test('a snapshot is the state, and a state without wide numbers is the same through objects and texts', () => {
    fc.assert(fc.property(fc.array(operation, { maxLength: 40 }), (program) => {
      const [objects, texts] = [new HistoryState(), new HistoryState()];
      for (const [kind, index, text] of program) {
        const event = eventOf(kind, index, text, objects.length);
        const answers = [() => objects.apply(event), () => JSON.parse(texts.applyText(JSON.stringify(event)))].map(outcome);
        assert.deepEqual(answers[0], answers[1]);
      }
      const timeless = (text) => text.replace(/"last_updated_at":"[^"]*"/g, '');
      assert.equal(timeless(objects.snapshotText()), timeless(texts.snapshotText()));
      const again = new HistoryState();
      again.restore(objects.snapshot());
      assert.deepEqual(again.snapshot(), objects.snapshot());
    }), { numRuns: 200 });
  });
});

function eventOf(kind, index, text, length) {
  const place = length === 0 ? 0 : index % (length + 1);
  if (kind === 0) return { type: 'insert', index: place, record: said(text) };
  if (kind === 1) return { type: 'replace', index: place, record: said(text) };
  if (kind === 2) return { type: 'remove', index: place };
  if (kind === 3) return { ...started, type: 'start_exec', index: place, call_id: text };
  if (kind < 6) return { type: 'update_exec_stream', index: place, stdout_chunk: { offset: index, content: text } };
  if (kind === 6) return { type: 'finish_exec', call_id: text, status: 'error', wait_active: false, wait_notes: [] };
  return { type: 'upsert_assistant_stream', stream_id: text, preview_markdown: text, delta: { delta: text, received_at: started.started_at } };
}

function outcome(call) {
  try {
    const { record, ...rest } = call();
    if (record?.payload.last_updated_at !== undefined) delete record.payload.last_updated_at;
    return { record, ...rest };
  } catch ({ code, path }) {
    return { code, path };
  }
}
