// The recorded agent of the demo: played live into a session that lasts, looked at meanwhile, and deleted.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDemo } from './demo-harness.mjs';

describe('the recorded agent of the demo', { timeout: 180_000 }, () => {
  const site = useDemo();

  async function watchAgent(demo) {
    await demo.page.getByRole('button', { name: 'Watch an agent at work' }).click();
  }

  const agentEnd = (demo) => demo.page.locator('#log').getByText('turn ended: rejected');

  test('plays an agent at work live, with all that it does', async () => {
    const demo = await site.fresh();
    await demo.page.emulateMedia({ reducedMotion: 'no-preference' });
    // What comes and goes is seen in the page: from outside it might be missed.
    await demo.page.evaluate(() => {
      const log = document.querySelector('#log');
      window.seen = { thinking: false, running: false, replies: new Set(), plans: new Set() };
      new MutationObserver(() => {
        window.seen.thinking ||= log.textContent.includes('Thinking…');
        window.seen.running ||= [...log.querySelectorAll('.tool .chip')].some((node) => node.textContent === 'running');
        for (const node of log.querySelectorAll('.streaming .text')) window.seen.replies.add(node.textContent);
        for (const node of log.querySelectorAll('.plan .when')) window.seen.plans.add(node.textContent);
      }).observe(log, { childList: true, characterData: true, subtree: true });
    });
    await watchAgent(demo);
    await demo.log.locator('.tool').getByText('failed', { exact: true }).waitFor();
    const seen = await demo.page.evaluate(() => ({ ...window.seen, replies: [...window.seen.replies], plans: [...window.seen.plans] }));
    assert.ok(seen.thinking && seen.running, 'what goes on is shown while it does');
    assert.ok(seen.replies.length >= 3 && seen.replies.includes('I will run the tests first.'), seen.replies.join('|'));
    assert.deepEqual(seen.plans.slice(0, 1), ['0 of 4']);
    assert.equal(await demo.draft.isVisible(), false, 'nothing can be said to it');
    await demo.sessions.filter({ hasText: 'An agent at work' }).filter({ hasText: 'playing' }).waitFor();

    // The page is left in the middle.
    await demo.reload();
    await demo.log.getByText('turn ended: interrupted').waitFor();
    assert.equal(await demo.log.locator('.tool').getByText('failed', { exact: true }).count(), 1);
    await demo.sessions.filter({ hasText: 'recorded' }).waitFor();
  });

  test('is played to its end while it is looked at, here and in another tab', async () => {
    const demo = await site.fresh();
    await demo.page.emulateMedia({ reducedMotion: 'no-preference' });
    await watchAgent(demo);
    await demo.log.getByText('Thinking…').waitFor();
    const other = await site.open(demo.page.context(), demo.page.url());
    for (const { page } of [other, demo]) {
      await page.getByRole('button', { name: 'Event log' }).click();
      const dialog = page.getByRole('dialog', { name: 'Event log' });
      await dialog.locator('.event .type', { hasText: 'assistant/chunk' }).first().waitFor();
      await page.keyboard.press('Escape');
    }
    // It goes on behind another conversation.
    await demo.page.getByRole('button', { name: 'New', exact: true }).click();
    await demo.say('Meanwhile.');
    await demo.sessions.getByRole('link', { name: 'An agent at work' }).click();
    await agentEnd(demo).waitFor();
    await demo.sessions.filter({ hasText: 'recorded' }).waitFor();
    const text = await demo.log.textContent();
    assert.ok(!text.includes('interrupted'));
    assert.equal(await demo.page.locator('#notice').textContent(), '', 'nobody was in the way');
    await other.reload();
    await agentEnd(other).waitFor();
    assert.equal(await other.log.textContent(), text);
  });

  test('keeps the agent’s session, log and transcript, until they are deleted', async () => {
    const demo = await site.fresh();
    await demo.say('Something else.');
    await demo.page.getByRole('button', { name: 'New', exact: true }).click();
    await watchAgent(demo);
    await agentEnd(demo).waitFor();
    await demo.sessions.filter({ hasText: 'recorded' }).waitFor();
    assert.equal(await demo.page.evaluate(() => document.activeElement.id), 'scroller', 'the keyboard is where there is something to read');
    assert.deepEqual(await demo.log.locator('.step').allTextContents().then((steps) => steps.map((step) => step.slice(-7))), Array(4).fill(' (done)'));
    const text = await demo.log.textContent();
    assert.ok(text.includes('const isLeap ='));
    await demo.reload();
    await agentEnd(demo).waitFor();
    assert.equal(await demo.log.textContent(), text, 'it is the same after a reload');

    const stored = () => demo.page.evaluate(async () => {
      const { createSessionStore } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      const sessions = createSessionStore({ storage: store });
      const state = await sessions.transcript(sessionId);
      const isListed = (await sessions.stored()).some(({ id }) => id === sessionId);
      return [isListed, state?.length, isListed ? (await sessions.open(sessionId)).seq : 0];
    });
    const [isListed, records, events] = await stored();
    assert.equal(isListed, true);
    assert.equal(records, await demo.log.locator('article').count());
    await demo.page.getByRole('button', { name: 'Event log' }).click();
    const dialog = demo.page.getByRole('dialog', { name: 'Event log' });
    await dialog.locator('#event-count').filter({ hasText: `${events} of ${events} events` }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    assert.deepEqual(await stored(), [true, records, events], 'to look at it has written nothing');

    await demo.sessions.getByRole('link', { name: 'Something else.' }).click();
    await demo.userTexts.filter({ hasText: 'Something else.' }).waitFor();
    assert.equal(await demo.draft.isVisible(), true);
    await demo.sessions.getByRole('link', { name: 'An agent at work' }).click();
    await agentEnd(demo).waitFor();
    await demo.page.getByRole('button', { name: 'Delete “An agent at work”' }).click();
    await demo.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await demo.until(async () => (await demo.sessions.count()) === 1, 'it is gone from the list');
    await demo.reload();
    assert.equal(await demo.sessions.count(), 1);
    const left = await demo.page.evaluate(async () => (await (await import('/pkg/index.js')).createSessionStore({ storage: window.turnlogDemo.store }).stored()).filter(({ id }) => id.startsWith('recording-')).length);
    assert.equal(left, 0);
  });

  test('can be deleted while it plays', async () => {
    const demo = await site.fresh();
    await demo.page.emulateMedia({ reducedMotion: 'no-preference' });
    await watchAgent(demo);
    await demo.log.getByText('Thinking…').waitFor();
    await demo.page.getByRole('button', { name: 'Delete “An agent at work”' }).click();
    await demo.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await demo.page.getByText('Say something.').waitFor();
    await demo.until(async () => (await demo.sessions.count()) === 0, 'nothing is left');
    assert.equal(await demo.page.locator('#notice').textContent(), '');
  });
});
