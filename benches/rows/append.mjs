// Live objects: checked, copied, frozen and kept, in memory.

import { snapshot } from '/pkg/glue.js';
import { ChartRequestMessage, createInMemoryStore } from '/pkg/index.js';
import { NAMES } from '../goals.mjs';
import { interleave, mustEqual } from '../measure.mjs';
import { SESSION, renamed } from '../payload.mjs';
import { PlainStore, checkRequest, deepFreeze, frozenCopy } from '../peers/plain-store.mjs';
import { parseWithValibot, parseWithZod, valibotEntry, valibotRequest, zodEntry, zodRequest } from '../peers/schemas.mjs';
import { LONG, SIZES, appending, growth } from './growing.mjs';

/** How many messages are made and checked in one sample. */
const CHECKED = 2_000;
const { byHand, zod } = NAMES;
const short = (number) => number.toLocaleString('en');

async function appendAll(store, entries) {
  for (const entry of entries) await store.append(SESSION, entry);
}

async function appendParsed(store, entries, parse, schema) {
  // A function of its own awaits, as `append` does.
  const append = async (entry) => store.appendFrozen(SESSION, deepFreeze(parse(schema, entry)));
  for (const entry of entries) await append(entry);
}

const withZod = (store, entries) => appendParsed(store, entries, parseWithZod, zodEntry);
const withValibot = (store, entries) => appendParsed(store, entries, parseWithValibot, valibotEntry);

async function checkEqual(entries) {
  const [ours, plain, ofZod, ofValibot] = [createInMemoryStore(), new PlainStore(), new PlainStore(), new PlainStore()];
  for (const store of [ours, plain]) await appendAll(store, entries);
  await withZod(ofZod, entries);
  await withValibot(ofValibot, entries);
  const kept = await ours.get(SESSION);
  for (const [name, store] of Object.entries({ plain, ofZod, ofValibot })) mustEqual(kept, await store.get(SESSION), `kept by ${name}`);
  for (const store of [ours, plain]) {
    if ((await store.append(SESSION, entries[0])) !== 'deduped') throw new Error('an id that is there was appended');
  }
  const bad = { ...entries[0], input: { ...entries[0].input, layout: { width: NaN } } };
  for (const check of [(value) => snapshot(value, true), frozenCopy]) mustRefuse(() => check(bad), 'what JSON cannot hold');
  for (const check of [ChartRequestMessage, requestByHand]) mustRefuse(() => check({ ...bad.input, layout: {}, reasons: 1 }), 'reasons that are no list');
}

function mustRefuse(work, what) {
  try {
    work();
  } catch {
    return;
  }
  throw new Error(`${what} was taken`);
}

function requestByHand(input) {
  const copy = frozenCopy(input);
  checkRequest(copy);
  return copy;
}

export async function appendRows({ entries, rounds }) {
  await checkEqual(entries.slice(0, CHECKED));
  const peers = peersOf(entries);
  const rows = [];
  for (const size of SIZES) {
    const values = await interleave(Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, appending(size, peer)])), { rounds });
    rows.push({ id: 'append-entry', size, what: `append of one entry to ${short(size)} in memory: checked, copied, frozen`, values });
  }
  rows[0].note = SAME_CHECKS;
  const what = `append of one entry to ${short(LONG)} in memory, beside one to fewer`;
  rows.push({ id: 'growth-append', size: LONG, way: 'entries', what, values: await growth(peers.turnlog, rounds) });
  return [...rows, ...(await passes(entries.slice(0, CHECKED), rounds))];
}

const SAME_CHECKS =
  'Appends in memory: by hand, zod and valibot check the same fields, refuse what JSON cannot hold, copy, freeze deeply and dedupe by a Map.';

function peersOf(entries) {
  const frozen = entries.map(frozenCopy);
  const fillPlain = (size) => {
    const store = new PlainStore();
    // What they hold is made by hand for all of them: only appends are measured.
    for (const entry of renamed(frozen, size, 'first')) store.appendFrozen(SESSION, frozenCopy(entry));
    return store;
  };
  const fillOurs = async (size) => {
    const store = createInMemoryStore();
    await appendAll(store, renamed(entries, size, 'first'));
    return store;
  };
  const peer = (fill, append) => ({ fill, more: (count, sample) => renamed(entries, count, `more-${sample}`), appendAll: append });
  return {
    turnlog: peer(fillOurs, appendAll),
    [byHand]: peer(fillPlain, appendAll),
    [zod]: peer(fillPlain, withZod),
    valibot: peer(fillPlain, withValibot),
  };
}

async function passes(sample, rounds) {
  const each = (work) => ({ run: () => sample.map(work) });
  const options = { rounds, operations: sample.length };
  const copies = await interleave({ turnlog: each((entry) => snapshot(entry, true)), [byHand]: each(frozenCopy) }, options);
  const requests = await interleave(
    {
      turnlog: each(({ input }) => ChartRequestMessage(input)),
      [byHand]: each(({ input }) => requestByHand(input)),
      [zod]: each(({ input }) => deepFreeze(parseWithZod(zodRequest, input))),
      valibot: each(({ input }) => deepFreeze(parseWithValibot(valibotRequest, input))),
    },
    options,
  );
  return [
    { id: 'copy-entry', what: 'of an append, the pass that checks, copies and freezes', values: copies },
    { id: 'construct', what: 'one request message made and checked', values: requests },
  ];
}
