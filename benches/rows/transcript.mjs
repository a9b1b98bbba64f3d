// Transcripts: made from their text, written as text, and added to while a reply streams in.

import { HistoryState } from '/pkg/index.js';
import { interleave, mustEqual } from '../measure.mjs';
import * as reducers from '../peers/transcript-reducers.mjs';
import { makeDeltas, snapshotText } from '../transcript-payload.mjs';

const RECORDS = 1_000;
const DELTAS = 10_000;
/** At either end of them. */
const MEASURED = 1_000;
/** JSON.parse and JSON.stringify look at nothing but the grammar; a third of their speed is asked for. */
const TEXT_GOAL = 1 / 3;
/** The last deltas may take a quarter more time than the first. */
const FLAT_GOAL = 0.8;
const FIRST = `turnlog, the first ${MEASURED.toLocaleString('en')}`;

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
      what: `${what} from its text (${kilobytes} KB)`,
      times: await interleave(parse, { rounds }),
      goals: { 'JSON.parse': TEXT_GOAL },
      note: NOTES.parse,
    },
    {
      what: `${what} to its text`,
      times: await interleave(write, { rounds }),
      goals: { 'JSON.stringify': TEXT_GOAL },
      note: NOTES.write,
    },
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
  const candidates = { turnlog: candidate(makers.turnlog, DELTAS - MEASURED), [FIRST]: candidate(makers.turnlog, 0) };
  for (const [name, make] of Object.entries(makers).slice(1)) {
    mustEqual(expected, pieces(make), `deltas: ${name}`);
    candidates[name] = candidate(make, DELTAS - MEASURED);
  }
  return {
    what:
      `one delta of a reply, the last ${MEASURED.toLocaleString('en')} of ${DELTAS.toLocaleString('en')}, ` +
      `behind ${RECORDS.toLocaleString('en')} records`,
    times: await interleave(candidates, { rounds }),
    goals: { [FIRST]: FLAT_GOAL },
    note: NOTES.deltas,
  };
}
