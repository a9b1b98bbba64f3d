// The demo in a real browser: talking, keeping, recalling; several tabs; what is sent; what is never stored.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createProfile } from './chromium.mjs';
import { useDemo } from './demo-harness.mjs';

describe('the demo', { timeout: 180_000 }, () => {
  const site = useDemo();

  test('answers what is said, offline, and lists the conversation', async () => {
    const demo = await site.fresh();
    await demo.page.context().setOffline(true);
    assert.equal(await demo.sessions.count(), 0);
    assert.equal(await demo.say('Hello, my name is Ada.'), 'Nice to meet you, Ada. What is on your mind?');
    assert.deepEqual(await demo.userTexts.allTextContents(), ['Hello, my name is Ada.']);
    assert.equal(await demo.sessions.count(), 1);
    assert.match(await demo.sessions.first().textContent(), /^Hello, my name is Ada\.just now · 1 entry/u);
    assert.equal(await demo.page.title(), 'Hello, my name is Ada. – turnlog demo');
  });

  test('keeps the conversation over a reload, and a new one beside it', async () => {
    const demo = await site.fresh();
    await demo.say('My name is Grace.');
    await demo.reload();
    await demo.userTexts.first().waitFor();
    assert.deepEqual(await demo.userTexts.allTextContents(), ['My name is Grace.']);
    await demo.page.getByRole('button', { name: 'New', exact: true }).click();
    await demo.page.getByText('Say something.').waitFor();
    assert.match(await demo.say('What is my name?'), /^You have not told me your name/u, 'sessions do not leak into each other');
    assert.equal(await demo.sessions.count(), 2);
    // Without an address that names one, the page opens the conversation that was active last.
    await demo.goto(site.url);
    await demo.userTexts.first().waitFor();
    assert.deepEqual(await demo.userTexts.allTextContents(), ['What is my name?']);
    await demo.sessions.getByRole('link', { name: 'My name is Grace.' }).click();
    assert.equal(await demo.say('What is my name?'), 'Your name is Grace: you told me earlier.');
  });

  test('says so when the browser has removed the conversations, once', async () => {
    const demo = await site.fresh();
    await demo.say('Hello');
    const cdp = await demo.page.context().newCDPSession(demo.page);
    await cdp.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'indexeddb' });
    await demo.goto(site.url);
    const notice = demo.page.locator('#notice');
    await notice.filter({ hasText: 'The browser has removed about 1 conversation stored here.' }).waitFor();
    assert.equal(await demo.sessions.count(), 0);
    await demo.say('Hello again');
    await demo.goto(site.url);
    await demo.userTexts.first().waitFor();
    assert.equal(await notice.textContent(), '');
  });

  test('has the conversation after a restart of the browser, and the partner is sent it', async (t) => {
    const profile = await createProfile();
    t.after(profile.remove);
    let context = await site.openProfile(profile.folder);
    let demo = await site.open(context);
    await demo.say('My name is Ada Lovelace and I live in London.');
    await demo.inject('FYI: this user prefers compact summaries.');
    await demo.page.locator('.injected').waitFor();
    const before = await demo.stored();
    await context.close();

    context = await site.openProfile(profile.folder);
    // The very address of the site, as a person comes back to it.
    demo = await site.open(context);
    await demo.userTexts.first().waitFor();
    assert.deepEqual(await demo.stored(), before);
    assert.equal(before.length, 2);
    assert.equal(await demo.say('What is my name?'), 'Your name is Ada Lovelace: you told me earlier.');
    assert.equal(await demo.say('Where do I live?'), 'You live in London: so you told me.');
    assert.equal(await demo.say('What did you say about summaries?'), 'I said: “FYI: this user prefers compact summaries.”');
  });

  test('two tabs that write at once lose nothing and double nothing', async () => {
    const context = await site.newContext();
    const one = await site.open(context);
    await one.say('Before both.');
    const two = await site.open(context, one.page.url());
    const wanted = (tab) => [...Array(12).keys()].map((number) => `Tab ${tab}, message ${number}.`);
    await Promise.all(
      [[one, 'one'], [two, 'two']].map(async ([demo, tab]) => {
        for (const text of wanted(tab)) {
          await demo.send(text);
          await demo.log.locator('.user').filter({ hasText: text }).waitFor();
          await demo.page.locator('#stop').waitFor({ state: 'hidden' });
        }
      }),
    );
    for (const demo of [one, two]) {
      await demo.until(async () => (await demo.userTexts.count()) === 25, 'all 25 messages are shown');
    }
    const entries = await one.stored();
    const texts = entries.map((entry) => entry.input.reasons[0].text);
    assert.equal(new Set(entries.map((entry) => entry.input.id)).size, 25);
    for (const tab of ['one', 'two']) {
      assert.deepEqual(texts.filter((text) => text.startsWith(`Tab ${tab},`)), wanted(tab), 'each in its tab’s order');
    }
    for (const demo of [one, two]) assert.deepEqual(await demo.userTexts.allTextContents(), texts, 'one order for both');
  });

  test('another tab shows a new message, a new conversation and a deletion by itself', async () => {
    const context = await site.newContext();
    const one = await site.open(context);
    await one.say('First.');
    const two = await site.open(context, one.page.url());
    await two.userTexts.first().waitFor();
    await one.say('Second.');
    await two.until(async () => (await two.userTexts.count()) === 2, 'the other tab shows the second message');
    assert.equal((await two.shownRequest()).length, 4, 'and would send it');
    await one.page.getByRole('button', { name: 'New', exact: true }).click();
    await one.say('Elsewhere.');
    await two.until(async () => (await two.sessions.count()) === 2, 'the other tab lists the new conversation');
    await one.page.getByRole('button', { name: 'Delete “First.”' }).click();
    const dialog = one.page.getByRole('dialog', { name: 'Delete this conversation?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await one.sessions.count(), 2, 'nothing is deleted before it is confirmed');
    await one.page.getByRole('button', { name: 'Delete “First.”' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await two.until(async () => (await two.userTexts.count()) === 0, 'the other tab shows the deletion');
    assert.equal(await two.sessions.count(), 1);
    assert.equal((await two.stored()).length, 0);
  });

  test('the same message id twice is answered once and stored once', async () => {
    const model = await site.startModel();
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    const outcomes = await demo.page.evaluate(async () => {
      const { ChartRequestMessage, AssistantInjectionMessage } = await import('/pkg/index.js');
      const { engine, sessionId } = window.turnlogDemo;
      const request = ChartRequestMessage({ sessionId, reasons: [{ kind: 'user_intent', text: 'Once?' }] });
      const injection = AssistantInjectionMessage({ sessionId, content: 'Said once.' });
      const results = [];
      for (const message of [request, request, injection, injection]) results.push(await engine.handle(message));
      return results.map(({ ok, value }) => ({ ok, replayed: value.replayed, text: value.output?.userMessage, outcome: value.outcome }));
    });
    assert.deepEqual(outcomes, [
      { ok: true, replayed: false, text: 'Answer 1.', outcome: undefined },
      { ok: true, replayed: true, text: 'Answer 1.', outcome: undefined },
      { ok: true, replayed: undefined, text: undefined, outcome: 'inserted' },
      { ok: true, replayed: undefined, text: undefined, outcome: 'deduped' },
    ]);
    assert.equal(model.requests.length, 1);
    await demo.page.locator('.injected').waitFor();
    assert.deepEqual(await demo.userTexts.allTextContents(), ['Once?']);
    assert.deepEqual(await demo.assistantTexts.allTextContents(), ['Answer 1.', 'Said once.']);
  });

  test('an assistant message added by hand is marked, stored, and part of the next request', async () => {
    const model = await site.startModel();
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl, maxChars: '60' });
    await demo.inject('Call me Deep Thought.');
    await demo.page.locator('.injected').waitFor();
    assert.equal(await demo.page.locator('.injected .mark').textContent(), 'Added by hand');
    assert.equal(model.requests.length, 0, 'nothing is asked of the answering side');
    assert.deepEqual((await demo.stored()).map((entry) => [entry.kind, entry.input.content]), [['injection', 'Call me Deep Thought.']]);

    const tooLong = 'x'.repeat(61);
    const dialog = await demo.tryToInject(tooLong);
    await dialog.getByRole('alert').filter({ hasText: /\S/u }).waitFor();
    assert.equal(await dialog.getByLabel('Text').inputValue(), tooLong, 'what was refused is not lost');
    assert.equal((await demo.stored()).length, 1);
    await demo.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    await demo.say('Who are you?');
    assert.deepEqual(model.requests[0].body.messages, [
      { role: 'assistant', content: 'Call me Deep Thought.' },
      { role: 'user', content: 'Who are you?' },
    ]);
  });

  test('shows hostile text as text, wherever it comes from', async () => {
    const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>&amp;\u202e$& javascript:hacked()';
    const model = await site.startModel();
    model.answer = (response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ message: { content: `Reply ${hostile}` } }] }));
    };
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl, model: hostile, systemPrompt: `System ${hostile}` });
    await demo.goto(`${site.url}#${encodeURIComponent(`id ${hostile}`)}`);
    await demo.reload();
    assert.equal(await demo.say(hostile), `Reply ${hostile}`);
    await demo.inject(`Injected ${hostile}`);
    await demo.page.locator('.injected').waitFor();
    await demo.draft.fill(`Draft ${hostile}`);
    assert.deepEqual(await demo.userTexts.allTextContents(), [hostile]);
    assert.deepEqual((await demo.shownRequest()).map((message) => message.content), [
      `System ${hostile}`, hostile, `Reply ${hostile}`, `Injected ${hostile}`, `Draft ${hostile}`,
    ]);
    assert.equal(await demo.page.evaluate(() => window.turnlogDemo.sessionId), `id ${hostile}`);
    await demo.page.getByRole('button', { name: 'Delete “<img' }).click();
    assert.ok((await demo.page.locator('#deletion-about').textContent()).includes('<img'));
    assert.equal(await demo.page.locator('img, #columns script, dialog script').count(), 0);
    assert.equal(await demo.page.evaluate(() => window.hacked), undefined);
  });

  test('can be used with the keyboard alone', async () => {
    const demo = await site.fresh();
    const { keyboard } = demo.page;
    const focused = () => demo.page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    const tabTo = async (id, key = 'Tab') => {
      for (let step = 0; step < 40; step += 1) {
        if ((await focused()) === id) return;
        await keyboard.press(key);
      }
      assert.fail(`${key} does not lead to ${id}`);
    };
    assert.equal(await focused(), 'draft', 'the message field has the focus at first');
    await tabTo('skip', 'Shift+Tab');
    await keyboard.press('Enter');
    assert.equal(await focused(), 'draft', 'the skip link leads to the field');
    await keyboard.type('One line');
    await keyboard.press('Shift+Enter');
    await keyboard.type('and another');
    assert.equal(await demo.userTexts.count(), 0, 'Shift+Enter does not send');
    await keyboard.press('Enter');
    await demo.assistantTexts.first().waitFor();
    assert.deepEqual(await demo.userTexts.allTextContents(), ['One line\nand another']);
    assert.equal(await focused(), 'draft', 'the focus stays in the field');

    await tabTo('open-injection');
    await keyboard.press('Enter');
    assert.equal(await focused(), 'injection-text');
    await keyboard.type('By hand.');
    await tabTo('Add');
    await keyboard.press('Enter');
    await demo.page.locator('.injected').waitFor();
    assert.equal(await focused(), 'open-injection', 'the dialog gives the focus back');

    await tabTo('open-settings', 'Shift+Tab');
    const outline = await demo.page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, 'solid', 'the focus is visible');
    await keyboard.press('Enter');
    await demo.page.getByRole('dialog', { name: 'Settings' }).waitFor();
    await keyboard.press('Escape');
    assert.equal(await focused(), 'open-settings');

    await tabTo('new-session');
    await keyboard.press('Enter');
    await demo.page.getByText('Say something.').waitFor();
    assert.equal(await focused(), 'draft');
    await keyboard.type('Second');
    await keyboard.press('Enter');
    await demo.until(async () => (await demo.sessions.count()) === 2, 'both conversations are listed');
    await tabTo('new-session', 'Shift+Tab');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await demo.page.getByRole('heading', { level: 1, name: 'One line and another' }).waitFor();
    await tabTo('new-session', 'Shift+Tab');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await tabTo('Delete');
    await keyboard.press('Enter');
    await demo.until(async () => (await demo.sessions.count()) === 1, 'the deleted conversation is gone');
    assert.match(await demo.sessions.first().textContent(), /^One line and another/u);
    assert.equal(await focused(), 'new-session', 'the focus is not lost with what was deleted');
  });

  test('names its regions and controls, and tells a screen reader what happens', async () => {
    const demo = await site.fresh();
    const { page } = demo;
    for (const [role, name] of [['navigation', 'Conversations'], ['complementary', 'Next request and storage'], ['log', 'Messages']]) {
      assert.equal(await page.getByRole(role, { name }).count(), 1, `${role} “${name}”`);
    }
    assert.equal(await page.getByRole('main').count(), 1);
    await demo.say('Hello.');
    assert.equal(await demo.log.getAttribute('aria-live'), 'polite');
    const nameless = await page.locator('button, input, textarea, a, dialog').evaluateAll((nodes) =>
      nodes.filter((node) => !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') || node.labels?.[0]?.textContent.trim() || node.textContent.trim())).map((node) => node.outerHTML),
    );
    assert.deepEqual(nameless, []);
  });

  test('on a narrow screen the panes lie over the conversation and close again', async () => {
    const demo = await site.fresh();
    const { page } = demo;
    await demo.say('Hello.');
    await page.setViewportSize({ width: 360, height: 640 });
    const sessions = page.locator('#sessions-pane');
    await sessions.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Conversations' }).click();
    await sessions.waitFor();
    await page.keyboard.press('Escape');
    await sessions.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Next request and storage' }).click();
    await page.locator('#request-pane').waitFor();
    assert.equal((await demo.shownRequest()).length, 2);
    await page.mouse.click(8, 400);
    await page.locator('#request-pane').waitFor({ state: 'hidden' });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0, 'nothing is wider than the screen');
    await demo.say('Still here.');
  });
});
