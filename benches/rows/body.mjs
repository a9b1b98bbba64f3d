// From bytes to the body of a model request.

import * as raw from '/pkg/turnlog.js';
import { SESSION } from '../payload.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { bodyOf, fromLines, toLines } from '../peers/messages.mjs';

const decoder = new TextDecoder();

function noPlanner() {
  throw new Error('nothing is planned here');
}

function engineOn(store) {
  return raw.RawEngine.own(noPlanner, store, new raw.RawBounds(undefined, undefined, false));
}

/** A store that holds the session, from the values that a database keeps of it. */
function loaded({ heads, chunks }) {
  const store = new raw.RawStore();
  store.catchUp(SESSION, heads);
  store.load(SESSION, chunks);
  return store;
}

async function bodyFrom(engine) {
  const result = await engine.getLLMContextBytes(SESSION);
  if (!result.ok) throw result.error;
  return result.value;
}

export async function bodyRows({ entries, stored, rounds }) {
  const lines = toLines(entries);
  const objects = fromLines(lines);
  const resident = loaded(stored);
  const engine = engineOn(resident);
  mustEqual(decoder.decode(await bodyFrom(engine)), decoder.decode(bodyOf(fromLines(lines))), 'request body');

  const cold = await interleave(
    {
      turnlog: {
        // What is made is freed outside the measured time, as garbage is.
        prepare: () => ({}),
        run: async (made) => {
          made.store = loaded(stored);
          made.engine = engineOn(made.store);
          made.body = await bodyFrom(made.engine);
        },
        discard: ({ store, engine: used }) => {
          used.free();
          store.free();
        },
      },
      'JSON.parse → map → JSON.stringify': { run: () => bodyOf(fromLines(lines)) },
    },
    { rounds },
  );
  const index = await interleave(
    {
      turnlog: {
        prepare: () => ({}),
        run: (made) => {
          made.store = loaded(stored);
          made.found = made.store.has(SESSION, entries[0].input.id);
        },
        discard: ({ store }) => store.free(),
      },
      'JSON.parse → Map by id': { run: () => new Map(fromLines(lines).map((entry) => [entry.input.id, entry])) },
    },
    { rounds },
  );
  const warm = await interleave(
    {
      turnlog: { run: () => bodyFrom(engine) },
      'map → JSON.stringify': { run: () => bodyOf(objects) },
    },
    { rounds },
  );
  engine.free();
  resident.free();
  return [
    { what: 'stored bytes → request body of 10,000 entries', times: cold, goals: { 'JSON.parse → map → JSON.stringify': 12 } },
    { what: 'stored bytes → 10,000 entries found by id', times: index },
    { what: 'request body of 10,000 entries in memory', times: warm },
  ];
}
