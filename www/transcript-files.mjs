// Transcripts as files: opened in either form to be read, and saved in the document's form.
import { HistoryState, nativeToDocument } from '/pkg/index.js';
import { byId } from './dom.mjs';
import { readExactly } from './records/exact-json.mjs';

/**
 * Reads a snapshot in the document's form or in the native one.
 * @param {Uint8Array} bytes
 * @returns {{state: HistoryState, records: object[]}} the records with bigints where a number cannot hold what they say
 * @throws {import('/pkg/index.js').TranscriptError}
 */
export function readTranscript(bytes) {
  const state = new HistoryState();
  try {
    state.restoreText(bytes);
  } catch (error) {
    if (error.code !== 'native_form') throw error;
    state.restoreText(nativeToDocument(bytes));
  }
  return { state, records: readExactly(state.snapshotText()).records };
}

/**
 * The two buttons above the transcript.
 * @param {{onOpen: (file: {name: string, bytes: Uint8Array}) => void, onSave: () => void}} handlers
 */
export function createTranscriptFiles({ onOpen, onSave }) {
  const picker = byId('transcript-file');
  byId('open-transcript').addEventListener('click', () => picker.click());
  byId('save-transcript').addEventListener('click', onSave);
  picker.addEventListener('change', async () => {
    const [file] = picker.files;
    if (file === undefined) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    // The same file can be chosen again, after it was changed.
    picker.value = '';
    onOpen({ name: file.name, bytes });
  });
}

/** Hands a file to the browser, to be kept where it keeps downloads. */
export function saveFile(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${name.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim() || 'transcript'}.json`;
  link.click();
  // The download has begun by then, and holds what it needs.
  setTimeout(() => URL.revokeObjectURL(address));
}
