// Two tabs that write one session at the same time, in every engine: nothing lost, nothing doubled, one order.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useEngine } from './engines/harness.mjs';
import { ENGINES } from './engines/index.mjs';

const APPENDS = 200;

/** Every fourth id is one that the other tab appends too. */
const SHARED_EVERY = 4;

/** The clock is one for both tabs: they begin at this moment, not when they were told. */
const BEGIN_MS = 2_000;

/** Appends in the page, and gives the outcomes and the times of begin and end. */
async function hammer({ session, tab, begin, appends, sharedEvery, atOnce }) {
  const store = lab.store();
  const entries = Array.from({ length: appends }, (_, number) => {
    const id = number % sharedEvery === 0 ? `shared ${number}` : `tab ${tab} ${number}`;
    return { ...lab.turn(session, id), metadata: { tab, number } };
  });
  await new Promise((resolve) => setTimeout(resolve, begin - Date.now()));
  const began = Date.now();
  const outcomes = [];
  if (atOnce) outcomes.push(...(await Promise.all(entries.map((entry) => store.append(session, entry)))));
  else for (const entry of entries) outcomes.push(await store.append(session, entry));
  return { began, ended: Date.now(), outcomes };
}

/** What a tab's store reads, and what one reads that never saw the session before. */
async function readings(session) {
  const fresh = lab.createIndexedDbStore();
  const lists = [await lab.store().get(session), await fresh.get(session)];
  await fresh.close();
  return lists;
}

for (const engine of ENGINES) {
  describe(`two tabs on one session, in ${engine}`, () => {
    const lab = useEngine(engine);

    for (const [session, atOnce] of [['one after another', false], ['all at once', true]]) {
      test(`${APPENDS} appends each, ${session}, some ids shared: none lost, none twice, in order`, async () => {
        const tabs = [await lab.open(), await lab.open()];
        const begin = Date.now() + BEGIN_MS;
        const order = { session, begin, appends: APPENDS, sharedEvery: SHARED_EVERY, atOnce };
        const results = await Promise.all(tabs.map((page, tab) => page.evaluate(hammer, { ...order, tab })));
        assert.ok(
          results[0].began < results[1].ended && results[1].began < results[0].ended,
          'the tabs wrote at the same time',
        );

        const [entries, ...others] = (await Promise.all(tabs.map((page) => page.evaluate(readings, session)))).flat();
        for (const list of others) assert.deepEqual(list, entries, 'all readers see one list in one order');
        const ids = entries.map(({ input }) => input.id);
        assert.equal(new Set(ids).size, ids.length, 'no id is there twice');
        const shared = APPENDS / SHARED_EVERY;
        assert.equal(ids.length, 2 * APPENDS - shared);

        for (const [tab, { outcomes }] of results.entries()) {
          const inserted = [...outcomes.keys()].filter((number) => outcomes[number] === 'inserted');
          const stored = entries.filter(({ metadata }) => metadata.tab === tab).map(({ metadata }) => metadata.number);
          assert.deepEqual(stored, inserted, `tab ${tab}: what was inserted is stored, in the order of the calls`);
        }
        for (let number = 0; number < APPENDS; number += 1) {
          const outcomes = results.map((result) => result.outcomes[number]).toSorted();
          const wanted = number % SHARED_EVERY === 0 ? ['deduped', 'inserted'] : ['inserted', 'inserted'];
          assert.deepEqual(outcomes, wanted, `append ${number}`);
        }
        await Promise.all(tabs.map((page) => page.close()));
      });
    }
  });
}
