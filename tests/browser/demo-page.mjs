// The demo as its tests use it: by what a person sees and does, and, where only the data can tell, by the page's
// own store and engine (`window.turnlogDemo`).
import assert from 'node:assert/strict';

export class DemoPage {
  /** Console messages and uncaught errors that no test expected. */
  problems = [];

  constructor(page) {
    this.page = page;
    this.draft = page.getByLabel('Your message');
    this.log = page.getByRole('log');
    this.userTexts = page.locator('#log .message.user .text');
    this.assistantTexts = page.locator('#log .message.assistant:not(.streaming) .text');
    this.streaming = page.locator('#log .message.streaming .text');
    this.failure = page.locator('#log .failure');
    this.sessions = page.getByRole('navigation', { name: 'Conversations' }).getByRole('listitem');
    page.on('pageerror', (error) => this.problems.push(`uncaught: ${error.stack ?? error}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.problems.push(`${message.type()}: ${message.text()}`);
    });
  }

  static async open(context, url) {
    const demo = new DemoPage(await context.newPage());
    await demo.goto(url);
    return demo;
  }

  async goto(url) {
    await this.page.goto(url);
    await this.started();
  }

  async reload() {
    await this.page.reload();
    await this.started();
  }

  /** Until the page answers to a user: its parts are inert before. */
  started() {
    return this.page.locator('#columns:not([inert])').waitFor();
  }

  /** Sends `text` by the keyboard and waits until its answer is on the screen as stored. */
  async say(text) {
    await this.send(text);
    // The button is there from the key press on, and goes when the answer has been drawn.
    await this.page.locator('#stop').waitFor({ state: 'hidden' });
    assert.equal(await this.failure.count(), 0, 'the message was answered');
    assert.equal(await this.userTexts.last().textContent(), text);
    return this.assistantTexts.last().textContent();
  }

  async send(text) {
    await this.draft.fill(text);
    await this.draft.press('Enter');
  }

  /** Adds an assistant message that is taken: the dialog is gone, and the page takes keys again. */
  async inject(text) {
    const dialog = await this.tryToInject(text);
    await dialog.waitFor({ state: 'hidden' });
  }

  async tryToInject(text) {
    await this.page.getByRole('button', { name: 'Add assistant message' }).click();
    const dialog = this.page.getByRole('dialog', { name: 'Add assistant message' });
    await dialog.getByLabel('Text').fill(text);
    await dialog.getByRole('button', { name: 'Add' }).click();
    return dialog;
  }

  /** Fills the fields that are given; `key` undefined leaves the key's field empty. */
  async configure({ server, key, model = 'test-model', systemPrompt, maxEntries, maxChars, retention }) {
    await this.page.getByRole('button', { name: 'Settings' }).click();
    const dialog = this.page.getByRole('dialog', { name: 'Settings' });
    if (server !== undefined) {
      await dialog.getByRole('radio', { name: 'OpenAI-compatible server' }).check();
      await dialog.getByLabel('Base URL').fill(server);
      await dialog.getByLabel('Model').fill(model);
    }
    if (key !== undefined) await dialog.getByLabel('Key', { exact: true }).fill(key);
    if (systemPrompt !== undefined) await dialog.getByLabel('System prompt').fill(systemPrompt);
    if (maxEntries !== undefined) await dialog.getByLabel('Entries at most').fill(maxEntries);
    if (maxChars !== undefined) await dialog.getByLabel('Characters at most').fill(maxChars);
    if (retention === 'truncate') await dialog.getByRole('radio', { name: 'Drop what no longer fits' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** The next request as the panel lists it. */
  shownRequest() {
    return this.page.locator('#request-messages > li').evaluateAll((rows) =>
      rows.map((row) => ({
        role: row.querySelector('.role').textContent,
        content: row.querySelector('.request-text').textContent,
        chars: Number(row.querySelector('.chars').textContent.replaceAll(',', '')),
      })),
    );
  }

  /** Until the panel has made the body of what it lists; typing is waited out. */
  bodyMade() {
    return this.page.locator('#request-body[aria-busy="false"]').waitFor();
  }

  /** The next request's body as the panel writes it out. */
  async shownJson() {
    const box = this.page.locator('#request-json-box');
    if ((await box.getAttribute('open')) === null) await box.locator('summary').click();
    await this.bodyMade();
    // The box says that it opened in a task of its own, after the click that opened it.
    const text = this.page.locator('#request-json').filter({ hasText: /\S/u });
    await text.waitFor();
    return JSON.parse(await text.textContent());
  }

  /** The entries of the conversation on the screen, as they are stored. */
  stored() {
    return this.page.evaluate(async () => {
      const { store, sessionId } = window.turnlogDemo;
      return JSON.parse(JSON.stringify(await store.get(sessionId)));
    });
  }

  async until(condition, what, { within = 20_000 } = {}) {
    const end = Date.now() + within;
    while (!(await condition())) {
      if (Date.now() > end) assert.fail(`Within ${within} ms it was not so that ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Takes a console message that the test provoked off the list; fails when it did not come. */
  expectProblem(pattern) {
    const at = this.problems.findIndex((problem) => pattern.test(problem));
    assert.ok(at >= 0, `the console says ${pattern}: ${this.problems.join('\n') || 'it is silent'}`);
    this.problems = this.problems.filter((problem) => !pattern.test(problem));
  }
}
