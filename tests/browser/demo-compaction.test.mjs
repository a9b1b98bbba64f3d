// Compaction in the demo's event log: the range that is suggested is the package's plan, and replacing it is the package's work.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDemo } from './demo-harness.mjs';
import { LogView } from './demo-log-view.mjs';

describe('compaction in the demo', { timeout: 180_000 }, () => {
  const site = useDemo();

  const planned = (demo, target) =>
    demo.page.evaluate(async (targetChars) => {
      const { createSessionStore, planCompaction } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      return planCompaction(await createSessionStore({ storage: store }).open(sessionId), { targetChars });
    }, target);

  async function form(view) {
    await view.dialog.getByRole('button', { name: 'Replace range…' }).click();
    const field = (name) => view.dialog.getByLabel(name, { exact: true });
    const suggest = async (target) => {
      await field('Characters to leave').fill(target);
      await view.dialog.getByRole('button', { name: 'Suggest a range' }).click();
    };
    return { field, suggest, said: view.dialog.locator('#replace-suggested') };
  }

  test('suggests the package’s plan of the agent’s session, and puts a summary there', async () => {
    const demo = await site.fresh();
    await demo.page.getByRole('button', { name: 'Watch an agent at work' }).click();
    await demo.sessions.filter({ hasText: 'recorded' }).waitFor();
    const view = await new LogView(demo).open();
    await view.dialog.locator('.event').first().waitFor();
    const { field, suggest, said } = await form(view);
    const range = async () => [Number(await field('From').inputValue()), Number(await field('To').inputValue())];

    for (const target of [2000, 1500, 0]) {
      const plan = await planned(demo, target);
      await suggest(String(target));
      assert.deepEqual(await range(), [plan.start, plan.end], `${target} characters left`);
      const told = await said.textContent();
      assert.ok(told.startsWith(`${plan.shadowed.length} events with ${plan.chars.toLocaleString('en')} characters`), told);
      assert.equal(told.includes('no more than'), plan.reachesTarget, told);
    }
    await suggest('100000');
    assert.equal(await said.textContent(), 'No more than that is there.');
    await suggest('1.5');
    await view.dialog.locator('#replace-problem').filter({ hasText: 'targetChars' }).waitFor();

    const plan = await planned(demo, null);
    await suggest('');
    assert.equal(await demo.page.evaluate(() => document.activeElement.id), 'replace-summary', 'the text is what is missing');
    await field('Summary').fill('The test of leap years failed. <b>');
    await view.dialog.getByRole('button', { name: 'Replace', exact: true }).click();
    await view.dialog.locator('#event-status').filter({ hasText: 'Replaced.' }).waitFor();
    assert.deepEqual((await view.messages())[0], ['user', 'The test of leap years failed. <b>']);
    const list = await view.list();
    assert.deepEqual(list.slice(-6).map(([, type]) => type), ['turn/start', 'compact/start', 'compact/summary', 'user/message', 'compact/end', 'turn/end']);
    const shadowed = list.filter(([, , place]) => place === 'shadowed').map(([seq]) => seq);
    assert.deepEqual(shadowed, plan.shadowed);
    await view.close();

    // The next request is of the session as it is now.
    await demo.bodyMade();
    assert.equal((await demo.shownRequest())[0].content, 'The test of leap years failed. <b>');
    await demo.until(async () => JSON.stringify(await demo.shownJson()).includes('The test of leap years failed. <b>'), 'the body has it');
    await demo.log.getByText('The test of leap years failed. <b>').waitFor();
    await demo.reload();
    await demo.until(async () => (await demo.shownRequest())[0]?.content === 'The test of leap years failed. <b>', 'it is stored');
  });

  test('says so where nothing may be replaced', async () => {
    const demo = await site.fresh();
    await demo.page.evaluate(async () => {
      const { createSessionStore } = await import('/pkg/index.js');
      const sessions = createSessionStore({ storage: window.turnlogDemo.store });
      const session = sessions.create('recording-short');
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
      session.append('user/message', { content: [{ type: 'text', text: 'Only this.' }], source: { kind: 'user' } }, { surfaceOp: 'append' });
      session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
      await sessions.close(session);
    });
    await demo.goto(`${site.url}#recording-short`);
    const view = await new LogView(demo).open();
    await view.has(3);
    const { suggest, said } = await form(view);
    await suggest('');
    assert.equal(await said.textContent(), 'There is nothing that may be replaced.');
  });
});
