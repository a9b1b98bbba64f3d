// The connection to one database: opened when first needed, given up for a newer version of the
// package, opened again when the browser closed it, at rest while the page is.
//
// Nothing is waited for without a limit. What comes too late is still of use: a database that opens in the end
// is taken, and a transaction that was given up is aborted where it was not to be committed already, so that it does not
// happen behind the caller's back.

import { StoreError } from '../glue.js';
import { renewLog } from './log-renewal.js';
import { CHUNKS, HEADS, isOlder, open } from './opening.js';
import { abort, commit } from './requests.js';
import { storeError } from './store-error.js';
import { watchdog, within } from './watchdog.js';

const OPEN_MS = 3_000;
/** How long the question why a database does not open may take. */
const WHY_MS = 500;
/** How long the probe of a connection may take when the page is looked at again. */
const PROBE_MS = 1_000;
const LOG = [CHUNKS, HEADS];

export class Connection {
  #name;
  #options;
  #timeout;
  #calls;
  #database;
  #opening;
  /** What the first write on a connection waits for, begun by it; null once that is over. */
  #renewal;
  #blocked = false;
  #closed = false;
  /** Transactions under way, with what ends each as failed. */
  #active = new Map();
  #sleeping;
  /** How often the page was put to sleep. */
  #sleeps = 0;

  /** `timeout`: how many ms a transaction may take. `lost`: see `open`. `opened` is called after each open. */
  constructor(name, durability, timeout, { lost, opened }) {
    this.#name = name;
    // Set explicitly: the default has changed before.
    this.#options = { durability };
    this.#timeout = timeout;
    this.#calls = { lost, opened };
  }

  get isOpen() {
    return this.#database !== undefined;
  }

  get isAsleep() {
    return this.#sleeping !== undefined;
  }

  /**
   * Runs `work` with a transaction over these stores, and gives what it gives. A reading transaction ends by itself;
   * a writing one resolves when it has completed, since nothing may be acknowledged before. `work` gets the stores and
   * `{ abort, commit }`; when it gives false, nobody waits for what becomes of the transaction.
   *
   * A transaction that the browser gave up (it closed the connection: site data was cleared, say) has written
   * nothing, and so has one that failed because the database was out of reach. It is run once more, on a new connection. So
   * is one that was aborted when the page was put to sleep, once the page is awake. So `work` must bear being called again,
   * and finding that it had been done after all.
   */
  async run(mode, work, stores = LOG) {
    for (let tries = 1; ; tries++) {
      if (this.#sleeping !== undefined) await this.#sleeping.over;
      const sleeps = this.#sleeps;
      try {
        const transaction = await this.#begin(mode, stores);
        return await this.#finish(transaction, mode, work);
      } catch (error) {
        // A request made after the browser aborted says that the transaction is inactive.
        const isAbort = ['AbortError', 'TransactionInactiveError'].includes(error?.name);
        const slept = isAbort && this.#sleeps > sleeps;
        const again = slept || (tries === 1 && (isAbort || error?.name === 'UnknownError'));
        if (this.#closed || !again) throw storeError(error);
        if (!slept) this.#letGo();
      }
    }
  }

  /** What `run` says of one try. */
  #finish(transaction, mode, work) {
    return new Promise((resolve, reject) => {
      let sent = false;
      let result;
      const end = (settle, value) => {
        stop();
        this.#active.delete(transaction);
        settle(value);
      };
      const fail = (thrown) => {
        // A failed transaction fails all its requests; its own error is the reason.
        const error = transaction.error ?? thrown;
        abort(transaction);
        end(reject, error);
      };
      const stop = watchdog(this.#timeout, () => {
        // Another connection may do better.
        this.#letGo();
        fail(new StoreError('unavailable', `the database did not answer within ${this.#timeout} ms`));
      });
      this.#active.set(transaction, fail);
      transaction.onabort = () => fail(new DOMException('the database gave the transaction up', 'AbortError'));
      transaction.oncomplete = () => mode === 'readwrite' && end(resolve, result);
      const objectStores = Array.from(transaction.objectStoreNames, (name) => transaction.objectStore(name));
      const ending = {
        abort: () => abort(transaction),
        commit: () => {
          sent = true;
          commit(transaction);
        },
      };
      const working = async () => work(...objectStores, ending);
      working().then((value) => {
        result = value;
        if (mode === 'readonly' || value === false) return end(resolve, value);
        // In the last request's success, unless `work` knew that it may be earlier.
        if (!sent) ending.commit();
      }).catch(fail);
    });
  }

  close() {
    this.#closed = true;
    this.wake();
    this.#letGo();
  }

  /**
   * The page is left or frozen. A transaction under way would keep other pages waiting, or (in WebKit) the next one of
   * this origin for half a minute, and a connection would hold up an upgrade. `last` is called with the database
   * before it is closed.
   */
  sleep(last) {
    if (this.isAsleep || this.#closed) return;
    let wake;
    this.#sleeping = { over: new Promise((resolve) => (wake = resolve)), wake };
    this.#sleeps++;
    for (const transaction of this.#active.keys()) abort(transaction);
    try {
      if (this.#database !== undefined) last(this.#database);
    } catch {
      // The browser has closed it: there is nothing to leave behind in.
    }
    this.#letGo();
  }

  /** The page is back. */
  wake() {
    this.#sleeping?.wake();
    this.#sleeping = undefined;
  }

  /** The page is looked at again: a connection that was lost without a word is given up before it is needed. */
  async probe() {
    const database = this.#database;
    if (database === undefined) return;
    try {
      const request = database.transaction(HEADS).objectStore(HEADS).count();
      const answer = new Promise((resolve, reject) => ([request.onsuccess, request.onerror] = [resolve, reject]));
      await within(PROBE_MS, answer, () => 'too late');
    } catch {
      if (this.#database === database) this.#letGo();
    }
  }

  async #begin(mode, stores) {
    const database = await this.#open();
    if (mode === 'readwrite' && this.#renewal !== null) {
      await (this.#renewal ??= renewLog(this.#name));
      if (database === this.#database) this.#renewal = null;
    }
    // Put to sleep while it was being opened: begun again when the page is awake.
    if (this.#sleeping !== undefined) throw new DOMException('the page sleeps', 'AbortError');
    try {
      return database.transaction(stores, mode, this.#options);
    } catch {
      // A transaction that did not start wrote nothing, so another try on a new connection is safe.
      this.#letGo();
      return (await this.#open()).transaction(stores, mode, this.#options);
    }
  }

  /** Ends what was under way on a connection that the browser has closed; what had not happened is made again. */
  #giveUpOn(database) {
    for (const [transaction, fail] of this.#active) {
      if (transaction.db === database) fail(new DOMException('the browser closed the connection', 'AbortError'));
    }
  }

  #letGo() {
    this.#database?.close();
    this.#database = undefined;
  }

  async #open() {
    if (this.#closed) throw closed();
    if (this.#database !== undefined) return this.#database;
    this.#opening ??= this.#openAnew().finally(() => (this.#opening = undefined));
    // An open that comes later than that is waited for by whoever asks next.
    return within(OPEN_MS, this.#opening, () => this.#notOpened());
  }

  async #openAnew() {
    this.#blocked = false;
    const database = await open(this.#name, { blocked: () => (this.#blocked = true), lost: this.#calls.lost });
    if (this.#closed) {
      database.close();
      throw closed();
    }
    const letGo = () => {
      database.close();
      if (this.#database === database) this.#database = undefined;
    };
    database.onversionchange = letGo;
    database.onclose = () => {
      letGo();
      // Chromium tells a transaction that is to be committed already nothing; the others hear of it themselves first.
      setTimeout(() => this.#giveUpOn(database));
    };
    // Opened while the page sleeps, it would be in the way; it is opened again when somebody asks.
    if (this.#sleeping === undefined) this.#database = database;
    else database.close();
    this.#renewal = undefined;
    this.#calls.opened();
    return database;
  }

  /** A frozen tab is in the way of an upgrade without a word, so the version is looked at. */
  async #notOpened() {
    const isBlocked = this.#blocked || (await within(WHY_MS, isOlder(this.#name), () => false).catch(() => false));
    return isBlocked
      ? new StoreError('blocked', 'another tab holds an older version of the database open')
      : new StoreError('unavailable', `the database did not open within ${OPEN_MS} ms`);
  }
}

function closed() {
  return new StoreError('closed', 'the store was closed');
}
