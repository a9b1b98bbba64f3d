// Transcripts: made from their text, written as text, and added to while a reply streams in.

import { HistoryState } from '/pkg/index.js';
import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import * as reducers from '../peers/transcript-reducers.mjs';
import { makeDeltas, snapshotText } from '../transcript-payload.mjs';

const RECORDS = 1_000;
const DELTAS = 10_000;
/** At either end of them. */
const MEASURED = 1_000;

const NOTES = {
  parse: 'turnlog checks every record, finds its keys and keeps its text; JSON.parse makes objects and checks nothing.',
  write: 'turnlog has the text of records that nobody has changed, and JSON.stringify writes each anew.',
  deltas:
    'All replace the preview (400 characters at most) and add the delta to one list. turnlog also checks both, and limits the ' +
    'bytes held; the reducers do neither. The immutable one makes the lists anew, so that a change is seen by identity.',
};

export async function transcriptRows({ rounds }) {
  const text = snapshotText(RECORDS);
  return [...(await texts(text, rounds)), await deltas(text, rounds)];
}

function restored(text) {
  const state = new HistoryState();
  state.restoreText(text);
  return state;
}

async function texts(text, rounds) {
  const ours = restored(text);
  const theirs = JSON.parse(text);
  mustEqual(ours.snapshotText(), JSON.stringify(theirs), 'a snapshot');
  const parse = { turnlog: { run: () => restored(text) }, 'JSON.parse': { run: () => JSON.parse(text) } };
  const write = { turnlog: { run: () => ours.snapshotText() }, 'JSON.stringify': { run: () => JSON.stringify(theirs) } };
  const kilobytes = Math.round(text.length / 1000);
  const what = `a transcript of ${RECORDS.toLocaleString('en')} records`;
  return [
    {
      id: 'transcript-parse',
      size: RECORDS,
      what: `${what} from its text (${kilobytes} KB)`,
      values: await interleave(parse, { rounds }),
      note: NOTES.parse,
    },
    { id: 'transcript-write', size: RECORDS, what: `${what} to its text`, values: await interleave(write, { rounds }), note: NOTES.write },
  ];
}

async function deltas(text, rounds) {
  const updates = makeDeltas(DELTAS);
  const makers = {
    turnlog: () => {
      const state = restored(text);
      return { upsert: (update) => state.upsertAssistantStream(update), state: () => state.snapshot() };
    },
    'a reducer in place': () => reducers.inPlace(text),
    'an immutable reducer': () => reducers.immutable(text),
  };
  const after = (make, from, to) => {
    const it = make();
    for (const update of updates.slice(from, to)) it.upsert(update);
    return it;
  };
  const pieces = (make) => after(make, 0, DELTAS).state().records.at(-1).payload.deltas;
  const expected = pieces(makers.turnlog);
  mustEqual(expected.length, DELTAS, 'deltas');
  const candidate = (make, from) => {
    const measured = updates.slice(from, from + MEASURED);
    return {
      operations: MEASURED,
      prepare: () => after(make, 0, from),
      run: (it) => measured.forEach((update) => it.upsert(update)),
    };
  };
  const candidates = { turnlog: candidate(makers.turnlog, DELTAS - MEASURED), [NAMES.firstDeltas]: candidate(makers.turnlog, 0) };
  for (const [name, make] of Object.entries(makers).slice(1)) {
    mustEqual(expected, pieces(make), `deltas: ${name}`);
    candidates[name] = candidate(make, DELTAS - MEASURED);
  }
  return {
    id: 'transcript-delta',
    size: DELTAS,
    what:
      `one delta of a reply, the last ${MEASURED.toLocaleString('en')} of ${DELTAS.toLocaleString('en')}, ` +
      `behind ${RECORDS.toLocaleString('en')} records`,
    values: await interleave(candidates, { rounds }),
    note: NOTES.deltas,
  };
}
