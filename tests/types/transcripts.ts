// The transcript: what narrows, what a later version may bring, and lines that must not compile.
import { HistoryState, Session, TranscriptError, documentToNative, nativeToDocument } from 'turnlog';
import type { NewTranscriptRecord, TextTone, TranscriptEvent, TranscriptMutation, TranscriptRecord, TranscriptSnapshot } from 'turnlog';

const state = new HistoryState();
const note: NewTranscriptRecord = { type: 'background_event', payload: { title: 't', description: 'd' } };
const id: number = state.push(note);
// @ts-expect-error a payload of another type
state.push({ type: 'loading', payload: { title: 't' } });
// @ts-expect-error there is no such event
state.apply({ type: 'undo' });

export function show(record: TranscriptRecord): string {
  switch (record.type) {
    case 'exec':
      return record.payload.command.join(' ') + (record.payload.stdout_chunks[0]?.content ?? '');
    case 'plain_message':
      return record.payload.lines.map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n');
    case 'tool_call':
      return record.payload.arguments.map(({ value }) => (value.type === 'text' ? value.text : value.type)).join();
    default: {
      const type: string = record.type;
      return type;
    }
  }
}

export function weight(tone: TextTone): number {
  switch (tone) {
    case 'dim':
      return 1;
    default:
      return 2;
  }
}

const event: TranscriptEvent = { type: 'update_exec_stream', index: 0, stdout_chunk: { offset: 0, content: '' } };
const mutation: TranscriptMutation = state.apply(event);
if (mutation.type !== 'noop') show(mutation.record);
const snapshot: TranscriptSnapshot = state.snapshot();
const first: TranscriptRecord | undefined = state.get(0) ?? state.record(1n);
try {
  state.restoreText(state.snapshotText());
} catch (error) {
  if (error instanceof TranscriptError) error.path satisfies string | undefined;
}

const drawn: HistoryState = HistoryState.fromSession(new Session('s')).follow([]);

const native: string = documentToNative(nativeToDocument(new Uint8Array()));

export { id, snapshot, first, drawn, native };
