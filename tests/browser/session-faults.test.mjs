// What can happen to stored sessions: no room, damage, databases that are gone, newer and older formats. What was
// acknowledged is there, or is told to be missing, and nothing is overwritten before somebody says so.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertTexts, isArmed, useSessions } from './session-harness.mjs';

describe('stored sessions', () => {
  const lab = useSessions();

  /** A page with a stored session: 28 events, 10 and 18 of a second turn, 28 of a third, and what is asked for of a fourth. */
  async function filled(count = 0) {
    const page = await lab.tab();
    await page.evaluate(async (more) => {
      const { turnEvents } = await import('./session-turns.mjs');
      const store = chat.sessions();
      const session = store.create('chat', { meta: { createdAt: 5 } });
      chat.write(session, 1);
      await store.flush(session);
      chat.write(session, 2, 10);
      await store.flush(session);
      for (const event of turnEvents(2, 28).slice(10)) session.append(...event);
      await store.flush(session);
      chat.write(session, 3);
      await store.flush(session);
      if (more > 0) {
        chat.write(session, 4, more);
        await store.flush(session);
      }
      globalThis.written = chat.texts(session);
    }, count);
    return page;
  }

  const written = (page) => page.evaluate(() => written);
  const open = (page, options) => page.evaluate(async (given) => {
    globalThis.mine = chat.sessions();
    const { value, ...error } = await lab.outcome(mine.open('chat', given));
    globalThis.session = value;
    return value === undefined ? error : { texts: chat.texts(value) };
  }, options);
  const refused = async (page, name, code, options) => {
    const outcome = await open(page, options);
    assert.deepEqual([outcome.name, outcome.code], [name, code], JSON.stringify(outcome));
    return outcome;
  };
  /** A turn more is written, and all is read by a store that knows nothing. */
  const goesOn = async (page) => {
    const found = await page.evaluate(async () => {
      const starts = session.events.filter(({ type }) => type === 'turn/start').length;
      chat.write(session, starts + 1);
      await mine.flush(session);
      lab.checkInvariants(session.events);
      return { own: chat.texts(session), stored: chat.texts(await chat.stored('chat')), list: await mine.stored() };
    });
    assertTexts(found.stored, found.own);
    assert.deepEqual(found.list.map(({ id }) => id), ['chat']);
  };
  const rows = (page) => page.evaluate(() => chat.tamper(async ({ events }, resultOf) =>
    (await resultOf(events.getAll())).map((value) => new TextDecoder().decode(value))));
  const dump = (page) => page.evaluate(() => chat.dump());

  test('without room: a flush rejects with quota_exceeded, the events stay, and the next flush has them', async () => {
    const page = await lab.tab();
    const cdp = await page.context().newCDPSession(page);
    const room = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin, quotaSize });
    // Before the first write: Chromium asks for the room now and then.
    await room(2_000_000);
    const found = await page.evaluate(async () => {
      globalThis.mine = chat.sessions();
      globalThis.session = mine.create('chat');
      chat.write(session, 1);
      await mine.flush(session);
      session.append('turn/start', { turn: 2, trigger: { kind: 'message', source: { kind: 'user' } } });
      session.append('plugin/large', 'x'.repeat(6_000_000));
      const failed = await lab.outcome(mine.flush(session));
      return { failed, again: await lab.outcome(mine.flush(session)), seq: session.seq, stored: (await chat.stored('chat')).seq };
    });
    for (const { name, code, details } of [found.failed, found.again]) {
      assert.deepEqual([name, code, details?.name], ['StoreError', 'quota_exceeded', 'QuotaExceededError']);
    }
    assert.deepEqual([found.seq, found.stored], [30, 28]);
    await room(undefined);
    const after = await page.evaluate(async () => {
      session.append('turn/end', { turn: 2, reason: { kind: 'completed' } });
      await mine.flush(session);
      const stored = await chat.stored('chat');
      return [stored.seq, stored.events.every((event, at) => JSON.stringify(event) === JSON.stringify(session.events[at]))];
    });
    assert.deepEqual(after, [31, true]);
  });

  test('without room, and nobody waits for the write: it is said once, and made up for when there is room', async () => {
    const page = await lab.tab();
    const cdp = await page.context().newCDPSession(page);
    const room = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: lab.origin, quotaSize });
    await room(2_000_000);
    await page.evaluate(async () => {
      globalThis.mine = chat.sessions({ window: 0 });
      globalThis.session = mine.create('chat');
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
      await mine.flush(session);
      session.append('plugin/large', 'x'.repeat(6_000_000));
    });
    await page.waitForFunction(() => chat.warnings.length > 0);
    await room(undefined);
    await page.waitForFunction(async () => (await chat.stored('chat')).seq === 3, undefined, { polling: 200 });
    const warnings = await page.evaluate(() => chat.warnings);
    assert.match(warnings[0], /session "chat" is not stored yet: /);
  });

  test('damaged behind the last complete turn: the rest opens, the torn part is kept aside and reported', async () => {
    const page = await filled(10);
    await page.evaluate(() => chat.flip(-1));
    const torn = (await rows(page)).slice(-1);
    const { texts } = await open(page);
    assertTexts(texts, (await written(page)).slice(0, 84));
    assert.deepEqual(await page.evaluate(() => chat.aside()), [['chat', torn]]);
    assert.equal((await rows(page)).length, 4);
    await goesOn(page);
    await page.evaluate(() => lab.store().discardDamaged('chat'));
    assert.deepEqual(await page.evaluate(() => chat.aside()), []);
  });

  test('damaged in the middle: corrupt, and untouched; what is before opens when the rest is given up', async () => {
    const page = await filled();
    await page.evaluate(() => chat.flip(2));
    const [before, values] = [await dump(page), await rows(page)];
    const { details } = await refused(page, 'SessionError', 'corrupt');
    assert.deepEqual(details, { readable: 38 });
    assert.deepEqual(await page.evaluate(async () => (await mine.stored()).map(({ id }) => id)), ['chat']);
    assert.deepEqual([await dump(page), await page.evaluate(() => chat.aside())], [before, []]);
    const { texts } = await open(page, { salvage: true });
    assertTexts(texts.slice(0, 38), (await written(page)).slice(0, 38));
    assert.deepEqual(await page.evaluate(() => [session.seq, ...chat.endings(session)]), [40, 'completed', 'interrupted']);
    assert.deepEqual(await page.evaluate(() => chat.aside()), [['chat', values.slice(2)]], 'all of the rest');
    assertTexts((await page.evaluate(async () => chat.texts(await chat.stored('chat')))), texts, 'what opens again');
    await goesOn(page);
  });

  test('with a segment missing in the middle, or the first one damaged: likewise', async () => {
    const missing = await filled();
    await missing.evaluate(() => chat.tamper(async ({ events }, resultOf) => events.delete((await resultOf(events.getAllKeys()))[1])));
    assert.deepEqual((await refused(missing, 'SessionError', 'corrupt')).details, { readable: 28 });
    assert.equal((await open(missing, { salvage: true })).texts.length, 28);
    await goesOn(missing);
    const first = await filled();
    await first.evaluate(() => chat.flip(0));
    const values = await rows(first);
    assert.deepEqual((await refused(first, 'SessionError', 'corrupt')).details, { readable: 0 });
    assert.deepEqual((await open(first, { salvage: true })).texts, []);
    assert.deepEqual(await first.evaluate(() => chat.aside()), [['chat', values]]);
    await goesOn(first);
  });

  test('with something else than bytes in the place of a segment: likewise', async () => {
    const page = await filled();
    await page.evaluate(() => chat.tamper(async ({ events }, resultOf) => events.put({ length: 1e9 }, (await resultOf(events.getAllKeys()))[3])));
    assertTexts((await open(page)).texts, (await written(page)).slice(0, 56));
    assert.deepEqual((await page.evaluate(() => chat.aside())), [['chat', ['{"length":1000000000}']]]);
    await goesOn(page);
  });

  for (const [what, damage, kept] of [
    ['damaged', ({ logs }) => logs.put(new Uint8Array([49, 50]), '"chat"'), ['12']],
    ['that is no bytes', ({ logs }) => logs.put({ length: 1e9 }, '"chat"'), ['{"length":1000000000}']],
    ['missing', ({ logs }) => logs.delete('"chat"'), []],
  ]) {
    test(`with a header ${what}: corrupt, and untouched; a new one is made when that is asked for`, async () => {
      const page = await filled();
      await page.evaluate(`chat.tamper(${damage})`);
      const before = await dump(page);
      await refused(page, 'SessionError', 'corrupt');
      assert.equal(await dump(page), before);
      const list = await page.evaluate(() => mine.stored());
      assert.deepEqual(list, [{ version: 0, id: 'chat', createdAt: 0 }], 'it is listed still');
      assertTexts((await open(page, { salvage: true })).texts, await written(page));
      assert.deepEqual(await page.evaluate(() => chat.aside()), [['chat', kept]]);
      assert.ok(await page.evaluate(() => Math.abs(session.header.createdAt - Date.now()) < 60_000));
      await goesOn(page);
    });
  }

  test('that another page has mended and continued meanwhile are not cut a second time', async () => {
    const page = await filled(10);
    await page.evaluate(() => chat.flip(-1));
    const other = await lab.tab(page.context());
    // The first writing transaction of this page, which sets the torn part aside, begins when the other one is through.
    await other.evaluate(() => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (name, ...given) {
        const request = open.call(this, name, ...given);
        if (!name.endsWith(':log')) return request;
        const held = { set: (listener) => request.addEventListener('success', () => {
          globalThis.isHeld = true;
          globalThis.release = () => listener.call(request);
        }) };
        return Object.defineProperty(request, 'onsuccess', held);
      };
      globalThis.mine = chat.sessions();
      globalThis.opening = mine.open('chat');
    });
    await other.waitForFunction(() => globalThis.isHeld);
    await open(page);
    // Of as many events as the torn part had.
    await page.evaluate(async () => {
      chat.write(session, 4, 10);
      await mine.flush(session);
    });
    const found = await other.evaluate(async () => {
      release();
      return chat.texts(await opening);
    });
    assertTexts(found.slice(0, 94), await page.evaluate(() => chat.texts(session)));
    assert.equal((await page.evaluate(() => chat.aside())).length, 1);
    assertTexts(await page.evaluate(async () => chat.texts(await chat.stored('chat'))), found);
  });

  test('whose connection the browser closes in the middle of flushes: every flush settles, nothing is lost or there twice', async () => {
    const page = await lab.tab();
    const found = await page.evaluate(async () => {
      const connections = new Set();
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (...given) {
        connections.add(this);
        return transaction.apply(this, given);
      };
      // As Chromium does it: the page is told, and what is under way goes unanswered or is aborted.
      const closing = setInterval(() => {
        for (const connection of connections) {
          connection.close();
          connection.dispatchEvent(new Event('close'));
        }
        connections.clear();
      }, 7);
      const store = chat.sessions({ window: 0 });
      const session = store.create('chat');
      const outcomes = [];
      for (let turn = 1; turn <= 40; turn += 1) {
        for (const [number, event] of (await import('./session-turns.mjs')).turnEvents(turn, session.seq).entries()) {
          session.append(...event);
          if (number % 9 === 0) await new Promise((resolve) => setTimeout(resolve));
        }
        outcomes.push((await lab.outcome(store.flush(session))).code);
      }
      clearInterval(closing);
      await store.flush(session);
      return { outcomes, own: chat.texts(session), stored: chat.texts(await chat.stored('chat')), aside: await chat.aside() };
    });
    assert.deepEqual(found.outcomes.filter((code) => ![undefined, 'closed', 'failed'].includes(code)), []);
    assertTexts(found.stored, found.own);
    assert.deepEqual(found.aside, []);
  });

  const age = (page) => page.evaluate(() => {
    for (const key of Object.keys(localStorage).filter((name) => name.endsWith(':canary'))) {
      const note = JSON.parse(localStorage[key]);
      localStorage[key] = JSON.stringify({ ...note, noted: note.noted - 60_000 });
    }
  });
  const evict = async (page) => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Storage.clearDataForOrigin', { origin: lab.origin, storageTypes: 'indexeddb' });
  };
  const listing = (page) => page.evaluate(async () => {
    const { value, code, details } = await lab.outcome(chat.sessions().stored());
    return value?.map(({ id }) => id) ?? { code, logs: details?.logs };
  });

  test('evicted between two visits: stored() rejects with evicted until that is accepted', async () => {
    const page = await filled();
    await page.waitForFunction(() => JSON.parse(localStorage['turnlog:turnlog:canary'] ?? '{}').logs === 1);
    await page.goto('about:blank');
    const other = await page.context().newPage();
    await evict(other);
    const again = await lab.tab(page.context());
    assert.deepEqual(await listing(again), { code: 'evicted', logs: 1 });
    await refused(again, 'StoreError', 'evicted');
    await again.evaluate(async () => {
      globalThis.session = mine.create('chat');
      chat.write(session, 1);
      await mine.flush(session);
    });
    await again.reload();
    await isArmed(again);
    assert.deepEqual(await listing(again), { code: 'evicted', logs: 1 }, 'new ones do not hide it');
    await again.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(again), ['chat']);
  });

  test('evicted while a page is open: it has all in memory, is told at the next flush, and goes on as a fork', async () => {
    const page = await filled();
    await open(page);
    await evict(page);
    const found = await page.evaluate(async () => {
      chat.write(session, 4);
      const { code, details } = await lab.outcome(mine.flush(session));
      const fork = mine.fork(session, undefined, 'fork');
      await mine.flush(fork);
      return { code, details, seq: session.seq, stored: (await chat.stored('fork')).seq };
    });
    assert.deepEqual(found, { code: 'conflict', details: { stored: 0, own: 84 }, seq: 112, stored: 112 });
    assert.equal((await listing(page)).code, 'evicted');
    await page.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(page), ['fork']);
  });

  test('removed on purpose are not missed, however soon the page ends after it', async () => {
    const page = await filled();
    await page.evaluate(() => chat.sessions().remove('chat'));
    await age(page);
    await page.reload();
    await isArmed(page);
    assert.deepEqual(await listing(page), []);
    assert.deepEqual(await page.evaluate(() => lab.outcome(lab.store().sessions())), { value: [] });
    assert.deepEqual(JSON.parse(await dump(page)), { events: [], logs: [] });
  });

  test('removed while they are being counted are not missed', async () => {
    const page = await lab.tab();
    await page.evaluate(() => {
      // What is counted is heard of when the test says so, one count after the other.
      globalThis.counts = [];
      const { count } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.count = function (...given) {
        const request = count.apply(this, given);
        if (this.name !== 'logs') return request;
        const set = (listener) => request.addEventListener('success', () => counts.push(() => listener.call(request)));
        return Object.defineProperty(request, 'onsuccess', { set });
      };
    });
    await page.evaluate(async () => {
      const store = chat.sessions();
      chat.write(store.create('chat'), 1);
      await store.flush(store.get('chat'));
    });
    await page.waitForFunction(() => counts.length === 1);
    await page.evaluate(() => chat.sessions().remove('chat'));
    await page.waitForFunction(() => counts.length === 2);
    await page.evaluate(async () => {
      for (const tell of counts) {
        tell();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    await age(page);
    await page.reload();
    await isArmed(page);
    assert.deepEqual(await listing(page), []);
  });

  test('that vanish from a database that is there are missed', async () => {
    const page = await filled();
    await page.evaluate(async () => {
      const store = chat.sessions();
      chat.write(store.create('other'), 1);
      await store.close(store.get('other'));
    });
    await page.waitForFunction(() => JSON.parse(localStorage['turnlog:turnlog:canary'] ?? '{}').logs === 2, undefined, { timeout: 15_000 });
    await page.evaluate(() => lab.store().close());
    await age(page);
    await page.evaluate(() => chat.tamper(({ events, logs }) => {
      events.delete(IDBKeyRange.bound(['"other"'], ['"other"', []]));
      logs.delete('"other"');
    }));
    await page.reload();
    await isArmed(page);
    assert.deepEqual(await listing(page), { code: 'evicted', logs: 1 });
    await page.evaluate(() => lab.store().acceptLoss());
    assert.deepEqual(await listing(page), ['chat']);
  });

  /** Puts events, sealed as a sound segment, in the place of the last one of the session. */
  const forge = (page, events, header) => page.evaluate(async ([list, headed]) => {
    const core = await import('./pkg/turnlog.js');
    const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
    const [keys, [value]] = core.packEvents('"chat"', 56, bytes(list));
    await chat.tamper(({ events: place, logs }) => {
      place.delete(IDBKeyRange.bound(['"chat"', 56], ['"chat"', []]));
      place.put(value, ['"chat"', ...keys]);
      if (headed !== undefined) logs.put(core.sealHeader('"chat"', bytes(headed), 'm'), '"chat"');
    });
  }, [events, header]);

  /** Refused with that code, salvage or not, and untouched. */
  const staysRefused = async (page, name, code) => {
    const before = await dump(page);
    const outcomes = [];
    for (const salvage of [false, true]) outcomes.push(await refused(page, name, code, { salvage }));
    assert.equal(await dump(page), before);
    assert.deepEqual(await page.evaluate(() => chat.aside()), []);
    return outcomes[0];
  };

  test('that a newer version of the package has written to: version_too_new, and untouched', async () => {
    const page = await filled();
    await page.evaluate(() => chat.tamper(async ({ events }, resultOf) => {
      const [keys, values] = [await resultOf(events.getAllKeys()), await resultOf(events.getAll())];
      values[3][0] += 1;
      events.put(values[3], keys[3]);
    }));
    await staysRefused(page, 'StoreError', 'version_too_new');
  });

  test('of another version than 0: unsupported_version, and untouched', async () => {
    const page = await filled();
    await forge(page, [{ type: 'x', seq: 56, time: 0, data: 0 }], { version: 1, id: 'chat', createdAt: 5 });
    await staysRefused(page, 'SessionError', 'unsupported_version');
  });

  for (const [code, event] of [
    ['delta', { type: 'request/header-delta', seq: 56, time: 0, data: {} }],
    ['fallback', { type: 'request/header', seq: 56, time: 0, data: { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' } }],
  ]) {
    test(`with a legacy event: ${code}, and untouched`, async () => {
      const page = await filled();
      await forge(page, [event]);
      const { details } = await staysRefused(page, 'SessionError', code);
      assert.deepEqual(details, { seq: 56 });
    });
  }
});
