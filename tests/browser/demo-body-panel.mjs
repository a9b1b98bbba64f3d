// The bodies in the demo's request panel as their tests use them: by what a person sees and does. And sessions to be shown there.

/** The part of the panel that is about bodies, as a person uses it. */
export class BodyPanel {
  constructor(demo) {
    this.demo = demo;
    this.page = demo.page;
    this.api = this.page.getByLabel('API', { exact: true });
    this.budget = this.page.locator('#request-budget');
    this.problem = this.page.locator('#request-problem');
    this.size = this.page.locator('#request-size');
    this.over = this.page.locator('#over-budget');
    this.report = this.page.locator('#request-report');
  }

  async choose(api) {
    await this.api.selectOption(api);
    await this.demo.bodyMade();
  }

  async fill(label, value) {
    await this.page.locator('#request-body').getByLabel(label, { exact: true }).fill(value);
    await this.demo.bodyMade();
  }

  async json() {
    return this.demo.shownJson();
  }

  /** The body as it is, by way of the clipboard. */
  async copied() {
    await this.page.getByRole('button', { name: 'Copy the body' }).click();
    await this.page.locator('#request-copied').filter({ hasText: 'Copied.' }).waitFor();
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** `[rule, sentence]` of what was repaired. */
  rules() {
    return this.report.locator('[data-rule]').evaluateAll((items) => items.map((item) => [item.dataset.rule, item.querySelector('p').textContent]));
  }

  /** The places of a list, as they are called. */
  places(title) {
    return this.report.getByRole('list', { name: title }).locator('li > button, li > span:first-child').allTextContents();
  }
}

/** Stores a session as one that was played, and opens it. */
export async function openSession(demo, url, id, append) {
  await demo.page.evaluate(append, id);
  await demo.goto(`${url}#${id}`);
  // Only the fragment may have changed, and what was tried out before would hold.
  await demo.reload();
  await demo.page.locator('#reading').waitFor();
  await demo.page.getByText(/were it asked to go on/u).waitFor();
  await demo.bodyMade();
}

/** A session in which nearly everything has to be mended. Runs in the page. */
export async function appendAllAtOdds(id) {
  const { createSessionStore } = await import('/pkg/index.js');
  const sessions = createSessionStore({ storage: window.turnlogDemo.store });
  const session = sessions.create(id);
  const append = { surfaceOp: 'append' };
  const place = { turn: 1, step: 1 };
  const provenance = { provider: 'elsewhere', model: 'other' };
  const text = (words) => ({ type: 'text', text: words });
  const call = (callId, given = '{}') => ({ type: 'tool-call', id: callId, name: 'look', arguments: given });
  const user = (...content) => session.append('user/message', { content, source: { kind: 'user' } }, append);
  const assistant = (...content) => session.append('assistant/message', { ...place, content, provenance }, append);
  const result = (callId, words) => session.append('tool/result', { ...place, callId, content: [text(words)], isError: false }, append);
  session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
  const messagePrefix = [{ role: 'assistant', content: [text('First of all.')] }, { role: 'system', content: [text('In between.')] }];
  session.append('request/header', { header: { config: { provider: 'p', model: 'm' }, messagePrefix }, reason: 'initial' });
  user(text('One half \ud83d'));
  user(text('  '), text('and more'), call('misplaced'));
  assistant({ type: 'reasoning', text: 'hm' }, call('a|1', '[1]'), call('a|2'));
  result('a|2', 'second');
  result('a|1', 'first');
  assistant(text('Again.'), call('a|1'));
  user(text('Never mind.'), { type: 'tool-result', toolCallId: 'orphan', content: [] }, { type: 'hologram', of: 'a whale' });
  assistant(text('Well, then  '));
  session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
  await sessions.close(session);
}
