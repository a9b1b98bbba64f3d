// The demo's view of a conversation's event-sourced log: what it lists, filters, forks and replaces, and that it stays.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contrasts } from './contrast.mjs';
import { useDemo } from './demo-harness.mjs';
import { LogView } from './demo-log-view.mjs';

/** One answered message as events. */
const TURN = ['turn/start', 'history/entry', 'user/message', 'step/start', 'assistant/message', 'step/end', 'turn/end'];

describe('the event log of the demo', { timeout: 180_000 }, () => {
  const site = useDemo();

  async function said(...texts) {
    const demo = await site.fresh();
    for (const text of texts) await demo.say(text);
    return [demo, new LogView(demo)];
  }

  test('lists the events of the conversation with their places, and the messages derived from them', async () => {
    const [demo, view] = await said('Hello, my name is Ada.', 'What is my name?');
    await demo.inject('A note.');
    await view.open();
    await view.has(20);
    const list = await view.list();
    assert.deepEqual(list.map(([, type]) => type), [...TURN, ...TURN, 'turn/start', 'history/entry', 'step/start', 'assistant/message', 'step/end', 'turn/end']);
    assert.deepEqual(list.map(([seq]) => seq), [...Array(20).keys()]);
    assert.deepEqual(list.filter(([, , place]) => place === 'current').map(([seq]) => seq), [2, 4, 9, 11, 17]);
    await view.close();
    const request = await demo.shownRequest();
    await view.open();
    await view.has(20);
    assert.deepEqual(await view.messages(), request.map(({ role, content }) => [role, content]));
  });

  test('is cut down by type and by place', async () => {
    const [, view] = await said('Hello, my name is Ada.', 'What is my name?');
    await view.open();
    await view.has(14);
    await view.replace(2, 4, 'They met.');
    await view.has(20);
    const types = view.dialog.getByLabel('Types');
    const places = view.dialog.getByLabel('Place', { exact: true });
    await types.selectOption('Messages');
    assert.deepEqual((await view.list()).map(([seq]) => seq), [2, 4, 9, 11, 17]);
    await places.selectOption('Shadowed');
    assert.deepEqual((await view.list()).map(([seq]) => seq), [2, 4]);
    assert.equal(await view.dialog.locator('#event-count').textContent(), '2 of 20 events');
    await types.selectOption('Everything else');
    assert.deepEqual(await view.list(), []);
    await places.selectOption('Log only');
    assert.deepEqual((await view.list()).map(([, type]) => type), ['history/entry', 'history/entry', 'compact/start', 'compact/summary', 'compact/end']);
    await types.selectOption('Turns and steps');
    await places.selectOption('Everywhere');
    assert.equal((await view.list()).length, 10);
  });

  test('shows one event in full, and what it has to do with others', async () => {
    const [demo, view] = await said('Hello, my name is Ada.');
    await view.open();
    await view.has(7);
    await view.select(1);
    assert.deepEqual((await view.json()).data.entry, (await demo.stored())[0]);
    assert.deepEqual(await view.facts(), {
      Place: 'Log only', Time: (await view.facts()).Time, 'Replaced by': 'none', Replaces: 'none', Sources: 'not recorded', 'Cited by': 'none',
    });
    await view.replace(2, 4, 'They met.');
    await view.has(13);
    assert.equal((await view.json()).seq, 10, 'the summary is looked at');
    assert.deepEqual((await view.json()).sourceEventSeqs, [8, 9, 2, 4]);
    const facts = await view.facts();
    assert.deepEqual([facts.Place, facts.Replaces, facts.Sources], ['Current', '#2#4', '#8#9#2#4']);
    await view.detail.getByRole('button', { name: 'Event 4' }).first().click();
    await view.detail.getByRole('heading', { name: 'Event 4: assistant/message' }).waitFor();
    const before = await view.facts();
    assert.deepEqual([before.Place, before['Replaced by'], before['Cited by']], ['Shadowed', '#10', '#10']);
  });

  test('replaces a range in a turn of its own, and the conversation goes on behind it', async () => {
    const [demo, view] = await said('Hello, my name is Ada.', 'What is my name?');
    await view.open();
    await view.has(14);
    await view.dialog.getByRole('button', { name: 'Replace range…' }).click();
    await view.dialog.getByRole('button', { name: 'Replace', exact: true }).click();
    await view.dialog.getByText('Write what is to stand in their place.').waitFor();
    await view.dialog.getByRole('button', { name: 'Cancel' }).click();
    await view.replace(4, 9, 'A greeting and a question.');
    await view.has(20);
    assert.deepEqual((await view.list()).slice(14).map(([, type]) => type), ['turn/start', 'compact/start', 'compact/summary', 'user/message', 'compact/end', 'turn/end']);
    const summary = await view.json();
    assert.deepEqual([summary.data.source, summary.surfaceOp], [{ kind: 'plugin', plugin: 'compact' }, { op: 'replace', start: 4, end: 9 }]);
    const texts = ['Hello, my name is Ada.', 'A greeting and a question.', 'Your name is Ada: you told me earlier.'];
    assert.deepEqual((await view.messages()).map(([, text]) => text), texts);
    await view.close();
    assert.equal((await demo.stored()).length, 2, 'a summary is nothing that was said');
    await demo.say('And now?');
    await view.open();
    await view.has(27);
    assert.deepEqual((await view.messages()).slice(0, 4).map(([, text]) => text), [...texts, 'And now?']);
  });

  test('offers no range that parts a tool call from its result', async () => {
    const [demo, view] = await said('Hello');
    await view.open();
    await view.has(7);
    await view.close();
    await demo.page.evaluate(async () => {
      const { createSessionStore } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      const sessions = createSessionStore({ storage: store, invariants: true });
      const session = await sessions.open(sessionId);
      const place = { turn: 2, step: 1 };
      const append = { surfaceOp: 'append' };
      const provenance = { provider: 'p', model: 'm' };
      session.append('turn/start', { turn: 2, trigger: { kind: 'message', source: { kind: 'user' } } });
      session.append('user/message', { content: [{ type: 'text', text: 'Look it up.' }], source: { kind: 'user' } }, append);
      session.append('step/start', place);
      const call = { id: 'c1', name: 'look', arguments: '{"at":1}' };
      session.append('assistant/message', { ...place, content: [{ type: 'tool-call', ...call }], provenance }, append);
      session.append('tool/call', { ...place, callId: call.id, name: call.name, arguments: call.arguments });
      session.append('tool/result', { ...place, callId: 'c1', content: [{ type: 'text', text: 'found' }], isError: false }, append);
      session.append('step/end', place);
      session.append('turn/end', { turn: 2, reason: { kind: 'completed' } });
      await sessions.close(session);
    });
    await view.open();
    await view.has(15);
    assert.deepEqual((await view.messages()).slice(-2), [['assistant', '[tool call: look({"at":1})]'], ['user', '[tool result: found]']]);
    await view.dialog.getByRole('button', { name: 'Replace range…' }).click();
    const offered = (list) => view.dialog.getByLabel(list, { exact: true }).locator('option').evaluateAll((options) => options.map(({ value }) => Number(value)));
    assert.deepEqual(await offered('From'), [2, 4, 8, 10]);
    await view.dialog.getByLabel('From', { exact: true }).selectOption('8');
    assert.deepEqual(await offered('To'), [8, 12]);
    await view.dialog.getByLabel('Types').selectOption('Tools');
    assert.deepEqual((await view.list()).map(([, type]) => type), ['tool/call', 'tool/result']);
  });

  test('forks where a turn ended; the fork is listed under what it was forked from, and goes its own way', async () => {
    const [, view] = await said('First.', 'Second.');
    await view.open();
    await view.has(14);
    await view.select(7);
    const button = view.detail.getByRole('button', { name: 'Fork from here' });
    assert.equal(await button.isVisible(), false, 'not within a turn');
    await view.select(6);
    await button.click();
    await view.has(7);
    assert.equal((await view.messages()).length, 2);
    await view.replace(2, 4, 'Only in the fork.');
    await view.has(13);
    await button.waitFor({ state: 'hidden' });
    await view.select(12);
    await button.click();
    await view.dialog.locator('#event-status').filter({ hasText: 'Forked at event 12.' }).waitFor();
    const names = await view.chooser.locator('option').allTextContents();
    assert.equal(names.length, 3);
    assert.equal(names[0], 'This conversation');
    assert.match(names[1], /^↳ Fork at event 6, \d\d:\d\d$/u);
    assert.match(names[2], /^\u2003↳ Fork at event 12, \d\d:\d\d$/u);
    assert.deepEqual(await view.messages(), [['user', 'Only in the fork.']]);
    await view.chooser.selectOption('This conversation');
    await view.has(14);
    assert.equal((await view.messages()).length, 4);
  });

  test('keeps log, forks and summaries over a reload, and removes them with the conversation', async () => {
    const [demo, view] = await said('First.', 'Second.');
    await view.open();
    await view.has(14);
    await view.replace(2, 4, 'In short.');
    await view.has(20);
    await view.select(13);
    await view.detail.getByRole('button', { name: 'Fork from here' }).click();
    await view.has(14);
    await demo.reload();
    await demo.userTexts.first().waitFor();
    await view.open();
    await view.has(20);
    assert.equal((await view.messages())[0][1], 'In short.');
    await view.chooser.selectOption({ index: 1 });
    await view.has(14);
    assert.equal((await view.messages())[0][1], 'First.');
    await view.close();
    assert.equal((await view.stored()).length, 2);
    await demo.page.getByRole('button', { name: 'Delete “First.”' }).click();
    await demo.page.getByRole('dialog', { name: 'Delete this conversation?' }).getByRole('button', { name: 'Delete' }).click();
    await demo.until(async () => (await demo.sessions.count()) === 0, 'the conversation is gone');
    await demo.until(async () => (await view.stored()).length === 0, 'its logs are gone');
    await view.open();
    await view.dialog.getByText('Nothing was said in this conversation yet.').waitFor();
    assert.equal(await view.dialog.getByRole('button', { name: 'Replace range…' }).isDisabled(), true);
  });

  test('keeps in the log what the history drops, and out of the messages', async () => {
    const demo = await site.fresh();
    await demo.configure({ maxEntries: '1', retention: 'truncate' });
    for (const text of ['One.', 'Two.', 'Three.']) await demo.say(text);
    const view = await new LogView(demo).open();
    await demo.until(async () => (await view.messages()).length === 2, 'the messages are those of the history');
    assert.equal((await view.messages())[0][1], 'Three.');
    const list = await view.list();
    assert.equal(list.filter(([, type]) => type === 'history/entry').length, 3);
    assert.ok(list.filter(([, , place]) => place === 'shadowed').length >= 4);
  });

  test('two tabs that look at one log both show what either says, and neither is in the way of the other', async () => {
    const context = await site.newContext();
    const one = await site.open(context);
    await one.say('First.');
    const two = await site.open(context, one.page.url());
    await two.userTexts.first().waitFor();
    const views = [await new LogView(one).open(), await new LogView(two).open()];
    for (const view of views) await view.has(7);
    await views[0].close();
    await one.say('Second.');
    await views[1].has(14);
    await views[1].replace(2, 4, 'From the second tab.');
    await views[1].has(20);
    await one.say('Third.');
    await views[1].has(27);
    await views[0].open();
    await views[0].has(27);
    assert.deepEqual(await views[0].messages(), await views[1].messages());
    for (const view of views) assert.equal(await view.problem.textContent(), '');
  });

  test('shows hostile text as text, wherever it stands', async () => {
    const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>&amp;\u202e$& javascript:hacked()';
    const demo = await site.fresh();
    await demo.goto(`${site.url}#${encodeURIComponent(`id ${hostile}`)}`);
    await demo.reload();
    await demo.say(hostile);
    await demo.page.evaluate(async (text) => {
      const { createSessionStore } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      const sessions = createSessionStore({ storage: store });
      const session = await sessions.open(sessionId);
      session.append(`x/${text}`, { [text]: text });
      session.append('user/message', { content: [{ type: text, [text]: 1 }, 5, null], source: text }, { surfaceOp: 'append' });
      session.append('user/message', null, { surfaceOp: 'append' });
      session.append('turn/end', text);
      await sessions.close(session);
    }, hostile);
    const view = await new LogView(demo).open();
    await view.has(11);
    assert.ok((await view.list()).some(([, type]) => type === `x/${hostile}`));
    assert.equal((await view.messages())[0][1], hostile);
    for (const seq of [1, 2, 7, 8, 9, 10]) {
      await view.select(seq);
      assert.equal((await view.json()).seq, seq);
    }
    assert.equal(await demo.page.locator('img, #columns script, dialog script').count(), 0);
    assert.equal(await demo.page.evaluate(() => window.hacked), undefined);
  });

  test('shows a long log from its end, and earlier events when they are asked for', async () => {
    const [demo, view] = await said('Hello');
    await view.open();
    await view.has(7);
    await view.close();
    await demo.page.evaluate(async () => {
      const { createSessionStore } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      const sessions = createSessionStore({ storage: store });
      const session = await sessions.open(sessionId);
      for (let n = 0; n < 300; n += 1) session.append('assistant/chunk', { turn: 2, step: 1, chunk: { type: 'text-delta', index: 0, text: `${n}` } });
      await sessions.close(session);
    });
    await view.open();
    await view.has(307);
    assert.equal((await view.list()).length, 200);
    await view.dialog.getByRole('button', { name: 'Show earlier (107 more)' }).click();
    assert.equal((await view.list()).length, 307);
    await view.dialog.getByLabel('Types').selectOption('Streamed chunks');
    assert.equal((await view.list()).length, 200);
    await view.dialog.locator('#derived').getByRole('button', { name: 'Event 2', exact: true }).click();
    await view.detail.getByRole('heading', { name: 'Event 2: user/message' }).waitFor();
    assert.ok((await view.list()).length >= 305, 'what is gone to is shown, whatever the filters');
  });

  test('can be used with the keyboard alone, and gives the focus back', async () => {
    const [demo, view] = await said('Hello', 'And again');
    const { keyboard } = demo.page;
    const focused = () => demo.page.evaluate(() => document.activeElement.id || document.activeElement.value || document.activeElement.textContent.trim());
    const tabTo = async (id) => {
      for (let step = 0; step < 30; step += 1) {
        if ((await focused()) === id) return;
        await keyboard.press('Tab');
      }
      assert.fail(`Tab does not lead to ${id}, but to ${await focused()}`);
    };
    await demo.page.locator('#open-event-log').focus();
    await keyboard.press('Enter');
    await view.has(14);
    assert.equal(await focused(), 'event-log-of');
    await tabTo('13');
    await keyboard.press('ArrowUp');
    await view.detail.getByRole('heading', { name: 'Event 12: step/end' }).waitFor();
    await keyboard.press('ArrowDown');
    await tabTo('fork');
    await keyboard.press('Enter');
    await view.dialog.locator('#event-status').filter({ hasText: 'Forked at event 13.' }).waitFor();
    assert.equal(await focused(), 'event-log-of', 'what is shown now can be changed');
    await tabTo('open-replace');
    await keyboard.press('Enter');
    assert.equal(await focused(), 'replace-start');
    await tabTo('replace-summary');
    await keyboard.type('By hand.');
    await tabTo('Replace');
    await keyboard.press('Enter');
    await view.has(20);
    assert.equal(await focused(), 'open-replace');
    await keyboard.press('Escape');
    await view.dialog.waitFor({ state: 'hidden' });
    assert.equal(await focused(), 'open-event-log');
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`fits a narrow screen, and can be read (${colorScheme})`, async () => {
      const [demo, view] = await said('Hello, my name is Ada and I write a rather long first sentence without a reason.');
      await demo.page.emulateMedia({ colorScheme });
      await demo.page.setViewportSize({ width: 360, height: 640 });
      await view.open();
      await view.has(7);
      await view.dialog.getByRole('button', { name: 'Replace range…' }).click();
      const wide = await view.dialog.evaluate((dialog) => [dialog.scrollWidth - dialog.clientWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth]);
      assert.deepEqual(wide, [0, 0], 'nothing is wider than the screen');
      const box = await view.dialog.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.y + box.height <= 640);
      await view.dialog.locator('#derived').scrollIntoViewIfNeeded();
      const low = await view.dialog.evaluate(contrasts);
      assert.deepEqual(low, [], 'every text stands out from what is behind it');
      await view.close();
    });
  }
});
