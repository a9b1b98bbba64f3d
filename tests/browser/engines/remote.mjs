// Tabs of a browser without automation, driven through the site's server: agent.mjs in each page asks it for commands.
import { expressionOf, outcomeOf } from './call.mjs';

const ARRIVAL_MS = 30_000;

/** A browser opens six connections to a host, and each tab keeps one waiting for its next command. */
const MOST_TABS = 4;

export class Remote {
  #site;
  #tabs = new Map();
  #sources = new Map();
  #calls = 0;

  constructor(site) {
    this.#site = site;
  }

  /** A tab to come: load `tab.address` in a window and await `tab.arrival()`. */
  expect() {
    if (this.#tabs.size > MOST_TABS) throw new Error(`no more than ${MOST_TABS} tabs of browsers without automation`);
    const id = crypto.randomUUID();
    const tab = new RemoteTab(this.#site.url, id, (source) => {
      const call = (this.#calls += 1);
      this.#sources.set(call, source);
      return call;
    }, () => this.#tabs.delete(id));
    this.#tabs.set(id, tab);
    return tab;
  }

  /** The page's next command, held back until there is one. */
  commands(url, response) {
    const tab = this.#tabs.get(url.searchParams.get('tab'));
    // It was given up; what is left of it asks no more.
    if (!tab) return response.end(JSON.stringify({ name: 'close' }));
    return tab.poll(url.searchParams.get('page'), response);
  }

  /** The module of a call. */
  source(call) {
    const source = this.#sources.get(call);
    this.#sources.delete(call);
    return source && `export default () => ${source};\n`;
  }

  outcome(url, text) {
    this.#tabs.get(url.searchParams.get('tab'))?.settle(Number(url.searchParams.get('call')), text);
  }
}

class RemoteTab {
  #base;
  #newCall;
  #forget;
  #pending = new Map();
  #queue = [];
  #page;
  #waiting;
  #arrived;
  #over = false;

  constructor(base, id, newCall, forget) {
    this.#base = base;
    this.#newCall = newCall;
    this.#forget = forget;
    this.address = new URL(`/remote/tab?remote-tab=${id}`, base).href;
  }

  /** Resolves when the next page of this tab has loaded. */
  arrival() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the page did not load in time')), ARRIVAL_MS);
      this.#arrived = { resolve, reject, timer };
    });
  }

  async evaluate(work, argument) {
    if (this.#over) throw new Error('the tab is closed');
    const call = this.#newCall(expressionOf(work, argument));
    const text = await new Promise((resolve, reject) => {
      this.#pending.set(call, { resolve, reject });
      this.#send('run', call);
    });
    return outcomeOf(text);
  }

  goto(url = '') {
    const arrival = this.arrival();
    this.#send('goto', new URL(url, this.#base).href);
    return arrival;
  }

  reload() {
    const arrival = this.arrival();
    this.#send('reload');
    return arrival;
  }

  /** The page ends; its window stays behind where it went on to other pages and a script may not close it. */
  async close() {
    if (this.#over) return;
    await this.goto(this.address);
    this.#send('close');
    this.drop('the tab was closed');
  }

  /** The tab is gone. */
  drop(reason) {
    this.#over = true;
    this.#forget();
    this.#rejectPending(reason);
    this.#waiting?.destroy();
    clearTimeout(this.#arrived?.timer);
    this.#arrived?.reject(new Error(reason));
  }

  poll(page, response) {
    if (page !== this.#page) {
      this.#page = page;
      this.#rejectPending('the page was left');
      clearTimeout(this.#arrived?.timer);
      this.#arrived?.resolve();
      this.#arrived = undefined;
    }
    this.#waiting = response;
    response.on('close', () => {
      if (this.#waiting === response) this.#waiting = undefined;
    });
    this.#next();
  }

  settle(call, text) {
    this.#pending.get(call)?.resolve(text);
    this.#pending.delete(call);
  }

  #send(name, argument) {
    this.#queue.push({ name, argument });
    this.#next();
  }

  #next() {
    if (!this.#waiting || this.#queue.length === 0) return;
    const response = this.#waiting;
    this.#waiting = undefined;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.#queue.shift()));
  }

  #rejectPending(reason) {
    for (const { reject } of this.#pending.values()) reject(new Error(reason));
    this.#pending.clear();
    // What was not fetched was meant for the page before.
    this.#queue = [];
  }
}
