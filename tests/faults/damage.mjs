// Stored records that are mutated, cut short, exchanged or gone: no trap, and no loss that nobody is told of.
import { launch } from '../browser/engines/index.mjs';

/** Sessions damaged at once in a page; more would take one evaluation too long. */
const BATCH = 50;
const FAULT = 'stored record mutated or truncated';

/** Runs in a page: writes sessions of several shapes, damages one value or two of each, and reads them. */
async function damageBatch({ seed, batch, count }) {
  const { seeded } = await import('/random.mjs');
  const { between } = seeded(seed, 'damage', batch);
  const below = (limit) => between(0, limit - 1);
  const name = `damage-${batch}`;
  const problems = [];
  const store = lab.createIndexedDbStore({ name });
  const wanted = new Map();
  for (let index = 0; index < count; index += 1) {
    const session = `s${index}`;
    const entries = lab.turns(session, below(80) + 1);
    if (below(5) === 0) entries.push(lab.turn(session, 'large', { text: 'x'.repeat(130_000) }));
    if (below(3) === 0) await store.replace(session, entries);
    else await Promise.all(entries.map((entry) => store.append(session, entry)));
    wanted.set(session, entries.map((entry) => JSON.stringify(entry)));
  }
  await store.append('untouched', lab.turn('untouched', 'a'));
  await store.close();
  // A note of what is there, old enough to be sure of: without it nobody could miss a session whose only value is gone.
  const note = `turnlog:${name}:canary`;
  const entries = 1 + [...wanted.values()].reduce((sum, texts) => sum + texts.length, 0);
  const { generation } = JSON.parse(localStorage[note]);
  localStorage[note] = JSON.stringify({ generation, sessions: count + 1, entries, noted: Date.now() - 60_000 });

  const touched = new Set();
  await lab.tamper(name, async (chunks, heads, resultOf) => {
    const keys = { chunks: await resultOf(chunks.getAllKeys()), heads: await resultOf(heads.getAllKeys()) };
    for (let index = 0; index < count; index += 1) {
      const session = `s${index}`;
      const inHeads = below(3) === 0;
      // Of the heads the newest: nobody looks at the others while it is sound.
      const own = keys[inHeads ? 'heads' : 'chunks'].filter(([of]) => of === session).slice(inHeads ? -1 : 0);
      const place = inHeads ? heads : chunks;
      const key = own[below(own.length)];
      if (key === undefined) continue;
      const value = await resultOf(place.get(key));
      const at = below(value.length);
      const ways = [
        () => value.map((byte, position) => (position === at ? byte ^ (1 << below(8)) : byte)),
        () => value.slice(0, at),
        () => new Uint8Array([...value, below(256)]),
        () => ['text', 7, null, { length: 1e9 }, new Uint8Array(), new ArrayBuffer(9)][below(6)],
        () => undefined,
      ];
      const damaged = ways[below(ways.length + 1)];
      if (damaged === undefined) {
        // The value of another key, perhaps of another session; a head that was the session's own before is a write undone.
        const others = inHeads ? keys.heads.filter(([of]) => of !== session) : keys.chunks;
        const other = await resultOf(place.get(others[below(others.length)]));
        place.put(other, key);
      } else {
        const now = damaged();
        // Without its newest row alone a session is as before its last write, which is no damage.
        if (now === undefined) place.delete(inHeads ? IDBKeyRange.bound([session], [session, []]) : key);
        else place.put(now, key);
      }
      touched.add(session);
    }
  });

  const again = lab.createIndexedDbStore({ name });
  const listed = await lab.outcome(again.sessions());
  if (listed.code !== undefined && !['version_too_new', 'evicted'].includes(listed.code)) problems.push(`sessions(): ${listed.code} ${listed.message}`);
  for (const [session, texts] of wanted) {
    const { value, code, message } = await lab.outcome(again.get(session));
    if (code !== undefined) {
      if (code !== 'version_too_new') problems.push(`${batch} ${session}: ${code} ${message}`);
      continue;
    }
    const found = value.map((entry) => JSON.stringify(entry));
    let next = 0;
    for (const text of found) {
      next = texts.indexOf(text, next) + 1;
      if (next === 0) problems.push(`${batch} ${session}: an entry that was not written, or out of order`);
    }
    if (found.length < texts.length) {
      const isGone = found.length === 0 && listed.code !== undefined;
      const told = isGone || (await again.damaged()).some(({ sessionId }) => sessionId === session);
      if (!told) problems.push(`${batch} ${session}: ${texts.length - found.length} entries lost in silence`);
    }
    const appended = await lab.outcome(again.append(session, lab.turn(session, 'after')));
    if (appended.value !== 'inserted') problems.push(`${batch} ${session}: append afterwards ${appended.code}`);
  }
  const other = await lab.ids(again, 'untouched');
  if (other.join() !== 'a') problems.push(`${batch}: an untouched session reads ${other}`);
  await again.close();
  await lab.deleteDatabase(name);
  return { problems, touched: touched.size };
}

export async function damage({ engine, site, state, wanted, progress }) {
  if (state.runs(engine, FAULT) >= wanted) return;
  const browser = await launch({ engine, site });
  try {
    let tab = await browser.open();
    for (let batch = Math.round(state.runs(engine, FAULT) / BATCH); state.runs(engine, FAULT) < wanted; batch += 1) {
      await tab.evaluate(() => lab.ready.then(() => undefined));
      const { problems, touched } = await tab.evaluate(damageBatch, { seed: state.seed, batch, count: BATCH });
      state.add(engine, { problems }, FAULT, touched);
      if (batch % 10 === 9) {
        await state.save();
        progress(`${state.runs(engine, FAULT)} of ${wanted}`);
        // A fresh page, so that nothing of the last ones is in memory.
        await tab.close();
        tab = await browser.open();
      }
    }
    await state.save();
  } finally {
    await browser.close();
  }
}
