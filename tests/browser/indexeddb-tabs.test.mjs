// Two tabs on one database: no lost update, no entry twice, one order for all, and notices of each change.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useLab } from './indexeddb-harness.mjs';

const both = (tabs, run, argument) => Promise.all(tabs.map((tab, index) => tab.evaluate(run, { ...argument, tab: index })));

/** The session as each tab sees it now, and as a store that never saw it before reads it. */
async function seenByAll(tabs, session) {
  const lists = await Promise.all(tabs.map((tab) => tab.evaluate((id) => lab.ids(lab.store(), id), session)));
  const fresh = await tabs[0].evaluate(async (id) => {
    const store = lab.createIndexedDbStore();
    const list = await lab.ids(store, id);
    await store.close();
    return list;
  }, session);
  for (const list of lists) assert.deepEqual(list, fresh, 'all readers see one list in one order');
  return fresh;
}

describe('two tabs on one database', () => {
  const lab = useLab();
  const openTwo = async () => {
    const context = await lab.newContext();
    return [await lab.open(context), await lab.open(context)];
  };

  test('200 appends each to one session, one after another: 400 entries, none twice, each tab’s order kept', async () => {
    const tabs = await openTwo();
    await both(tabs, async ({ tab }) => {
      for (const entry of lab.turns('s', 200, `tab ${tab} `)) {
        const outcome = await lab.store().append('s', entry);
        if (outcome !== 'inserted') throw new Error(`${entry.input.id} was ${outcome}`);
      }
    });
    const ids = await seenByAll(tabs, 's');
    assert.equal(ids.length, 400);
    assert.equal(new Set(ids).size, 400);
    for (const tab of [0, 1]) {
      const own = ids.filter((id) => id.startsWith(`tab ${tab} `));
      assert.deepEqual(own, Array.from({ length: 200 }, (_, index) => `tab ${tab} ${index}`));
    }
  });

  test('200 appends each, all at once: 400 entries, each tab’s order kept', async () => {
    const tabs = await openTwo();
    const outcomes = await both(tabs, ({ tab }) =>
      Promise.all(lab.turns('s', 200, `tab ${tab} `).map((entry) => lab.store().append('s', entry))),
    );
    assert.deepEqual(new Set(outcomes.flat()), new Set(['inserted']));
    const ids = await seenByAll(tabs, 's');
    assert.equal(new Set(ids).size, 400);
    for (const tab of [0, 1]) {
      const own = ids.filter((id) => id.startsWith(`tab ${tab} `));
      assert.deepEqual(own, Array.from({ length: 200 }, (_, index) => `tab ${tab} ${index}`));
    }
  });

  test('the same 150 ids from both: each is inserted exactly once, and the first content stays', async () => {
    const tabs = await openTwo();
    const [first, second] = await both(tabs, async ({ tab }) => {
      const outcomes = {};
      for (const entry of lab.turns('s', 150)) {
        outcomes[entry.input.id] = await lab.store().append('s', { ...entry, metadata: tab });
      }
      return outcomes;
    });
    const entries = await tabs[0].evaluate(() => lab.store().get('s'));
    assert.equal(entries.length, 150);
    for (const { input, metadata } of entries) {
      const outcomes = [first[input.id], second[input.id]];
      assert.deepEqual(outcomes.toSorted(), ['deduped', 'inserted'], input.id);
      assert.equal(outcomes[metadata], 'inserted', 'what is stored is what was acknowledged as inserted');
    }
  });

  test('the same request to an engine in each: both get one answer, and one entry is stored', async () => {
    const tabs = await openTwo();
    const answers = await both(tabs, async ({ tab }) => {
      const engine = lab.engine(lab.store(), {}, () => `from tab ${tab}`);
      const results = [];
      for (let number = 0; number < 40; number += 1) results.push(await engine.handle(lab.request('s', `m${number}`)));
      return results.map((result) => result.value.output.userMessage);
    });
    assert.deepEqual(answers[0], answers[1], 'a request that was answered elsewhere meanwhile gets that answer');
    assert.equal((await seenByAll(tabs, 's')).length, 40);
  });

  test('appends against replace and clear: as if one after another', async () => {
    const tabs = await openTwo();
    await Promise.all([
      tabs[0].evaluate(async () => {
        for (const entry of lab.turns('s', 150, 'appended ')) {
          const outcome = await lab.store().append('s', entry);
          if (outcome !== 'inserted') throw new Error(`${entry.input.id} was ${outcome}`);
        }
      }),
      tabs[1].evaluate(async () => {
        for (let round = 0; round < 25; round += 1) {
          await lab.store().replace('s', lab.turns('s', 5, `round ${round}, `));
          const ids = await lab.ids(lab.store(), 's');
          const wanted = Array.from({ length: 5 }, (_, index) => `round ${round}, ${index}`);
          const [begin, rest] = [ids.slice(0, 5), ids.slice(5)];
          if (begin.join('|') !== wanted.join('|')) throw new Error(`after replace ${round}: ${ids}`);
          if (!rest.every((id) => id.startsWith('appended '))) throw new Error(`behind replace ${round}: ${rest}`);
          if (round % 5 === 4) await lab.store().clear('s');
        }
      }),
    ]);
    const ids = await seenByAll(tabs, 's');
    // What is left is an unbroken end of what was appended, behind what the last replace or clear set.
    const numbers = ids.map((id) => Number(/^appended (\d+)$/u.exec(id)?.[1]));
    assert.deepEqual(numbers, Array.from(numbers, (_, index) => 150 - numbers.length + index));
    await tabs[0].evaluate(() => lab.store().append('s', lab.turn('s', 'last')));
    assert.deepEqual(await seenByAll(tabs, 's'), [...ids, 'last']);
  });

  test('truncating engines in both: the bounds hold at every read, and the newest entries of each stay in order', async () => {
    const tabs = await openTwo();
    const longest = await both(tabs, async ({ tab }) => {
      const engine = lab.engine(lab.store(), { maxEntries: 12, maxChars: 600 });
      let most = 0;
      for (let number = 0; number < 100; number += 1) {
        const result = await engine.handle(lab.request('s', `tab ${tab} ${number}`));
        if (!result.ok) throw result.error;
        const entries = await lab.store().get('s');
        const chars = entries.flatMap(lab.defaultLLMContext).reduce((sum, message) => sum + message.content.length, 0);
        if (chars > 600) throw new Error(`${chars} characters are retained`);
        most = Math.max(most, entries.length);
      }
      return most;
    });
    assert.deepEqual(longest, [12, 12]);
    const ids = await seenByAll(tabs, 's');
    assert.equal(ids.length, 12);
    for (const tab of [0, 1]) {
      const numbers = ids.filter((id) => id.startsWith(`tab ${tab} `)).map((id) => Number(id.slice(6)));
      assert.deepEqual(numbers, Array.from(numbers, (_, index) => 100 - numbers.length + index), `tab ${tab}`);
    }
  });

  test('a change is told once in its own tab and once in the other, when it can be read there', async () => {
    const [own, other] = await openTwo();
    const listen = () => {
      globalThis.changes = [];
      lab.store().subscribe(async (change) => {
        const seen = { ...change };
        globalThis.changes.push(seen);
        seen.ids = await lab.ids(lab.store(), change.sessionId);
      });
    };
    await Promise.all([own.evaluate(listen), other.evaluate(listen)]);
    await own.evaluate(async () => {
      const store = lab.store();
      await store.append('s', lab.turn('s', 'a'));
      await store.append('s', lab.turn('s', 'a'));
      await lab.engine(store).handle(lab.request('s', 'b'));
      await lab.engine(store).handle(lab.request('s', 'b'));
      await store.append('quiet', lab.turn('quiet', 'x'));
      await store.replace('s', [lab.turn('s', 'c')]);
      await store.clear('s');
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    const kinds = [['s', 'append'], ['s', 'append'], ['quiet', 'append'], ['s', 'replace'], ['s', 'clear']];
    for (const [tab, local] of [[own, true], [other, false]]) {
      const changes = await tab.evaluate(() => globalThis.changes);
      assert.deepEqual(changes.map(({ sessionId, kind }) => [sessionId, kind]), kinds);
      assert.ok(changes.every((change) => change.local === local));
      assert.deepEqual(changes.at(-1).ids, []);
    }
    const told = await own.evaluate(() => globalThis.changes.map(({ ids }) => ids));
    assert.ok(told[0].includes('a') && told[1].includes('b') && told[2].includes('x'), 'the change is there when it is told of');
  });

  test('the other tab reads what a notice told of; after unsubscribing and after close() nothing is told', async () => {
    const [own, other] = await openTwo();
    const heard = await other.evaluateHandle(() => {
      const box = { all: [], off: undefined };
      box.off = lab.store().subscribe(async ({ sessionId }) => box.all.push(await lab.ids(lab.store(), sessionId)));
      return box;
    });
    await own.evaluate(() => lab.store().append('s', lab.turn('s', 'a')));
    await other.waitForFunction((box) => box.all.length === 1, heard);
    assert.deepEqual(await heard.evaluate((box) => box.all), [['a']]);
    await heard.evaluate((box) => box.off());
    const closed = await own.evaluate(async () => {
      const store = lab.createIndexedDbStore();
      const told = [];
      store.subscribe((change) => told.push(change));
      await store.close();
      await lab.store().append('s', lab.turn('s', 'b'));
      await new Promise((resolve) => setTimeout(resolve, 200));
      return told;
    });
    assert.deepEqual(closed, []);
    assert.equal(await heard.evaluate((box) => box.all.length), 1);
  });

  test('a listener that throws stops neither the call nor the other listeners', async () => {
    const page = await lab.fresh();
    const told = await page.evaluate(async () => {
      const errors = [];
      addEventListener('error', (event) => {
        errors.push(event.error.message);
        event.preventDefault();
      });
      const kinds = [];
      lab.store().subscribe(() => {
        throw new Error('a listener’s own failure');
      });
      lab.store().subscribe(({ kind }) => kinds.push(kind));
      const outcome = await lab.store().append('s', lab.turn('s', 'a'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { outcome, kinds, errors };
    });
    assert.deepEqual(told, { outcome: 'inserted', kinds: ['append'], errors: ['a listener’s own failure'] });
  });
});
