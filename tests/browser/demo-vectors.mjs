// The shared vectors of transcripts (tests/fixtures/transcript) for the tests of the demo, and how a file is opened in it.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

const FOLDER = new URL('../fixtures/transcript/', import.meta.url);

/** The types that the package knows. */
export const TYPES = [
  'plain_message', 'wait_status', 'loading', 'running_tool', 'tool_call', 'plan_update', 'upgrade_notice', 'reasoning', 'exec', 'merged_exec',
  'assistant_stream', 'assistant_message', 'diff', 'image', 'explore', 'rate_limits', 'patch', 'background_event', 'notice', 'context',
];

/** The names of all documents that begin so. */
export function vectorNames(prefix) {
  const names = readdirSync(FOLDER).filter((name) => name.startsWith(prefix));
  assert.ok(names.length > 10, `there are vectors of ${prefix}`);
  return names;
}

export function vectorBytes(name) {
  return readFileSync(new URL(name, FOLDER));
}

/** Of messages with one stream id a transcript takes over the first. */
export function takenOver(records) {
  const streams = new Set();
  return records.filter(({ type, payload: { stream_id: stream } }) => {
    if (type !== 'assistant_message' || typeof stream !== 'string') return true;
    return !streams.has(stream) && streams.add(stream);
  });
}

/** The records of all documents but the long one, numbered anew. What is beyond 2^53 becomes that. */
export function allRecords() {
  const documents = vectorNames('doc_').filter((name) => name !== 'doc_35_thousand.json').map((name) => JSON.parse(vectorBytes(name), safely));
  const records = takenOver(documents.flatMap(({ records: own }) => own));
  assert.deepEqual([...new Set(records.map(({ type }) => type))].toSorted(), TYPES.toSorted(), 'records of all types');
  return records.map((record, at) => ({ ...record, id: at + 1 }));
}

const safely = (key, value) => (Number.isInteger(value) && !Number.isSafeInteger(value) ? Number.MAX_SAFE_INTEGER : value);

export function snapshotOf(records) {
  return { records, next_id: records.length + 1, exec_call_lookup: {}, tool_call_lookup: {}, stream_lookup: {} };
}

/** Opens a transcript as a person picks a file; resolves when all of it is on the screen. */
export async function openTranscript(demo, name, content, count) {
  const buffer = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  await demo.page.locator('#transcript-file').setInputFiles({ name, mimeType: 'application/json', buffer });
  await demo.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  if (count !== undefined) await demo.until(async () => (await demo.page.locator('#log > article').count()) === count, `${count} records are shown`);
}
