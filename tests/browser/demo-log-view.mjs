// The dialog of the event log as its tests use it: by what a person sees and does.
export class LogView {
  constructor(demo) {
    this.demo = demo;
    this.page = demo.page;
    this.dialog = this.page.getByRole('dialog', { name: 'Event log' });
    this.rows = this.dialog.getByRole('radiogroup', { name: 'Events' });
    this.detail = this.dialog.locator('#event-detail');
    this.chooser = this.dialog.getByLabel('Log', { exact: true });
    this.problem = this.dialog.locator('#event-problem');
  }

  async open() {
    await this.page.getByRole('button', { name: 'Event log' }).click();
    await this.dialog.waitFor();
    return this;
  }

  async close() {
    await this.dialog.getByRole('button', { name: 'Close' }).click();
    await this.dialog.waitFor({ state: 'hidden' });
  }

  /** `[number, type, place]` of each event listed. */
  list() {
    return this.rows.locator('.event').evaluateAll((rows) => rows.map((row) => [
      Number(row.querySelector('.seq').textContent.slice(1)), row.querySelector('.type').textContent, row.querySelector('.place').textContent,
    ]));
  }

  /** Waits until that many events are in the log. */
  async has(count) {
    await this.dialog.locator('#event-count').filter({ hasText: new RegExp(`of ${count} events?$`, 'u') }).waitFor();
  }

  async select(seq) {
    await this.rows.locator('.event').filter({ has: this.page.locator(`.seq:text-is("#${seq}")`) }).click();
    await this.detail.getByRole('heading', { name: new RegExp(`^Event ${seq}:`, 'u') }).waitFor();
  }

  async json() {
    return JSON.parse(await this.dialog.locator('#event-json').textContent());
  }

  /** The facts of the event that is selected, by name. */
  async facts() {
    return Object.fromEntries(await this.dialog.locator('#event-facts > div').evaluateAll((rows) => (
      rows.map((row) => [row.querySelector('dt').textContent, row.querySelector('dd').textContent])
    )));
  }

  messages() {
    return this.dialog.locator('#derived > li').evaluateAll((items) => (
      items.map((item) => [item.querySelector('.role').textContent, item.querySelector('.request-text').textContent])
    ));
  }

  async replace(from, to, summary) {
    await this.dialog.getByRole('button', { name: 'Replace range…' }).click();
    await this.dialog.getByLabel('From', { exact: true }).selectOption(String(from));
    await this.dialog.getByLabel('To', { exact: true }).selectOption(String(to));
    await this.dialog.getByLabel('Summary', { exact: true }).fill(summary);
    await this.dialog.getByRole('button', { name: 'Replace', exact: true }).click();
  }

  /** The ids of all stored logs. */
  stored() {
    return this.page.evaluate(async () => {
      const { createSessionStore } = await import('/pkg/index.js');
      return (await createSessionStore({ storage: window.turnlogDemo.store }).stored()).map(({ id }) => id);
    });
  }
}
