// Drafts in IndexedDB: a reply that streams in survives reloads, the end of its page and the death of the browser.
import assert from 'node:assert/strict';
import { readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { launchChromiumProfile } from './chromium.mjs';
import { isReady, useLab } from './indexeddb-harness.mjs';

const WINDOW = 100;
/** What a put and a message from the page take on a busy machine, in ms. */
const SLACK = 150;
const KILLS = 4;
const STREAM_MS = Number(process.env.TURNLOG_STREAM_MS ?? 10_000);

/** In each page: what a model says, in pieces of 4 to 6 characters, at 200 pieces a second. */
function streaming() {
  const words = {
    plain: ['the ', 'fleet ', 'sails', ' at 5', 'pm, ', 'wind '],
    mixed: ['the ', 'fleet ', '“sail”', ' 🚢 — ', 'café ', 'wind '],
    cyrillic: ['флот ', 'ветер ', 'выход', ' в 5 ', 'море, '],
    chinese: ['船队下午', '五点起航，', '风向东北，', '浪高两米。'],
  };
  globalThis.chunk = (number, kind = 'plain') => words[kind][number % words[kind].length];
  globalThis.textOf = (count, kind) => Array.from({ length: count }, (_, number) => chunk(number, kind)).join('');
  globalThis.stream = (draft, { ms = Infinity, kind, said = () => {} } = {}) => new Promise((resolve) => {
    const began = performance.now();
    let count = 0;
    const timer = setInterval(() => {
      const passed = Math.min(performance.now() - began, ms);
      while (count * 5 < passed) {
        draft.write(chunk(count, kind));
        said(++count);
      }
      if (passed < ms) return;
      clearInterval(timer);
      resolve(count);
    }, 5);
  });
  globalThis.listed = async (store, session = 's') =>
    (await store.drafts(session)).map(({ messageId, text }) => [messageId, text]);
  globalThis.stored = async () => {
    const keys = (await lab.dump('turnlog')).side.map(([key]) => JSON.parse(key));
    return keys.filter(([kind]) => kind === 'draft' || typeof kind === 'number');
  };
  globalThis.notes = () => Object.keys(localStorage).filter((key) => key.startsWith('turnlog:turnlog:draft:'));
  globalThis.pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  globalThis.eventually = async (holds) => {
    for (const began = performance.now(); !(await holds()); await pause(10)) {
      if (performance.now() - began > 5_000) throw new Error(`not within five seconds: ${holds}`);
    }
  };
}

async function browserProcess(folder) {
  const lock = await readlink(path.join(folder, 'SingletonLock'));
  const pid = Number(/-(\d+)$/u.exec(lock)[1]);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  assert.ok(command.includes(folder), 'the process is the browser on this profile');
  return pid;
}

describe('drafts in IndexedDB', () => {
  const lab = useLab();
  const reload = async (page) => {
    await page.reload();
    await isReady(page);
  };

  test('what was flushed is there after a reload and in another tab, as it was written', async () => {
    const page = await lab.fresh(streaming);
    const written = await page.evaluate(async () => {
      const halves = ['x\ud83d', '\ude00 é', '\ud83d', ' lone ', '\ude00'];
      const pieces = [...halves, '\ufeffbom “', '\u0000\u2028', '船\ud83d', '\ude00'];
      const [one, two] = ['a', 'b'].map((id) => lab.store().draft('s', id));
      for (const piece of pieces) {
        one.write(piece);
        two.write(piece.toUpperCase());
        await Promise.all([one.flush(), two.flush()]);
      }
      return [['a', one.text], ['b', two.text]].map(([id, text]) => [id, JSON.stringify(text)]);
    });
    const found = () => listed(lab.store()).then((list) => list.map(([id, text]) => [id, JSON.stringify(text)]));
    assert.deepEqual(await (await lab.open(page.context(), streaming)).evaluate(found), written);
    await reload(page);
    assert.deepEqual(await page.evaluate(found), written);
  });

  test('a page that ends loses nothing: what was not stored is in localStorage, as long as it matters', async () => {
    const page = await lab.fresh(streaming);
    await page.evaluate(async () => {
      const draft = (id) => lab.store().draft('s', id, { window: 60_000 });
      const [first, later, done] = ['first', 'later', 'done'].map(draft);
      first.write('all of it \ud83d');
      later.write('stored ');
      done.write('stored as well');
      await Promise.all([later.flush(), done.flush()]);
      later.write('and not “stored”');
    });
    await reload(page);
    const found = await page.evaluate(async () => {
      const seen = [];
      const look = async () => seen.push([(await listed(lab.store())).sort(), notes().length]);
      await look();
      await lab.store().append('s', lab.turn('s', 'later'));
      await look();
      lab.store().draft('s', 'first').write('anew');
      await eventually(() => notes().length === 0);
      await look();
      return seen;
    });
    const done = ['done', 'stored as well'];
    assert.deepEqual(found, [
      [[done, ['first', 'all of it \ud83d'], ['later', 'stored and not “stored”']], 2],
      [[done, ['first', 'all of it \ud83d']], 1],
      [[done, ['first', 'anew']], 0],
    ]);
  });

  test('reloads in the middle of a stream lose nothing', async () => {
    const page = await lab.fresh(streaming);
    for (let round = 0; round < 8; round += 1) {
      await page.evaluate((id) => {
        stream(lab.store().draft('s', id), { kind: 'mixed', said: (count) => localStorage.setItem('said', count) });
      }, `m${round}`);
      await after(37 + 53 * round);
      await reload(page);
      const { text, expected } = await page.evaluate(async (id) => ({
        text: Object.fromEntries(await listed(lab.store()))[id],
        expected: textOf(Number(localStorage.getItem('said')), 'mixed'),
      }), `m${round}`);
      assert.equal(text, expected);
    }
    assert.equal(await page.evaluate(async () => (await lab.store().drafts('s')).length), 8);
  });

  test('a page in the back/forward cache has left all behind for others to read, and goes on when it is back', async () => {
    const folder = await lab.newProfile();
    const context = await launchChromiumProfile(folder, { ignoreDefaultArgs: ['--disable-back-forward-cache'] });
    try {
      // A page that is not to be stored is not kept in that cache either.
      await context.route('**', async (route) => {
        const response = await route.fetch();
        const { 'cache-control': _, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });
      const page = await lab.open(context, streaming);
      const other = await lab.open(context, streaming);
      await page.evaluate(async () => {
        globalThis.turns = [];
        const note = ({ type, persisted }) => turns.push([type, persisted]);
        for (const type of ['pagehide', 'pageshow']) addEventListener(type, note);
        // Before the store's own listener, so that this put is under way when the page is left, and aborted.
        addEventListener('pagehide', () => {
          globalThis.flushed = draft.flush();
          draft.write('three ');
        });
        globalThis.draft = lab.store().draft('s', 'a', { window: 60_000 });
        draft.write('one ');
        await draft.flush();
        draft.write('two ');
      });
      await page.goto(`${lab.origin}/entries.mjs`);
      const read = () => other.evaluate(async () => [await listed(lab.store()), notes().length]);
      assert.deepEqual(await read(), [[['a', 'one two three ']], 1]);
      await page.goBack({ waitUntil: 'commit' });
      const turns = await page.evaluate(async () => {
        await flushed;
        draft.write('four');
        await draft.flush();
        return turns;
      });
      assert.deepEqual(turns, [['pagehide', true], ['pageshow', true]], 'it was the same page all the time');
      assert.deepEqual(await read(), [[['a', 'one two three four']], 0]);
    } finally {
      await context.close();
    }
  });

  test('where localStorage is full the end of a page takes no more than the window', async () => {
    const page = await lab.fresh(streaming);
    await page.evaluate(async () => {
      for (let size = 4_000_000; size > 0; size >>= 1) {
        try {
          localStorage.setItem(`fill${size}`, 'x'.repeat(size));
        } catch {
          // Half of that, then.
        }
      }
      const draft = lab.store().draft('s', 'a', { window: 60_000 });
      draft.write('stored');
      await draft.flush();
      draft.write(' too late');
    });
    await reload(page);
    assert.deepEqual(await page.evaluate(() => listed(lab.store())), [['a', 'stored']]);
  });

  test(`a browser that is killed, ${KILLS} times, loses no more than the window of each stream`, async () => {
    const folder = await lab.newProfile();
    for (let round = 0; round < KILLS; round += 1) {
      const context = await lab.openProfile(folder);
      const page = await lab.open(context, streaming);
      const heard = [];
      await page.exposeFunction('heard', (id, count) => heard.push({ id, count, at: performance.now() }));
      const closed = context.waitForEvent('close', { timeout: 0 });
      await page.evaluate(async (number) => {
        // The window is what a put may be late by, not what it takes to make a database.
        await lab.store().append('open', lab.turn('open', `${number}`));
        for (const [id, kind] of [['a', 'plain'], ['b', 'mixed']]) {
          const said = (count) => heard(id, count);
          stream(lab.store().draft(`round ${number}`, id), { kind, said });
        }
      }, round);
      const pieces = 300 + Math.random() * 200;
      while (heard.length < pieces) await after(5);
      const killed = performance.now();
      process.kill(await browserProcess(folder), 'SIGKILL');
      await closed;
      lab.forget(context);

      const next = await lab.openProfile(folder);
      const found = await (await lab.open(next, streaming)).evaluate(async (number) => {
        const texts = Object.fromEntries(await listed(lab.store(), `round ${number}`));
        return Object.fromEntries([['a', 'plain'], ['b', 'mixed']].map(([id, kind]) => {
          const text = texts[id] ?? '';
          let count = 0;
          for (let length = 0; length < text.length; count += 1) length += chunk(count, kind).length;
          return [id, { isPrefix: textOf(count, kind) === text, count }];
        }));
      }, round);
      await next.close();
      lab.forget(next);
      for (const id of ['a', 'b']) {
        const due = heard.filter((each) => each.id === id && each.at < killed - WINDOW - SLACK).length;
        assert.ok(due > 50, `${due} pieces were heard of`);
        assert.ok(found[id].isPrefix, 'what is there is what was written');
        assert.ok(found[id].count >= due, `${found[id].count} of ${due} that were due (round ${round}, ${id})`);
      }
    }
  });

  test('the entry ends its draft, by append and by engine.handle, and nothing of it stays in the database', async () => {
    const page = await lab.fresh(streaming);
    const found = await page.evaluate(async () => {
      const store = lab.store();
      const counts = [];
      const ends = {
        a: () => store.append('s', lab.turn('s', 'a')),
        b: () => lab.engine(store).handle(lab.request('s', 'b')),
      };
      for (const [id, end] of Object.entries(ends)) {
        const draft = store.draft('s', id, { window: 20 });
        await stream(draft, { ms: 200 });
        await draft.flush();
        counts.push((await stored()).length > 4);
        draft.write('more');
        await end();
        await eventually(async () => (await stored()).length === 0);
        await pause(50);
        counts.push((await stored()).length, (await listed(store)).length);
      }
      return counts;
    });
    assert.deepEqual(found, [true, 0, 0, true, 0, 0]);
  });

  test('an entry or a clear of another tab ends drafts too, and what a live stream goes on to write is swept', async () => {
    const page = await lab.fresh(streaming);
    const other = await lab.open(page.context(), streaming);
    await page.evaluate(async () => {
      for (const id of ['a', 'b']) {
        const session = id === 'a' ? 's' : 'cleared';
        globalThis[id] = lab.store().draft(session, id, { window: 0 });
        globalThis[id].write('so far');
        await globalThis[id].flush();
      }
    });
    const seen = await other.evaluate(async () => {
      const before = await listed(lab.store());
      await lab.store().append('s', lab.turn('s', 'a'));
      await lab.store().clear('cleared');
      const listedThen = [await listed(lab.store()), await listed(lab.store(), 'cleared')];
      return [before, ...listedThen, (await stored()).length];
    });
    assert.deepEqual(seen, [[['a', 'so far']], [], [], 0]);
    const left = await page.evaluate(async () => {
      for (const draft of [a, b]) {
        draft.write(' and on');
        await draft.flush();
      }
      const left = (await stored()).length;
      return [left, await listed(lab.store()), await listed(lab.store(), 'cleared'), (await stored()).length];
    });
    assert.deepEqual(left, [2, [], [], 0]);
  });

  test('discard removes a draft whose put is under way, and a new draft replaces one of another tab', async () => {
    const page = await lab.fresh(streaming);
    const other = await lab.open(page.context(), streaming);
    await page.evaluate(async () => {
      const draft = lab.store().draft('s', 'a', { window: 0 });
      draft.write('not wanted');
      await draft.discard();
      globalThis.old = lab.store().draft('s', 'b', { window: 0 });
      old.write('of one tab');
      await old.flush();
    });
    await other.evaluate(async () => {
      const draft = lab.store().draft('s', 'b');
      draft.write('of the other');
      await draft.flush();
    });
    await page.evaluate(async () => {
      old.write(' and more');
      await old.flush();
    });
    const found = await page.evaluate(async () => [await listed(lab.store()), (await stored()).length]);
    assert.deepEqual(found, [[['b', 'of the other']], 2]);
  });

  test('without room flush says so, nothing is dropped, and all is stored once there is room', async () => {
    const page = await lab.fresh(streaming);
    const cdp = await page.context().newCDPSession(page);
    const room = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin, quotaSize });
    await room(2_000_000);
    const failed = await page.evaluate(async () => {
      globalThis.draft = lab.store().draft('s', 'a');
      draft.write('before ');
      await draft.flush();
      // It compresses well: Chromium writes it before it refuses.
      draft.write('x'.repeat(6_000_000));
      // The put of the window fails first, with nobody waiting for it.
      await pause(400);
      draft.write(' after');
      const outcomes = [await lab.outcome(draft.flush()), await lab.outcome(draft.flush())];
      return { outcomes, stored: await listed(lab.store()), length: draft.text.length };
    });
    for (const { name, code } of failed.outcomes) assert.deepEqual([name, code], ['StoreError', 'quota_exceeded']);
    assert.deepEqual(failed.stored, [['a', 'before ']]);
    assert.equal(failed.length, 6_000_013);
    await room(undefined);
    const found = await page.evaluate(async () => {
      // By itself, with a later window.
      await eventually(async () => (await listed(lab.store()))[0][1] === draft.text);
      await draft.flush();
      return (await listed(lab.store())).length;
    });
    assert.equal(found, 1);
  });

  test('close stores what is left, and a closed store refuses drafts', async () => {
    const page = await lab.fresh(streaming);
    const found = await page.evaluate(async () => {
      const store = lab.createIndexedDbStore();
      const draft = store.draft('s', 'a', { window: 60_000 });
      draft.write('left');
      await store.close();
      const calls = [async () => draft.write('x'), async () => store.draft('s', 'b'), () => store.drafts('s')];
      const outcomes = await Promise.all(calls.map((call) => lab.outcome(call())));
      return [outcomes.map(({ code }) => code), await listed(lab.store())];
    });
    assert.deepEqual(found, [['closed', 'closed', 'closed'], [['a', 'left']]]);
  });

  test(`200 pieces a second for ${STREAM_MS / 1_000} s: a put a window, and at most 1.5 times the bytes of the text`, async () => {
    const page = await lab.fresh(streaming);
    const found = await page.evaluate(async (ms) => {
      const session = crypto.randomUUID();
      // The real database; its puts are counted. What Chromium makes of a value: 17 bytes around it, a tag, a length.
      const sizeOf = {
        string: (text) => 20 + (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length,
        object: ({ byteLength }) => 26 + byteLength,
        number: () => 19,
      };
      const partSize = (part) => (typeof part === 'string' ? 2 + 2 * part.length : 9);
      const keySize = (key) => key.reduce((sum, part) => sum + partSize(part), 2);
      const puts = new Map();
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (value, key) {
        const of = typeof key[0] === 'number' ? key[0] : key[3];
        const sum = puts.get(of) ?? { number: 0, bytes: 0 };
        puts.set(of, { number: sum.number + 1, bytes: sum.bytes + keySize(key) + sizeOf[typeof value](value) });
        return put.call(this, value, key);
      };
      const kinds = ['plain', 'mixed', 'cyrillic', 'chinese'];
      const counts = await Promise.all(kinds.map(async (kind) => {
        const draft = lab.store().draft(session, kind);
        const count = await stream(draft, { ms, kind });
        await draft.flush();
        return count;
      }));
      IDBObjectStore.prototype.put = put;
      const texts = Object.fromEntries(await listed(lab.store(), session));
      const refs = (await stored()).filter(([kind]) => kind === 'draft').map(([, , kind, ref]) => [kind, ref]);
      return refs.map(([kind, ref]) => {
        const expected = textOf(counts[kinds.indexOf(kind)], kind);
        const size = new TextEncoder().encode(expected).length;
        const { number, bytes } = puts.get(ref);
        return { kind, isWhole: texts[kind] === expected, puts: number, ratio: bytes / size };
      });
    }, STREAM_MS);
    assert.equal(found.length, 4);
    for (const { kind, isWhole, puts, ratio } of found) {
      assert.ok(isWhole, `${kind}: the stored text is what was written`);
      // The head and the last part, which is flushed, come on top.
      assert.ok(puts <= STREAM_MS / WINDOW + 2, `${kind}: ${puts} puts`);
      assert.ok(ratio <= 1.5, `${kind}: ${ratio} times the text`);
    }
  });
});
