// The demo's panel of the next request: the body for each API, budgets, what was dropped and repaired, and what is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contrasts } from './contrast.mjs';
import { BodyPanel, appendAllAtOdds, openSession } from './demo-body-panel.mjs';
import { useDemo } from './demo-harness.mjs';

const APIS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ai-sdk'];

describe('the next request of the demo', { timeout: 240_000 }, () => {
  const site = useDemo();

  async function said(...texts) {
    const context = await site.newContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const demo = await site.open(context);
    for (const text of texts) await demo.say(text);
    return [demo, new BodyPanel(demo)];
  }

  /** The body that the package makes of the conversation on the screen, and the message being written. */
  const built = (demo, api, draft, options = {}) =>
    demo.page.evaluate(async ([name, text, more]) => {
      const { buildRequest } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      const source = [...(await store.get(sessionId)), ...(text === '' ? [] : [{ role: 'user', content: text }])];
      return new TextDecoder().decode(buildRequest(name, source, { model: 'your-model', ...more }));
    }, [api, draft, options]);

  test('is shown as each API takes it: what the package makes, its size, and a copy of it', async () => {
    const [demo, panel] = await said('Hello, my name is Ada. ünïcödé 🙂', 'What is my name?');
    await demo.inject('A note {"a":[1,"x\\"]}');
    await demo.draft.fill('And now?\n"Well?"');
    assert.deepEqual(await panel.api.locator('option').evaluateAll((options) => options.map(({ value }) => value)), APIS, 'nothing is configured');
    const seen = new Set();
    for (const api of APIS) {
      await panel.choose(api);
      const wanted = await built(demo, api, 'And now?\n"Well?"');
      assert.equal(await panel.copied(), wanted, api);
      assert.equal(await panel.size.textContent(), `${Buffer.byteLength(wanted).toLocaleString('en')} bytes`);
      assert.deepEqual(await panel.json(), JSON.parse(wanted));
      assert.equal(await demo.page.locator('#request-json').textContent(), JSON.stringify(JSON.parse(wanted), null, 2), 'it is set for reading');
      seen.add(wanted);
    }
    assert.equal(seen.size, APIS.length);
  });

  test('is by default what the server of the settings is sent, and another API’s when that is chosen', async () => {
    const model = await site.startModel();
    const [demo, panel] = await said();
    await demo.configure({ server: model.baseUrl, systemPrompt: 'Be brief.' });
    await demo.say('Hello.');
    await demo.inject('By hand.');
    await demo.draft.fill('More.');
    assert.equal(await panel.api.inputValue(), 'configured');
    assert.equal(await panel.budget.isVisible(), false, 'what is really sent is not for trying out');
    const shown = await panel.json();
    const copied = await panel.copied();
    assert.deepEqual(await panel.rules().then((rules) => rules.map(([rule]) => rule)), ['same_role'], 'the two of the assistant are one');
    await panel.choose('anthropic-messages');
    const other = await panel.json();
    assert.equal(other.system, 'Be brief.');
    assert.equal(other.model, 'test-model');
    await demo.draft.press('Enter');
    await demo.until(() => model.requests.length === 2, 'the server got the request');
    assert.deepEqual(model.requests[1].body, shown);
    assert.deepEqual(JSON.parse(copied), shown);
    assert.equal(await panel.api.inputValue(), 'anthropic-messages', 'the choice stays');
  });

  test('tells what a budget drops, and leads there; and what exceeds it', async () => {
    const texts = Array.from({ length: 6 }, (_, at) => `Message ${at + 1} ${'long '.repeat(20)}`.trim());
    const [demo, panel] = await said(...texts);
    await demo.draft.fill('The last word.');
    await panel.choose('openai-chat');
    assert.equal(await panel.report.locator('#nothing-changed').isVisible(), true);
    await panel.fill('Characters', '400');
    const wanted = await demo.page.evaluate(async () => {
      const { prepareRequest } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      const { body, ...report } = prepareRequest('openai-chat', [...(await store.get(sessionId)), { role: 'user', content: 'The last word.' }], { model: 'your-model', maxChars: 400 });
      return { ...report, text: new TextDecoder().decode(body) };
    });
    assert.ok(wanted.dropped.length > 1 && wanted.dropped.length < 6);
    assert.deepEqual(await panel.json(), JSON.parse(wanted.text));
    const title = `Dropped by the budget: ${wanted.dropped.length}`;
    assert.deepEqual(await panel.places(title), wanted.dropped.map((place) => `Entry ${place + 1}`));
    assert.equal(await demo.page.locator('#body-chars-text').textContent(), `${wanted.chars} of 400`);
    assert.equal(await panel.over.isVisible(), false);

    await panel.report.getByRole('button', { name: 'Entry 1', exact: true }).click();
    const reached = await demo.page.evaluate(() => {
      const { top } = document.activeElement.getBoundingClientRect();
      return [document.activeElement.querySelector('.text').textContent, top >= 0 && top < innerHeight, document.documentElement.scrollHeight - innerHeight];
    });
    assert.deepEqual(reached, [texts[0], true, 0], 'the conversation has scrolled, and not the page');

    // The rest is dropped in one step, and tokens are counted where they are bounded.
    await panel.fill('In steps of %', '60');
    assert.ok((await panel.places(/^Dropped/u)).length > wanted.dropped.length);
    await panel.fill('Tokens', '1');
    const tokens = await demo.page.evaluate(async () => (await import('/pkg/index.js')).estimateTokens('The last word.'));
    assert.equal(await demo.page.locator('#body-tokens-text').textContent(), `${tokens} of 1, estimated`);
    assert.equal(await panel.over.isVisible(), true);
    assert.equal(await demo.page.locator('#body-tokens-used').evaluate((bar) => bar.classList.contains('over')), true);

    for (const [label, value, told] of [['Characters', '1.5', /^Characters: must be/u], ['In steps of %', '100', /^In steps of %: must be/u]]) {
      await panel.fill(label, value);
      assert.match(await panel.problem.textContent(), told);
      assert.equal(await panel.budget.getByLabel(label).getAttribute('aria-invalid'), 'true');
      assert.equal(await panel.report.isVisible(), false, 'there is no body then');
      await panel.fill(label, '');
    }
    await panel.budget.getByLabel('Characters').focus();
    await demo.page.keyboard.type('1e');
    await panel.problem.filter({ hasText: 'Characters: enter a whole number, or nothing.' }).waitFor();
  });

  test('draws what a report names, however early it was said', async () => {
    const demo = await site.fresh();
    await demo.page.evaluate(async () => {
      const { ChartRequestMessage } = await import('/pkg/index.js');
      const { store } = window.turnlogDemo;
      for (let at = 1; at <= 130; at += 1) {
        const input = ChartRequestMessage({ sessionId: 'long', reasons: [{ kind: 'user_intent', text: `Number ${at}` }] });
        await store.append('long', { kind: 'turn', input, output: { userMessage: `Reply ${at}` } });
      }
    });
    await demo.configure({ maxEntries: '', maxChars: '' });
    await demo.goto(`${site.url}#long`);
    await demo.userTexts.first().waitFor();
    assert.equal(await demo.userTexts.first().textContent(), 'Number 31');
    await demo.draft.fill('Next');
    const panel = new BodyPanel(demo);
    await panel.choose('ai-sdk');
    await panel.fill('Characters', '2200');
    await panel.report.getByRole('button', { name: 'Entry 2', exact: true }).click();
    await demo.page.locator('#log article:focus').filter({ hasText: 'Number 2' }).waitFor();
  });

  test('tells each repair with its reason, and where it was made', async () => {
    const demo = await site.fresh();
    const panel = new BodyPanel(demo);
    await openSession(demo, site.url, 'recording-at-odds', appendAllAtOdds);
    await panel.choose('anthropic-messages');
    assert.match(await panel.problem.textContent(), /of a type that is not known.*\(unknown_block at \[\d+\]\.content\[2\]\)$/u);
    await panel.page.getByLabel('Blocks of other types').selectOption('drop');
    await panel.problem.filter({ hasText: 'begins_with_assistant' }).waitFor();
    assert.equal(await demo.page.locator('#request-json').textContent(), '', 'there is no body');
    await panel.fill('Opening message', 'Go on.');
    assert.equal(await panel.problem.textContent(), '');
    const { repairs, text } = await demo.page.evaluate(async () => {
      const { createSessionStore, prepareRequest } = await import('/pkg/index.js');
      const session = await createSessionStore({ storage: window.turnlogDemo.store }).open('recording-at-odds');
      const prepared = prepareRequest('anthropic-messages', session, { unknownBlocks: 'drop', openingMessage: 'Go on.' });
      return { repairs: prepared.repairs, text: new TextDecoder().decode(prepared.body) };
    });
    assert.deepEqual(await panel.json(), JSON.parse(text));
    const rules = await panel.rules();
    assert.deepEqual(rules.map(([rule]) => rule), [...new Set(repairs.map(({ rule }) => rule))]);
    assert.deepEqual(rules.map(([rule]) => rule).toSorted(), [
      'arguments', 'blank_text', 'call_id', 'lone_surrogate', 'misplaced', 'missing_result', 'opening', 'orphan_result', 'reasoning',
      'result_order', 'same_role', 'system', 'trailing_space', 'unknown_block',
    ], 'all there are');
    for (const [rule, sentence] of rules) {
      assert.ok(sentence.startsWith(`${rule} `) && sentence.endsWith('.') && !sentence.includes('does not know'), sentence);
      const places = await panel.report.locator(`[data-rule="${rule}"] .change-places > :not(.call)`).allTextContents();
      assert.deepEqual(places, repairs.filter((repair) => repair.rule === rule).map(({ message }) => `#${message}`), rule);
    }
    const blank = repairs.find(({ rule }) => rule === 'blank_text').message;
    await panel.report.locator('[data-rule="blank_text"]').getByRole('button', { name: `#${blank}`, exact: true }).click();
    await demo.page.locator('#log article:focus').filter({ hasText: 'and more' }).waitFor();
  });

  test('tells where the API refuses the end, and where nothing is sent', async () => {
    const [demo, panel] = await said('Hello.');
    await panel.choose('gemini');
    assert.match(await panel.problem.textContent(), /no list that ends on the assistant.*\(ends_on_assistant\)/u);
    assert.equal(await panel.size.isVisible(), false);
    await demo.draft.fill('Go on.');
    await demo.bodyMade();
    assert.equal(await panel.problem.textContent(), '');
    assert.deepEqual(await panel.json(), JSON.parse(await built(demo, 'gemini', 'Go on.')));
    await demo.page.getByRole('button', { name: 'New', exact: true }).click();
    await panel.problem.filter({ hasText: 'There is nothing to send. (empty)' }).waitFor();
  });

  test('of the agent is made of the session, with its header; and clips what alone exceeds the budget', async () => {
    const demo = await site.fresh();
    await demo.page.getByRole('button', { name: 'Watch an agent at work' }).click();
    await demo.sessions.filter({ hasText: 'recorded' }).waitFor();
    const panel = new BodyPanel(demo);
    for (const api of APIS) {
      await panel.choose(api);
      const wanted = await demo.page.evaluate(async (name) => {
        const { buildRequest, createSessionStore } = await import('/pkg/index.js');
        const { store, sessionId } = window.turnlogDemo;
        const session = await createSessionStore({ storage: store }).open(sessionId);
        try {
          return JSON.parse(new TextDecoder().decode(buildRequest(name, session)));
        } catch (error) {
          return error.code;
        }
      }, api);
      if (api === 'gemini') {
        assert.equal(wanted, 'ends_on_assistant');
        assert.match(await panel.problem.textContent(), /\(ends_on_assistant\)/u);
      } else {
        assert.deepEqual(await panel.json(), wanted);
        assert.ok(JSON.stringify(wanted).includes('run_tests'));
      }
    }
    assert.equal((await demo.shownRequest()).length, 13);
    await panel.choose('openai-chat');
    await panel.fill('Characters', '500');
    const dropped = panel.report.getByRole('list', { name: /^Dropped/u });
    await dropped.locator('li').filter({ hasText: /FAIL test/u }).getByRole('button').click();
    await demo.page.locator('#log article.tool:focus').filter({ hasText: 'run_tests' }).waitFor();

    // A session that waits for the model: the result is what it waits for.
    await openSession(demo, site.url, 'recording-waiting', async (id) => {
      const { createSessionStore } = await import('/pkg/index.js');
      const sessions = createSessionStore({ storage: window.turnlogDemo.store });
      const session = sessions.create(id);
      const append = { surfaceOp: 'append' };
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
      session.append('user/message', { content: [{ type: 'text', text: 'Read it.' }], source: { kind: 'user' } }, append);
      session.append('assistant/message', { turn: 1, step: 1, content: [{ type: 'tool-call', id: 'c', name: 'read', arguments: '{}' }], provenance: { provider: 'p', model: 'm' } }, append);
      session.append('tool/result', { turn: 1, step: 1, callId: 'c', content: [{ type: 'text', text: 'x'.repeat(5000) }], isError: false }, append);
      session.append('turn/end', { turn: 1, reason: { kind: 'aborted' } });
      await sessions.close(session);
    });
    assert.equal(await panel.report.locator('#nothing-changed').isVisible(), true, 'nothing is bounded yet');
    await panel.fill('Characters', '500');
    assert.deepEqual(await panel.places('Clipped in the middle: 1'), ['#3']);
    assert.ok(JSON.stringify(await panel.json()).includes('characters omitted'));
    assert.equal((await panel.json()).model, 'your-model', 'a session without a header names no model');
  });

  test('costs nothing while the panel is closed, and one body for what is typed at once', async () => {
    const [demo, panel] = await said('Hello.');
    await demo.bodyMade();
    const sizes = await demo.page.evaluate(async () => {
      const seen = [];
      new MutationObserver(() => seen.push(document.querySelector('#request-size').textContent)).observe(document.querySelector('#request-size'), { childList: true });
      const draft = document.querySelector('#draft');
      const type = (text) => {
        draft.value += text;
        draft.dispatchEvent(new Event('input', { bubbles: true }));
      };
      for (let at = 0; at < 50; at += 1) type('x');
      while (document.querySelector('#request-body').getAttribute('aria-busy') === 'true') await new Promise((resolve) => setTimeout(resolve, 20));
      return seen;
    });
    assert.equal(sizes.length, 1);
    await demo.page.getByRole('button', { name: 'Next request and storage' }).click();
    await demo.draft.fill('Unseen');
    assert.equal((await demo.shownRequest()).at(-1).content, 'x'.repeat(50));
    await demo.page.getByRole('button', { name: 'Next request and storage' }).click();
    await demo.bodyMade();
    assert.equal((await demo.shownRequest()).at(-1).content, 'Unseen');
    assert.deepEqual(await panel.json(), JSON.parse(await built(demo, 'openai-chat', 'Unseen')));
  });

  test('shows hostile text as text', async () => {
    const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script></pre>&amp;\u202e {{x}} javascript:hacked()';
    const [demo, panel] = await said(hostile, hostile);
    await demo.draft.fill(hostile);
    await panel.choose('openai-chat');
    await panel.fill('Characters', String(hostile.length));
    assert.ok((await panel.report.getByRole('list', { name: /^Dropped/u }).textContent()).includes('<img src=x'));
    assert.deepEqual((await panel.json()).messages.at(-1).content, hostile);
    await openSession(demo, site.url, 'recording-hostile', async (id) => {
      const { createSessionStore } = await import('/pkg/index.js');
      const text = '<img src=x onerror="window.hacked=3"><script>window.hacked=4</script>';
      const sessions = createSessionStore({ storage: window.turnlogDemo.store });
      const session = sessions.create(id);
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
      session.append('user/message', { content: [{ type: 'text', text }], source: { kind: 'user' } }, { surfaceOp: 'append' });
      session.append('assistant/message', { turn: 1, step: 1, content: [{ type: 'tool-call', id: text, name: text, arguments: text }], provenance: { provider: text, model: text } }, { surfaceOp: 'append' });
      session.append('user/message', { content: [{ type: text }], source: { kind: 'user' } }, { surfaceOp: 'append' });
      session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
      await sessions.close(session);
    });
    await panel.choose('anthropic-messages');
    await panel.page.getByLabel('Blocks of other types').selectOption('keep');
    await demo.bodyMade();
    assert.ok((await panel.report.locator('[data-rule="missing_result"] .call').textContent()).includes('<img'));
    assert.ok(JSON.stringify(await panel.json()).includes('window.hacked=4'));
    assert.equal(await demo.page.locator('#request-pane img, #request-pane script, #request-pane a').count(), 0);
    assert.equal(await demo.page.evaluate(() => window.hacked), undefined);
  });

  test('can be tried with the keyboard alone', async () => {
    const [demo] = await said('Hello, my name is Ada.', 'What is my name?');
    const { keyboard } = demo.page;
    const focused = () => demo.page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    const tabTo = async (id, key = 'Tab') => {
      for (let step = 0; step < 40; step += 1) {
        if ((await focused()) === id) return;
        await keyboard.press(key);
      }
      assert.fail(`${key} does not lead to ${id}, but to ${await focused()}`);
    };
    await keyboard.type('Well?');
    await tabTo('request-api');
    await keyboard.press('ArrowDown');
    await tabTo('try-chars');
    await keyboard.type('20');
    await demo.bodyMade();
    await tabTo('As JSON');
    await keyboard.press('Enter');
    assert.equal((await demo.shownJson()).model, 'your-model');
    assert.equal((await demo.shownJson()).input.length, 1, 'the second API is chosen, and the budget holds');
    await tabTo('Entry 2', 'Shift+Tab');
    await keyboard.press('Enter');
    await demo.page.locator('#log article:focus').filter({ hasText: 'What is my name?' }).waitFor();
    const outline = await demo.page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, 'solid', 'the focus is visible');
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`fits a narrow screen, and can be read (${colorScheme})`, async () => {
      const demo = await site.fresh();
      const panel = new BodyPanel(demo);
      await demo.page.emulateMedia({ colorScheme });
      await openSession(demo, site.url, 'recording-at-odds', appendAllAtOdds);
      await demo.page.setViewportSize({ width: 360, height: 640 });
      await demo.page.getByRole('button', { name: 'Next request and storage' }).click();
      await panel.choose('openai-responses');
      await panel.page.getByLabel('Blocks of other types').selectOption('drop');
      await panel.fill('Characters', '3');
      await panel.fill('Tokens', '1');
      await panel.json();
      assert.equal(await panel.over.isVisible(), true);
      const overflow = await demo.page.evaluate(() => [document.documentElement, document.querySelector('#request-pane')].map((node) => node.scrollWidth - node.clientWidth));
      assert.deepEqual(overflow, [0, 0], 'nothing is wider than the screen');
      assert.deepEqual(await demo.page.locator('#request-pane').evaluate(contrasts), [], 'every text stands out from what is behind it');
      await panel.report.getByRole('list', { name: /^Dropped/u }).getByRole('button').first().click();
      await demo.page.locator('#log article:focus').waitFor();
      assert.equal(await demo.page.locator('#request-pane').isVisible(), false, 'what is led to is not covered');
    });
  }
});
