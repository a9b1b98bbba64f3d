// Live objects: checked, copied, frozen and kept, in memory.

import { snapshot } from '/pkg/glue.js';
import { ChartRequestMessage, createInMemoryStore } from '/pkg/index.js';
import { SESSION } from '../payload.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { PlainStore, deepFreeze, frozenCopy } from '../peers/plain-store.mjs';
import { parseWithValibot, parseWithZod, valibotEntry, valibotRequest, zodEntry, zodRequest } from '../peers/schemas.mjs';

/** How many appends make one sample, each into a store that was new before them. */
const APPENDS = 2_000;

/** A bound on a peer's time, as a share: ours at most 1.5 times theirs. */
const AT_MOST_HALF_AS_LONG_AGAIN = 1 / 1.5;

async function appendAll(store, entries) {
  for (const entry of entries) await store.append(SESSION, entry);
}

async function appendParsed(store, entries, parse, schema) {
  // A function of its own awaits, as `append` does.
  const append = async (entry) => store.appendFrozen(SESSION, deepFreeze(parse(schema, entry)));
  for (const entry of entries) await append(entry);
}

async function checkEqual(entries) {
  const [ours, plain, zod, valibot] = [createInMemoryStore(), new PlainStore(), new PlainStore(), new PlainStore()];
  for (const store of [ours, plain]) await appendAll(store, entries);
  await appendParsed(zod, entries, parseWithZod, zodEntry);
  await appendParsed(valibot, entries, parseWithValibot, valibotEntry);
  const kept = await ours.get(SESSION);
  for (const [name, store] of Object.entries({ plain, zod, valibot })) mustEqual(kept, await store.get(SESSION), `kept by ${name}`);
  for (const store of [ours, plain]) {
    if ((await store.append(SESSION, entries[0])) !== 'deduped') throw new Error('an id that is there was appended');
  }
  const bad = { ...entries[0], input: { ...entries[0].input, layout: { width: NaN } } };
  for (const check of [(value) => snapshot(value, true), frozenCopy]) {
    let refused = false;
    try {
      check(bad);
    } catch {
      refused = true;
    }
    if (!refused) throw new Error('what JSON cannot hold was taken');
  }
}

export async function appendRows({ entries, rounds }) {
  const sample = entries.slice(0, APPENDS);
  await checkEqual(sample);
  const each = (work) => ({ run: () => sample.map(work) });
  const options = { rounds, operations: APPENDS };

  const append = await interleave(
    {
      turnlog: { prepare: createInMemoryStore, run: (store) => appendAll(store, sample) },
      'by hand': { prepare: () => new PlainStore(), run: (store) => appendAll(store, sample) },
      zod: { prepare: () => new PlainStore(), run: (store) => appendParsed(store, sample, parseWithZod, zodEntry) },
      valibot: { prepare: () => new PlainStore(), run: (store) => appendParsed(store, sample, parseWithValibot, valibotEntry) },
    },
    options,
  );
  const copies = await interleave(
    { turnlog: each((entry) => snapshot(entry, true)), 'by hand': each(frozenCopy) },
    options,
  );
  const requests = await interleave(
    {
      turnlog: each(({ input }) => ChartRequestMessage(input)),
      zod: each(({ input }) => deepFreeze(parseWithZod(zodRequest, input))),
      valibot: each(({ input }) => deepFreeze(parseWithValibot(valibotRequest, input))),
    },
    options,
  );
  return [
    { what: 'append of one entry in memory, checked, copied, frozen', times: append, goals: { 'by hand': AT_MOST_HALF_AS_LONG_AGAIN } },
    { what: 'of that, the pass that checks, copies and freezes', times: copies, goals: { 'by hand': AT_MOST_HALF_AS_LONG_AGAIN } },
    { what: 'one request message made and checked', times: requests },
  ];
}
