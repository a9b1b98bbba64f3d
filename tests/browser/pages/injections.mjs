// Faults that the campaign puts in a store's way. Each function is one run: it writes, meets the fault, and gives what
// is wrong afterwards, as texts: a code that is not the one, something acknowledged that is lost, a store that does
// not work on.

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One run's store, what it acknowledged, and what is wrong. */
class Run {
  acknowledged = [];
  problems = [];
  #count = 0;

  constructor(name, options) {
    this.name = name;
    this.options = { name, ...options };
    this.store = lab.createIndexedDbStore(this.options);
  }

  async append(store = this.store) {
    const id = `m${this.#count++}`;
    const outcome = await lab.outcome(store.append('s', lab.turn('s', id)));
    if (outcome.code === undefined) this.acknowledged.push(id);
    return outcome;
  }

  async fill(count) {
    for (let number = 0; number < count; number += 1) this.expect(await this.append());
  }

  /** The outcome must have one of these codes, or none where none is named. */
  expect({ code, message }, ...codes) {
    if (!(codes.length === 0 ? code === undefined : codes.includes(code))) {
      this.problems.push(`${this.name}: ${code ?? 'no error'} ${message ?? ''} in place of ${codes.join(' or ') || 'success'}`);
    }
  }

  /** What was acknowledged is there, once and in order, for this store and for one that opens anew; and it works. */
  async end() {
    this.expect(await this.append());
    const fresh = lab.createIndexedDbStore(this.options);
    for (const store of [this.store, fresh]) {
      const ids = (await store.get('s')).map(({ input }) => input.id);
      const own = ids.filter((id) => this.acknowledged.includes(id));
      if (own.join() !== this.acknowledged.join()) this.problems.push(`${this.name}: ${own} of ${this.acknowledged} are there`);
      if (new Set(ids).size !== ids.length) this.problems.push(`${this.name}: an id is there twice`);
    }
    await Promise.all([this.store.close(), fresh.close()]);
    return this.problems;
  }
}

/** Puts `replacement(original)` in the place of a method while `work` runs. */
async function replaced(owner, method, replacement, work) {
  const original = owner[method];
  owner[method] = replacement(original);
  try {
    return await work();
  } finally {
    owner[method] = original;
  }
}

/** The same for whatever puts a value into an object store. */
function replacedPuts(replacement, work) {
  const { prototype } = IDBObjectStore;
  return replaced(prototype, 'put', replacement, () => replaced(prototype, 'add', replacement, work));
}

/** Fails the `at`-th value that is put into the database, as a full disk does: the transaction is aborted, and says why. */
function full(at, work) {
  let puts = 0;
  const failing = (put) => function (...given) {
    const request = put.apply(this, given);
    puts += 1;
    if (puts === at) {
      Object.defineProperty(this.transaction, 'error', { value: new DOMException('the disk is full', 'QuotaExceededError') });
      this.transaction.abort();
    }
    return request;
  };
  return replacedPuts(failing, work);
}

/** Requests that add a value never answer, and their transactions stay open. */
async function stuck(work) {
  let isStuck = true;
  const silent = (add) => function (...given) {
    const keepBusy = () => {
      if (isStuck) this.get(0).onsuccess = keepBusy;
    };
    add.apply(this, given).onsuccess = keepBusy;
    return {};
  };
  const adding = () => replaced(IDBObjectStore.prototype, 'add', silent, work);
  try {
    return await replaced(IDBTransaction.prototype, 'commit', () => () => {}, adding);
  } finally {
    isStuck = false;
  }
}

/** Makes opens fail with an error of this name, `times` times. */
function failingOpens(name, times, work) {
  let left = times;
  const failing = (open) => function (...given) {
    if (left-- <= 0) return open.apply(this, given);
    const request = {};
    setTimeout(() => {
      request.error = new DOMException('injected', name);
      request.onerror();
    });
    return request;
  };
  return replaced(IDBFactory.prototype, 'open', failing, work);
}

/** Hides a property of the page while `work` runs. */
async function without(owner, property, work) {
  const before = Object.getOwnPropertyDescriptor(owner, property);
  Object.defineProperty(owner, property, { value: undefined, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    Object.defineProperty(owner, property, before);
  }
}

/** Gives the connections that transactions were begun on meanwhile. */
async function connectionsOf(work) {
  const found = new Set();
  const noting = (transaction) => function (...given) {
    found.add(this);
    return transaction.apply(this, given);
  };
  await replaced(IDBDatabase.prototype, 'transaction', noting, work);
  return found;
}

const exportOf = (ids) => new TextEncoder().encode(
  [{ format: 'turnlog/session', version: 1, sessionId: 's' }, ...ids.map((id) => lab.turn('s', id))].map((line) => JSON.stringify(line)).join('\n'),
);

export const injections = {
  async 'quota in append'(name, { between }) {
    const run = new Run(name);
    // At least one, or the first put is the upgrade's, which is another fault.
    await run.fill(between(1, 12));
    run.expect(await full(1, () => run.append()), 'quota_exceeded');
    return run.end();
  },
  async 'quota in the middle of a batch'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(0, 70));
    const outcomes = await full(between(1, 2), () => Promise.all([run.append(), run.append(), run.append()]));
    for (const outcome of outcomes) if (outcome.code !== undefined) run.expect(outcome, 'quota_exceeded');
    run.acknowledged.sort((a, b) => a.slice(1) - b.slice(1));
    return run.end();
  },
  async 'quota in replace'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(1, 20));
    const outcome = await full(between(1, 2), () => lab.outcome(run.store.replace('s', lab.turns('s', 90, 'other '))));
    run.expect(outcome, 'quota_exceeded');
    return run.end();
  },
  async 'quota in import'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(1, 20));
    run.expect(await full(1, () => lab.outcome(run.store.importSession(exportOf(['x', 'y', 'z'])))), 'quota_exceeded');
    if (await run.store.has('s', 'x')) run.problems.push(`${name}: half an import`);
    return run.end();
  },
  async 'quota at open'(name, { between }) {
    const run = new Run(name);
    run.expect(await failingOpens('QuotaExceededError', between(1, 3), () => run.append()), 'quota_exceeded');
    return run.end();
  },
  async 'UnknownError at open'(name, { between }) {
    const run = new Run(name);
    const times = between(1, 5);
    run.expect(await failingOpens('UnknownError', times, () => run.append()), ...(times < 3 ? [] : ['unavailable']));
    return run.end();
  },
  async 'open never settles'(name) {
    const run = new Run(name);
    run.expect(await replaced(IDBFactory.prototype, 'open', () => () => ({}), () => run.append()), 'unavailable');
    // That one is waited for as long as the store lives; another store opens.
    run.store = lab.createIndexedDbStore({ name });
    return run.end();
  },
  async 'request never settles'(name, { between }) {
    const run = new Run(name, { timeout: 150 });
    await run.fill(between(1, 9));
    run.expect(await stuck(() => run.append()), 'unavailable');
    return run.end();
  },
  async 'connection closed by the browser'(name, { between }) {
    const run = new Run(name);
    const connections = await connectionsOf(() => run.fill(between(1, 9)));
    for (const connection of connections) connection.close();
    run.expect(await run.append());
    return run.end();
  },
  async 'transaction given up by the browser'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(1, 9));
    let left = 1;
    const aborting = (put) => function (...given) {
      const request = put.apply(this, given);
      if (left-- === 1) this.transaction.abort();
      return request;
    };
    run.expect(await replacedPuts(aborting, () => run.append()));
    return run.end();
  },
  async 'blocked upgrade'(name) {
    const old = await lab.openDatabase(name, 1, (database) => ['chunks', 'heads'].forEach((store) => database.createObjectStore(store)));
    const run = new Run(name);
    run.expect(await run.append(), 'blocked');
    old.close();
    return run.end();
  },
  async 'versionchange'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(1, 9));
    const begin = performance.now();
    // Whoever wants a newer version is not kept waiting, even in the middle of writes.
    const writing = [run.append(), run.append()];
    (await lab.openDatabase(name, 99)).close();
    if (performance.now() - begin > 3_000) run.problems.push(`${name}: the newer version waited`);
    for (const outcome of await Promise.all(writing)) if (outcome.code !== undefined) run.expect(outcome, 'version_too_new');
    run.expect(await run.append(), 'version_too_new');
    await run.store.close();
    return run.problems;
  },
  async 'database newer than this version'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(1, 9));
    await run.store.close();
    (await lab.openDatabase(name, between(4, 99))).close();
    const before = JSON.stringify(await lab.dump(name));
    const store = lab.createIndexedDbStore({ name });
    const calls = [store.append('s', lab.turn('s', 'x')), store.get('s'), store.replace('s', []), store.sessions()];
    for (const outcome of await Promise.all(calls.map(lab.outcome))) run.expect(outcome, 'version_too_new');
    await store.close();
    if (JSON.stringify(await lab.dump(name)) !== before) run.problems.push(`${name}: it was touched`);
    return run.problems;
  },
  async 'foreign schema'(name) {
    (await lab.openDatabase(name, 3, (database) => database.createObjectStore('things').put('mine', 'key'))).close();
    const before = JSON.stringify(await lab.dump(name));
    const run = new Run(name);
    run.expect(await run.append(), 'corrupt');
    run.expect(await lab.outcome(run.store.sessions()), 'corrupt');
    if (JSON.stringify(await lab.dump(name)) !== before) run.problems.push(`${name}: it was touched`);
    await run.store.close();
    return run.problems;
  },
  async 'no IndexedDB'(name) {
    const run = new Run(name);
    run.expect(await without(globalThis, 'indexedDB', () => run.append()), 'unavailable');
    const opened = await without(globalThis, 'indexedDB', () => lab.openStore({ name }));
    if (opened.kind !== 'localstorage' || opened.reason?.code !== 'unavailable') run.problems.push(`${name}: ${opened.kind}`);
    await opened.close();
    return run.end();
  },
  async 'no Web Locks'(name, { between }) {
    const run = new Run(name);
    await without(Navigator.prototype, 'locks', () => run.fill(between(1, 9)));
    return run.end();
  },
  async 'no BroadcastChannel'(name, { between }) {
    const run = await without(globalThis, 'BroadcastChannel', async () => new Run(name));
    await run.fill(between(1, 9));
    return run.end();
  },
  async 'page frozen in a write'(name, { between }) {
    const run = new Run(name);
    await run.fill(between(1, 9));
    const writing = Array.from({ length: between(1, 5) }, () => run.append());
    await pause(between(0, 3));
    document.dispatchEvent(new Event('freeze'));
    const other = lab.createIndexedDbStore({ name });
    const begin = performance.now();
    run.expect(await run.append(other));
    if (performance.now() - begin > 3_000) run.problems.push(`${name}: another store waited`);
    await other.close();
    document.dispatchEvent(new Event('resume'));
    for (const outcome of await Promise.all(writing)) run.expect(outcome);
    // The other store took in what was left behind before its own.
    const order = (await run.store.get('s')).map(({ input }) => input.id);
    run.acknowledged.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    return run.end();
  },
  async 'worker killed in a write'(name, { between }) {
    const run = new Run(name);
    await run.fill(1);
    const worker = new Worker('/writer-worker.mjs', { type: 'module' });
    const heard = [];
    worker.onmessage = ({ data: { id } }) => {
      heard.push(id);
      localStorage.heard = JSON.stringify({ name, heard });
    };
    worker.postMessage({ name, session: 's', writer: 'w', count: 100_000 });
    while (heard.length === 0) await pause(5);
    await pause(between(0, 60));
    worker.terminate();
    const ids = new Set((await run.store.get('s')).map(({ input }) => input.id));
    for (const id of heard) if (!ids.has(id)) run.problems.push(`${name}: ${id} is lost`);
    return run.end();
  },
};
