// What goes into localStorage comes out of it: any session, any value, after a restart, and through an engine.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReady, useLab } from './indexeddb-harness.mjs';

describe('the localStorage store', () => {
  const lab = useLab();

  test('keeps the text of entries to the byte: numbers as they are spelled, half surrogate pairs, unknown fields', async () => {
    const page = await lab.fresh();
    await page.evaluate(async () => {
      const header = '{"format":"turnlog/session","version":1,"sessionId":"s"}';
      const message =
        '"type":"assistant_message","id":"a","sessionId":"s","timestamp":1.50e0,"content":"\\ud83d","big":18446744073709551615';
      globalThis.lines = `${header}\n{"kind":"injection","input":{${message}},"n":[1.0,1E3,0.1000,100000000000000000000000000000001]}\n`;
      const store = lab.createLocalStorageStore();
      await store.importSession(new TextEncoder().encode(lines));
      globalThis.text = async (from) => new TextDecoder().decode(await from.exportSession('s'));
    });
    const found = await page.evaluate(async () => {
      const fresh = lab.createLocalStorageStore();
      const exported = await text(fresh);
      const odd = lab.turn('odd', 'a', lab.oddities());
      await fresh.append('odd', odd);
      const again = lab.createLocalStorageStore();
      const [entry] = await again.get('odd');
      return {
        same: exported === lines,
        odd: JSON.stringify(entry) === JSON.stringify(odd),
        frozen: Object.isFrozen(entry.output),
      };
    });
    assert.deepEqual(found, { same: true, odd: true, frozen: true });
  });

  test('takes any session id, and keeps each to itself', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const ids = [
        'a',
        'a:b',
        'a/b',
        'a/',
        '/',
        '%',
        '%2F',
        'a%2Fb',
        '__proto__',
        'constructor',
        '0',
        ' ',
        '\n',
        '\0',
        '漢',
        '😀',
        'é',
        'x'.repeat(512),
        '漢'.repeat(512),
      ];
      const store = lab.createLocalStorageStore();
      for (const id of ids) await store.append(id, lab.turn(id, `of ${id.slice(0, 9)}`));
      await store.append('cleared', lab.turn('cleared', 'x'));
      await store.clear('cleared');
      const fresh = lab.createLocalStorageStore();
      const wrong = [];
      for (const id of ids) if ((await lab.ids(fresh, id)).join() !== `of ${id.slice(0, 9)}`) wrong.push(id);
      const listed = (await fresh.sessions()).map(({ id }) => id);
      const refused = await lab.outcome(fresh.append('y'.repeat(513), lab.turn('s', 'a')));
      return { wrong, listed: listed.toSorted().join() === ids.toSorted().join(), refused: refused.name };
    });
    assert.deepEqual(found, { wrong: [], listed: true, refused: 'ValidationError' });
  });

  test('sessions tells entries, bytes and times, the latest first', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      const texts = {};
      for (const [session, times] of [
        ['old', [5, 3]],
        ['new', [7]],
        ['mid', [6, 1, 2]],
      ]) {
        texts[session] = 0;
        for (const timestamp of times) {
          const entry = lab.turn(session, `m${timestamp}`, { note: 'é😀' });
          entry.input.timestamp = timestamp;
          await store.append(session, entry);
          texts[session] += new TextEncoder().encode(JSON.stringify(entry)).length;
        }
      }
      const wanted = [
        ['new', 1, 7, 7],
        ['mid', 3, 1, 6],
        ['old', 2, 3, 5],
      ].map(([id, entries, first, last]) => ({
        id,
        entries,
        bytes: texts[id],
        firstActivity: first,
        lastActivity: last,
      }));
      const [own, fresh] = [await store.sessions(), await lab.createLocalStorageStore().sessions()];
      return { wanted, own, fresh };
    });
    assert.deepEqual(found.own, found.wanted);
    assert.deepEqual(found.fresh, found.wanted);
  });

  test('an engine cuts it to maxEntries and maxChars, the newest entry stays, and a reload changes nothing', async () => {
    const page = await lab.fresh();
    const run = (from) =>
      page.evaluate(async (start) => {
        const engine = lab.engine(lab.createLocalStorageStore(), { maxEntries: 12, maxChars: 1_000 }, (request) =>
          'a'.repeat(2 * (request.id % 31)),
        );
        for (let number = start; number < start + 80; number += 1) {
          const result = await engine.handle(lab.request('s', String(number), 'u'.repeat(number % 97)));
          if (!result.ok) throw result.error;
        }
        const keys = Object.keys(localStorage).filter((key) => key.startsWith('turnlog/e/')).length;
        return { ids: await lab.ids(lab.createLocalStorageStore(), 's'), keys };
      }, from);
    const units = (number) => 2 * (number % 31) + (number % 97);
    for (const from of [0, 80]) {
      const { ids, keys } = await run(from);
      const last = from + 79;
      assert.equal(keys, ids.length, 'what was cut is gone');
      assert.deepEqual(
        ids,
        Array.from({ length: ids.length }, (_, index) => String(last - ids.length + 1 + index)),
      );
      const held = ids.reduce((sum, id) => sum + units(Number(id)), 0);
      assert.ok(
        ids.length === 12 || (held <= 1_000 && held + units(last - ids.length) > 1_000),
        `${ids.length} entries, ${held} characters`,
      );
      await page.reload();
      await isReady(page);
    }
    const sticky = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      await lab.engine(store, { maxChars: 1_000 }, () => 'z'.repeat(5_000)).handle(lab.request('s', 'huge'));
      const context = await lab.engine(store, { maxChars: 1_000 }).getLLMContext('s');
      return { ids: await lab.ids(store, 's'), context: context.value.length };
    });
    assert.deepEqual(sticky, { ids: ['huge'], context: 2 });
  });

  test('an engine merges an import once, replays a response, and a hook that throws stores nothing', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      const engine = lab.engine(store);
      const wire = Array.from({ length: 30 }, (_, n) => ({
        kind: 'turn',
        id: `m${n}`,
        sessionId: 's',
        timestamp: n,
        userIntent: `u${n}`,
        assistantMessage: `a${n}`,
      }));
      const imports = [];
      for (const list of [
        wire.slice(0, 20),
        wire.map((entry) => (entry.id === 'm5' ? { ...entry, userIntent: 'other' } : entry)),
      ]) {
        imports.push((await engine.importHistory('s', list)).value);
      }
      await engine.handle(lab.request('s', 'asked'));
      const again = await lab.engine(lab.createLocalStorageStore()).handle(lab.request('s', 'asked'));
      const failing = lab.engine(store, {
        maxChars: 100,
        deriveLLMContext: () => {
          throw new Error('the hook’s own');
        },
      });
      const failed = await failing.handle(lab.request('t', 'x'));
      return {
        imports,
        replayed: again.value.replayed,
        failed: failed.error.name,
        ids: await lab.ids(store, 't'),
        count: (await store.get('s')).length,
      };
    });
    assert.deepEqual(found, {
      imports: [
        { inserted: 20, deduped: 0, conflicts: [] },
        { inserted: 10, deduped: 20, conflicts: ['m5'] },
      ],
      replayed: true,
      failed: 'ValidationError',
      ids: [],
      count: 31,
    });
  });

  test('outlives the browser', async () => {
    const folder = await lab.newProfile();
    const context = await lab.openProfile(folder);
    const page = await lab.open(context);
    const origin = page.url();
    await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      await store.replace('s', lab.turns('s', 3));
      await store.append('s', lab.turn('s', 'x'));
      await store.close();
    });
    await context.close();
    lab.forget(context);
    const next = await lab.openProfile(folder);
    const later = await lab.open(next);
    assert.equal(later.url(), origin);
    assert.deepEqual(await later.evaluate(() => lab.ids(lab.createLocalStorageStore(), 's')), ['m0', 'm1', 'm2', 'x']);
  });

  test('close lets writes that were begun end, and refuses calls from then on', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(async () => {
      const store = lab.createLocalStorageStore();
      const writing = [store.append('s', lab.turn('s', 'a')), store.append('s', lab.turn('s', 'b'))].map(lab.outcome);
      await store.close();
      const begun = (await Promise.all(writing)).map(({ value }) => value);
      const calls = [
        store.get('s'),
        store.append('s', lab.turn('s', 'c')),
        store.sessions(),
        store.clear('s'),
        store.replace('s', []),
        store.damaged(),
      ];
      return {
        begun,
        codes: (await Promise.all(calls.map(lab.outcome))).map(({ code }) => code),
        ids: await lab.ids(lab.createLocalStorageStore(), 's'),
      };
    });
    assert.deepEqual(found, { begun: ['inserted', 'inserted'], codes: Array(6).fill('closed'), ids: ['a', 'b'] });
  });

  test('where localStorage is denied or missing, calls reject with unavailable, and making the store does not', async () => {
    const denied = () =>
      Object.defineProperty(globalThis, 'localStorage', {
        get: () => {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    const missing = () => Object.defineProperty(globalThis, 'localStorage', { value: null });
    const codes = async (make) => {
      const store = make();
      const calls = [
        store.get('s'),
        store.append('s', {
          kind: 'injection',
          input: { type: 'assistant_message', id: 'a', sessionId: 's', timestamp: 1, content: '' },
        }),
        store.clear('s'),
        store.sessions(),
      ];
      return Promise.all(
        calls.map((call) =>
          call.then(
            () => 'done',
            ({ name, code }) => `${name} ${code}`,
          ),
        ),
      );
    };
    for (const script of [denied, missing]) {
      const page = await lab.fresh(script);
      assert.deepEqual(
        await page.evaluate(`(${codes})(() => lab.createLocalStorageStore())`),
        Array(4).fill('StoreError unavailable'),
      );
    }
    const page = await lab.fresh();
    const { calls } = await page.evaluate(() => lab.inWorker('storeless-worker.mjs', 'indexeddb'));
    const refused = { name: 'StoreError', code: 'unavailable' };
    assert.deepEqual(calls, [refused, { name: 'ValidationError', code: 'invalid' }, refused, refused]);
  });

  test('refuses other options', async () => {
    const page = await lab.fresh();
    const found = await page.evaluate(() =>
      [{ prefix: '' }, { prefix: 5 }, { onChange: 'x' }].map((options) => {
        try {
          return lab.createLocalStorageStore(options);
        } catch ({ name, path }) {
          return `${name} ${path}`;
        }
      }),
    );
    assert.deepEqual(found, ['ValidationError prefix', 'ValidationError prefix', 'ValidationError onChange']);
  });
});
