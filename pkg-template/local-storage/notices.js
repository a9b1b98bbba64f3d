// Change notices of a localStorage store. To other pages they come with the data, as `storage` events, which tell
// each page but the one that wrote; to other store objects of this page, from here.

import { Changes } from '../changes.js';
import { isGeneration, parse } from './keys.js';

const here = new Set();

export class Notices extends Changes {
  #prefix;
  #onStorage = (event) => this.#heard(event);

  constructor(prefix) {
    super();
    this.#prefix = prefix;
    here.add(this);
    globalThis.addEventListener?.('storage', this.#onStorage);
  }

  publish(sessionId, kind) {
    super.publish(sessionId, kind);
    for (const other of here) {
      if (other !== this && other.#prefix === this.#prefix)
        queueMicrotask(() => other.tell({ sessionId, kind, local: false }));
    }
  }

  close() {
    super.close();
    here.delete(this);
    globalThis.removeEventListener?.('storage', this.#onStorage);
  }

  #heard({ key, oldValue, newValue, storageArea }) {
    if (key === null || newValue === null || storageArea === globalThis.sessionStorage) return;
    const { kind, id, name } = parse(this.#prefix, key) ?? {};
    if (kind === 'e' && oldValue === null && !name.endsWith('+'))
      this.tell({ sessionId: id, kind: 'append', local: false });
    if (kind !== 's' || !isGeneration(newValue)) return;
    this.tell({ sessionId: id, kind: newValue.endsWith('-') ? 'clear' : 'replace', local: false });
  }
}
