// Pages with lasting sessions that are left, frozen and come back: what they had not written is added by the next one,
// once, and nobody who only looks is in the way of who writes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertTexts, isArmed, useSessions } from './session-harness.mjs';

/** Longer than any test: what is appended is only written when that is asked for, or when a turn ends. */
const LONG = 60_000;

describe('a page with a lasting session', () => {
  const lab = useSessions();

  /** A page whose session has one turn that is stored, and `count` events of a second one that are not. */
  async function inTurn(context, count = 10) {
    const page = await lab.tab(context);
    await page.evaluate(async ({ window, events }) => {
      globalThis.mine = chat.sessions({ window });
      globalThis.session = mine.create('chat');
      chat.write(session, 1);
      await mine.flush(session);
      chat.write(session, 2, events);
    }, { window: LONG, events: count });
    return page;
  }

  const texts = (page) => page.evaluate(() => chat.texts(session));
  const notes = (page) => page.evaluate(() => chat.notes());

  const reloaded = async (page) => {
    await page.reload();
    await isArmed(page);
    return page;
  };

  /** The page's session, opened by a new store; its texts. */
  const opened = (page) => page.evaluate(async () => {
    globalThis.mine = chat.sessions();
    globalThis.session = await mine.open('chat');
    return chat.texts(session);
  });

  /** What is stored, for a store that knows nothing. */
  const stored = (page) => page.evaluate(async () => chat.texts(await chat.stored('chat')));

  const dispatch = (page, type) => page.evaluate((of) => {
    if (of.startsWith('page')) dispatchEvent(new PageTransitionEvent(of, { persisted: true }));
    else document.dispatchEvent(new Event(of));
  }, type);

  test('that is left in the middle of a turn: the next one has all its events, and the turn closed', async () => {
    const page = await inTurn();
    const before = await texts(page);
    await reloaded(page);
    assert.equal((await notes(page)).length, 1);
    const found = await opened(page);
    assertTexts(found.slice(0, 38), before);
    assert.deepEqual(await page.evaluate(() => chat.endings(session)), ['completed', 'interrupted']);
    assert.deepEqual(await notes(page), [], 'what was noted is gone');
    assertTexts(await stored(page), found, 'what is stored');
    await page.evaluate(async () => {
      chat.write(session, 3);
      await mine.flush(session);
    });
    assertTexts((await stored(page)).slice(0, 40), found);
    assert.equal((await stored(page)).length, 68);
    assert.deepEqual(await page.evaluate(() => [lab.checkInvariants(session.events), ...chat.warnings]), [undefined]);
  });

  test('that is left in the middle of the write at the end of a turn: it is whole, and there once', async () => {
    const page = await inTurn(undefined, 0);
    const before = await page.evaluate(async () => {
      chat.stick();
      chat.write(session, 2);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return chat.texts(session);
    });
    await reloaded(page);
    assert.equal((await notes(page)).length, 1);
    assertTexts(await opened(page), before);
    assertTexts(await stored(page), before);
    assert.deepEqual(await notes(page), []);
  });

  test('that is left 15 times soon after the end of a turn, without waiting: no turn is missing', async () => {
    const page = await inTurn(undefined, 0);
    let before = await texts(page);
    for (let turn = 2; turn <= 16; turn += 1) {
      assertTexts(await opened(page), before);
      before = await page.evaluate(async (number) => {
        chat.write(session, number);
        if (number % 3 > 0) await new Promise((resolve) => setTimeout(resolve, number % 7));
        return chat.texts(session);
      }, turn);
      await reloaded(page);
    }
    assertTexts(await opened(page), before);
    assert.deepEqual(await page.evaluate(() => chat.endings(session)), Array(16).fill('completed'));
    assertTexts(await stored(page), before);
    assert.deepEqual(await notes(page), []);
  });

  for (const [away, back] of [['pagehide', 'pageshow'], ['freeze', 'resume']]) {
    test(`that is away (${away}) in the middle of a turn and comes back goes on as if nothing had been`, async () => {
      const page = await inTurn();
      await page.evaluate(() => {
        chat.stick();
        globalThis.flushed = mine.flush(session);
        return new Promise((resolve) => setTimeout(resolve, 50));
      });
      await dispatch(page, away);
      assert.equal((await notes(page)).length, 1);
      await page.evaluate(() => (globalThis.stuck = false));
      await dispatch(page, back);
      await page.evaluate(async () => {
        await flushed;
        for (const event of (await import('./session-turns.mjs')).turnEvents(2, 28).slice(10)) session.append(...event);
        await mine.flush(session);
      });
      assertTexts(await stored(page), await texts(page));
      assert.deepEqual(await page.evaluate(() => chat.endings(session)), ['completed', 'completed']);
      assert.deepEqual(await notes(page), []);
    });
  }

  test('that is frozen while another one takes over what it noted: it goes on, and is told when the other one did', async () => {
    const context = await lab.newContext();
    const page = await inTurn(context);
    await dispatch(page, 'freeze');
    const other = await lab.tab(context);
    const taken = await opened(other);
    assertTexts(taken.slice(0, 38), await texts(page));
    assert.deepEqual(await notes(page), []);
    await dispatch(page, 'resume');
    // Nobody has written behind it yet.
    await page.evaluate(async () => {
      session.append('step/start', { turn: 2, step: 2 });
      await mine.flush(session);
    });
    assertTexts((await stored(other)).slice(0, 39), await texts(page));
    // The other one closed the turn in its own memory, where it stands otherwise than what is stored now.
    const outcome = await other.evaluate(() => {
      chat.write(session, 3);
      return lab.outcome(mine.flush(session));
    });
    assert.deepEqual([outcome.name, outcome.code, outcome.details], ['SessionError', 'conflict', { stored: 39, own: 38 }]);
    assert.deepEqual(await page.evaluate(() => chat.aside()), []);
  });

  test('that comes back after another one continued the session has a conflict, and what it noted is kept aside', async () => {
    const context = await lab.newContext();
    const page = await inTurn(context);
    const other = await lab.tab(context);
    // It has looked for notes before there is one.
    await opened(other);
    await dispatch(page, 'pagehide');
    const continued = await other.evaluate(async () => {
      chat.write(session, 2);
      await mine.flush(session);
      return chat.texts(session);
    });
    await dispatch(page, 'pageshow');
    const outcome = await page.evaluate(() => lab.outcome(mine.flush(session)));
    assert.deepEqual([outcome.code, outcome.details], ['conflict', { stored: 56, own: 28 }]);
    const own = await texts(page);
    assert.equal(own.length, 38, 'nothing is lost in memory');
    // As a fork it goes on.
    const fork = await page.evaluate(async () => {
      const copy = mine.fork(session, 27, 'copy');
      await mine.flush(copy);
      return chat.texts(await chat.stored('copy'));
    });
    assertTexts(fork, own.slice(0, 28));
    await reloaded(page);
    assertTexts(await opened(page), continued);
    const [[id, [text]], ...more] = await page.evaluate(() => chat.aside());
    assert.deepEqual([id, more], ['chat', []]);
    assertTexts(JSON.parse(text.split('\n')[1]).map((event) => JSON.stringify(event)), own.slice(28));
    assert.deepEqual(await notes(page), []);
  });

  test('that only looks at a session of another one, and is left, frozen or done, stays out of its turn', async () => {
    const context = await lab.newContext();
    const page = await inTurn(context);
    await page.evaluate(() => mine.flush(session));
    const looker = await lab.tab(context);
    assert.equal((await opened(looker)).length, 40, 'closed, for who looks');
    await dispatch(looker, 'freeze');
    await dispatch(looker, 'resume');
    await looker.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    await reloaded(looker);
    assert.deepEqual(await notes(looker), []);
    assert.equal((await opened(looker)).length, 40);
    await looker.evaluate(() => mine.close(session));
    await page.evaluate(async () => {
      for (const event of (await import('./session-turns.mjs')).turnEvents(2, 28).slice(10)) session.append(...event);
      await mine.flush(session);
    });
    assertTexts(await stored(looker), await texts(page));
  });

  test('whose localStorage is full, or denied, loses nothing that was flushed, and goes on', async () => {
    for (const how of ['full', 'denied']) {
      const page = await inTurn();
      await page.evaluate((what) => {
        if (what === 'full') {
          for (let size = 1_000_000; size >= 1; size = Math.floor(size / 2)) {
            try {
              for (let number = 0; ; number += 1) localStorage.setItem(`${size}/${number}`, 'x'.repeat(size));
            } catch {
              // The next smaller one may fit.
            }
          }
        } else {
          const denied = () => {
            throw new DOMException('denied', 'SecurityError');
          };
          Object.defineProperty(globalThis, 'localStorage', { get: denied, configurable: true });
        }
      }, how);
      await dispatch(page, 'pagehide');
      await dispatch(page, 'pageshow');
      await page.evaluate(() => mine.flush(session));
      const before = await texts(page);
      await page.evaluate(() => session.append('step/start', { turn: 2, step: 2 }));
      await reloaded(page);
      if (how === 'full') assert.deepEqual(await notes(page), []);
      assertTexts((await opened(page)).slice(0, 38), before);
      await page.context().close();
      lab.forget(page.context());
    }
  });

  test('beside another one with the same session: the first to write goes on, the other one reads it anew', async () => {
    const context = await lab.newContext();
    const page = await inTurn(context, 0);
    const other = await lab.tab(context);
    await opened(other);
    const outcomes = [];
    for (const tab of [other, page]) {
      outcomes.push(await tab.evaluate(() => {
        chat.write(session, 2);
        return lab.outcome(mine.flush(session));
      }));
    }
    assert.deepEqual(outcomes.map(({ code }) => code), [undefined, 'conflict']);
    assertTexts(await stored(page), await texts(other));
    const again = await page.evaluate(async () => {
      await mine.close(session, { discard: true });
      return chat.texts(await mine.open('chat'));
    });
    assertTexts(again, await texts(other));
    assert.deepEqual((await page.evaluate(() => chat.warnings)).length, 1, 'the write at the end of the turn was not waited for');
  });

  test('in localStorage, that is left in the middle of a turn: the next one has all its events', async () => {
    const page = await lab.tab();
    const before = await page.evaluate(async (window) => {
      const store = lab.createSessionStore({ storage: lab.createLocalStorageStore({ prefix: 'p' }), window });
      const session = store.create('chat');
      chat.write(session, 1);
      await store.flush(session);
      chat.write(session, 2, 10);
      return chat.texts(session);
    }, LONG);
    await reloaded(page);
    const found = await page.evaluate(async () => {
      const fresh = () => lab.createSessionStore({ storage: lab.createLocalStorageStore({ prefix: 'p' }) });
      const texts = chat.texts(await fresh().open('chat'));
      const again = chat.texts(await fresh().open('chat'));
      return { texts, again, left: Object.keys(localStorage).filter((key) => key.startsWith('p/n/')) };
    });
    assertTexts(found.texts.slice(0, 38), before);
    assertTexts(found.again, found.texts);
    assert.deepEqual(found.left, []);
  });

  test('that finds notes which are none: they are kept aside, and in the way of no other', async () => {
    const page = await inTurn();
    const before = await texts(page);
    await reloaded(page);
    const found = await page.evaluate(async () => {
      const header = JSON.stringify({ id: 'x', header: 'none', isNew: true, end: 0 });
      const bad = ['', 'no JSON', 'null', '5\n[]', '{}\n[]', header, `${header}\n5`, `${header}\n[1,2]`, `${header}\n[{"type":"a","seq":4,"time":0,"data":0}]`];
      bad.forEach((text, number) => localStorage.setItem(`turnlog:turnlog:events:${number}:"x"`, text));
      const texts = chat.texts(await chat.sessions().open('chat'));
      return { texts, bad, aside: (await chat.aside()).map(([, [text]]) => text), left: chat.notes(), ids: (await chat.sessions().stored()).map(({ id }) => id) };
    });
    assertTexts(found.texts.slice(0, 38), before);
    assert.deepEqual(found.aside.toSorted(), found.bad.toSorted());
    assert.deepEqual([found.left, found.ids], [[], ['chat']]);
  });
});
