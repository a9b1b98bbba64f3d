// Transcripts of chats: a question, thoughts, a command with its output, a tool's call and the reply, over and over.

import { seeded, text } from './payload.mjs';

const RECORDS_A_TURN = 5;
const OUTPUT_CHUNKS = 3;
const PIECE = 8;
/** What of a reply is shown while it streams in, however long it has become. */
const SHOWN = 400;
const FIRST_TIME = 1_760_000_000_000;

const emphasis = { bold: false, italic: false, dim: false, strike: false, underline: false };
const span = (words) => ({ text: words, tone: 'default', emphasis, entity: null });
const line = (words) => ({ kind: 'paragraph', spans: [span(words)] });
/** In the order in which lookups are written. */
const named = (what, turn) => `${what}-${String(turn).padStart(6, '0')}`;
const at = (count) => new Date(FIRST_TIME + count * 40).toISOString();

/** A snapshot of so many records, as JSON.stringify writes it. The same in every run. */
export function snapshotText(count) {
  const random = seeded(5);
  const records = Array.from({ length: count }, (_, index) => {
    const turn = Math.floor(index / RECORDS_A_TURN);
    return { id: index + 1, ...MAKERS[index % RECORDS_A_TURN](turn, random) };
  });
  const calls = (type) => records.filter((record) => record.type === type).map(({ id, payload }) => [payload.call_id, id]);
  return JSON.stringify({
    records,
    next_id: count + 1,
    exec_call_lookup: Object.fromEntries(calls('exec')),
    tool_call_lookup: Object.fromEntries(calls('tool_call')),
    stream_lookup: {},
  });
}

const MAKERS = [question, thoughts, command, toolCall, reply];

function question(_, random) {
  const payload = { role: 'user', kind: 'user', header: null, lines: [line(text(random, 200))], metadata: null };
  return { type: 'plain_message', payload };
}

function thoughts(_, random) {
  const sections = [{ heading: null, summary: [span(text(random, 150))], blocks: [] }];
  return { type: 'reasoning', payload: { in_progress: false, sections, hide_when_collapsed: false } };
}

function command(turn, random) {
  const chunks = [];
  let offset = 0;
  for (let number = 0; number < OUTPUT_CHUNKS; number++) {
    const content = text(random, 100);
    chunks.push({ offset, content });
    offset += new TextEncoder().encode(content).length;
  }
  const payload = {
    call_id: named('exec', turn),
    command: ['ls', '-l'],
    parsed: [{ type: 'list_files', cmd: 'ls -l', path: null }],
    action: 'list',
    status: 'success',
    stdout_chunks: chunks,
    stderr_chunks: [],
    exit_code: 0,
    wait_total_ms: null,
    wait_active: false,
    wait_notes: [],
    started_at: at(turn),
    completed_at: at(turn + 1),
  };
  return { type: 'exec', payload };
}

function toolCall(turn, random) {
  const payload = {
    call_id: named('call', turn),
    status: 'success',
    title: 'draw',
    duration_ms: 1200,
    arguments: [{ name: 'kind', value: { type: 'json', value: { bars: true, width: 640.5 } } }],
    result_preview: { lines: [text(random, 60)], truncated: false },
    error_message: null,
  };
  return { type: 'tool_call', payload };
}

function reply(turn, random) {
  const payload = {
    stream_id: `reply-${turn}`,
    markdown: text(random, 500),
    citations: [],
    metadata: null,
    token_usage: { prompt: 900 + turn, completion: 120, total: 1020 + turn },
    created_at: at(turn),
    mid_turn: false,
  };
  return { type: 'assistant_message', payload };
}

/** The pieces of one reply that streams in. */
export function makeDeltas(count) {
  const words = text(seeded(6), count * PIECE);
  const updates = Array.from({ length: count }, (_, index) => {
    const end = Math.round(((index + 1) * words.length) / count);
    const delta = words.slice(Math.round((index * words.length) / count), end);
    return {
      stream_id: 'reply',
      preview_markdown: words.slice(Math.max(end - SHOWN, 0), end),
      delta: { delta, sequence: index, received_at: at(index) },
    };
  });
  // Strings put together from pieces are flattened by whoever reads them first; here that is nobody measured.
  return JSON.parse(JSON.stringify(updates));
}
