// What a store of sessions with a storage does, whatever the storage is: the same checks run in Node and in browsers.
// A check is given the package and `storage()`, a store of this package over one and the same place at each call.

const user = { kind: 'user' };
const model = { provider: 'p', model: 'm' };
const text = (words) => [{ type: 'text', text: words }];

function need(is, what) {
  if (!is) throw new Error(what);
}

function same(found, wanted, what = 'the values') {
  const [a, b] = [found, wanted].map((value) => JSON.stringify(value));
  need(a === b, `${what} differ: found ${a?.slice(0, 600)}, wanted ${b?.slice(0, 600)}`);
}

async function refused(promise, code, name = 'SessionError') {
  const error = await promise.then(() => undefined, (thrown) => thrown);
  need(error !== undefined, `not refused (${code})`);
  same([error.name, error.code], [name, code], 'name and code');
  return error;
}

/** One turn of a chat whose reply comes in so many chunks. */
function turn(session, number, chunks = 5, words = 'word ') {
  session.append('turn/start', { turn: number, trigger: { kind: 'message', source: user } });
  session.append('user/message', { content: text(`question ${number}`), source: user }, { surfaceOp: 'append' });
  step(session, number, chunks, words);
  session.append('turn/end', { turn: number, reason: { kind: 'completed' } });
}

function step(session, number, chunks, words) {
  session.append('step/start', { turn: number, step: 1 });
  const at = session.seq;
  for (let n = 0; n < chunks; n += 1) {
    session.append('assistant/chunk', { turn: number, step: 1, chunk: { type: 'text-delta', index: 0, text: `${words}${n}` } });
  }
  const sourceEventSeqs = Array.from({ length: chunks }, (_, n) => at + n);
  const data = { turn: number, step: 1, content: text(words.repeat(chunks)), provenance: model };
  session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs });
  session.append('step/end', { turn: number, step: 1 });
}

const stateOf = (session) => ({
  header: session.header,
  messages: session.deriveMessages(),
  nodes: session.surface.nodes,
  generation: session.surface.replaceGeneration,
  request: session.requestHeader(),
  events: session.events,
});

/** A pseudo-random generator with a seed, so that a failure can be had again. */
function numbersFrom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const checks = {
  async 'a flushed session comes back as it was'({ createSessionStore }, storage) {
    const [one, two] = [0, 1].map(() => createSessionStore({ storage: storage() }));
    const session = one.create('chat', { meta: { cwd: '/work', createdAt: 5 } });
    await refused(two.open('chat'), 'session_not_found');
    session.append('request/header', { header: { config: model, system: 's' }, reason: 'initial' });
    for (let number = 1; number <= 3; number += 1) turn(session, number);
    await one.flush(session);
    const again = await two.open('chat');
    same(stateOf(again), stateOf(session));
    need(again !== session && (await two.open('chat')) === again && two.get('chat') === again, 'it is live, once');
    need(again.events[2] === again.events[2] && Object.isFrozen(again.events[2].data.content), 'events are frozen');
    need(again.deriveMessages()[0].content === again.events[2].data.content, 'messages share what their events hold');
    turn(again, 4);
    same(again.events.map(({ seq }) => seq), Array.from({ length: again.seq }, (_, seq) => seq));
    await two.flush(again);
    same(stateOf(await reopened(createSessionStore, storage, 'chat')), stateOf(again));
  },

  async 'the end of a turn writes by itself, and what is appended later is written behind it'({ createSessionStore }, storage) {
    const store = createSessionStore({ storage: storage(), window: 20 });
    const session = store.create('chat');
    turn(session, 1);
    await until(async () => (await lengthOf(createSessionStore, storage, 'chat')) === session.seq);
    session.append('turn/start', { turn: 2, trigger: { kind: 'message', source: user } });
    await until(async () => (await lengthOf(createSessionStore, storage, 'chat')) > session.seq);
    same((await reopened(createSessionStore, storage, 'chat')).events.at(-1).data.reason, { kind: 'interrupted' });
  },

  async 'what is stored is listed by its headers, in the order of creation, and can be removed'({ createSessionStore }, storage) {
    const store = createSessionStore({ storage: storage() });
    for (const [id, createdAt] of [['b', 2], ['a', 1], ['none', 3], ['c', 2]]) store.create(id, { meta: { createdAt } });
    for (const id of ['b', 'a', 'c']) {
      turn(store.get(id), 1);
      await store.flush(store.get(id));
    }
    const other = createSessionStore({ storage: storage() });
    same((await other.stored()).map(({ id, version }) => [id, version]), [['a', 0], ['b', 0], ['c', 0]]);
    await other.remove('b');
    await other.remove('never there');
    same((await other.stored()).map(({ id }) => id), ['a', 'c']);
    await refused(other.open('b'), 'session_not_found');
    store.get('b').append('step/start', { turn: 2, step: 1 });
    await refused(store.flush(store.get('b')), 'conflict');
    let disposed;
    other.on('session/disposed', ({ id }) => (disposed = id));
    await other.open('c');
    await other.remove('c');
    same([disposed, other.get('c')], ['c', undefined]);
    const anew = other.create('c');
    turn(anew, 1);
    await other.flush(anew);
    same((await reopened(createSessionStore, storage, 'c')).seq, anew.seq);
  },

  async 'a turn that was interrupted is closed, and its writer is not in the way of who only looks'({ createSessionStore, interruptedTurnClosers }, storage) {
    const [one, two] = [0, 1].map(() => createSessionStore({ storage: storage() }));
    const session = one.create('chat');
    turn(session, 1);
    session.append('turn/start', { turn: 2, trigger: { kind: 'message', source: user } });
    session.append('step/start', { turn: 2, step: 1 });
    const call = { type: 'tool-call', id: 'c', name: 'n', arguments: '{}' };
    session.append('assistant/message', { turn: 2, step: 1, content: [call], provenance: model }, { surfaceOp: 'append' });
    await one.flush(session);
    const seen = await two.open('chat');
    const closers = interruptedTurnClosers(session.events);
    same(closers.map(({ type }) => type), ['tool/result', 'step/end', 'turn/end']);
    same(seen.events, [...session.events, ...closers]);
    // Who looks writes nothing, so the turn goes on.
    session.append('tool/result', { turn: 2, step: 1, callId: 'c', content: text('r'), isError: false }, { surfaceOp: 'append' });
    session.append('step/end', { turn: 2, step: 1 });
    session.append('turn/end', { turn: 2, reason: { kind: 'completed' } });
    await one.flush(session);
    await refused(two.flush(seen), 'conflict');
    same((await reopened(createSessionStore, storage, 'chat')).events, session.events);
  },

  async 'of two writers the second one has a conflict, loses nothing, and goes on as a fork'({ createSessionStore }, storage) {
    const warnings = [];
    const [one, two] = [0, 1].map(() => createSessionStore({ storage: storage(), warn: (warning) => warnings.push(warning) }));
    const first = one.create('chat');
    turn(first, 1);
    await one.flush(first);
    const second = await two.open('chat');
    turn(first, 2, 3, 'one ');
    turn(second, 2, 3, 'two ');
    await one.flush(first);
    const { details } = await refused(two.flush(second), 'conflict');
    same(details, { stored: first.seq, own: first.seq - 9 });
    await refused(two.flush(second), 'conflict');
    await refused(two.close(second), 'conflict');
    turn(second, 3);
    turn(second, 4);
    await refused(two.flush(second), 'conflict');
    need(warnings.length <= 1, `it is told of once: ${warnings.join('; ')}`);
    const fork = two.fork(second, undefined, 'fork');
    await two.flush(fork);
    turn(first, 3);
    await one.flush(first);
    same((await reopened(createSessionStore, storage, 'chat')).events, first.events);
    const stored = await reopened(createSessionStore, storage, 'fork');
    same(stored.events, second.events);
    same([stored.header.parentSession, stored.header.seedLength], ['chat', second.seq]);
    await two.close(second, { discard: true });
    same((await two.open('chat')).events, first.events);
  },

  async 'a session made anew under a stored id is refused, one that begins the same goes on'({ createSessionStore }, storage) {
    const [one, two, three] = [0, 1, 2].map(() => createSessionStore({ storage: storage(), warn: () => {} }));
    const session = one.create('chat', { meta: { cwd: '/a' } });
    turn(session, 1);
    await one.flush(session);
    const other = two.create('chat', { meta: { cwd: '/a' } });
    turn(other, 1, 2, 'other ');
    await refused(two.flush(other), 'conflict');
    const elsewhere = three.create('chat', { seed: session.events, meta: { cwd: '/b' } });
    await refused(three.flush(elsewhere), 'conflict');
    const four = createSessionStore({ storage: storage() });
    const copy = four.create('chat', { seed: session.events, meta: { cwd: '/a' } });
    turn(copy, 2);
    await four.flush(copy);
    same((await reopened(createSessionStore, storage, 'chat')).events, copy.events);
  },

  async 'ids and data of every kind survive'({ createSessionStore }, storage) {
    const ids = ['', '__proto__', 'a/b%c', '\u0000', 'half \ud83d', 'é😀', 'x'.repeat(2_000)];
    let deep = 'end';
    for (let level = 0; level < 5_000; level += 1) deep = [deep];
    const data = { ...JSON.parse('{"__proto__":{"x":1},"2":0,"1":[1e21,5e-324,-1.5]}'), half: '\udc00\ud83d', deep };
    const store = createSessionStore({ storage: storage() });
    for (const id of ids) {
      const session = store.create(id);
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: user } });
      session.append('plugin/any', data);
      session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
      await store.flush(session);
    }
    const other = createSessionStore({ storage: storage() });
    same((await other.stored()).map(({ id }) => id).toSorted(), ids.toSorted());
    for (const id of ids) {
      const found = (await other.open(id)).events[1].data;
      need(Object.hasOwn(found, '__proto__') && found.half === data.half, `${id}: the data`);
      same(Object.keys(found), Object.keys(data));
    }
  },

  async 'many small writes and large events are read in order'({ createSessionStore }, storage) {
    const store = createSessionStore({ storage: storage() });
    const session = store.create('chat');
    for (let number = 1; number <= 80; number += 1) {
      turn(session, number, number % 7, number === 40 ? 'é'.repeat(50_000) : 'w ');
      await store.flush(session);
      if (number % 20 === 0) same((await reopened(createSessionStore, storage, 'chat')).events, session.events);
    }
  },

  async 'shapes that could not be read again are refused at append'({ createSessionStore }, storage) {
    const session = createSessionStore({ storage: storage() }).create('chat');
    const bare = { turn: 1, step: 1, content: [] };
    for (const [code, ...append] of [
      ['seed_prov', 'assistant/message', bare, { surfaceOp: 'append' }],
      ['seed_header', 'request/header', { header: { config: {} }, reason: 'initial' }],
      ['seed_envelope', 5, {}],
    ]) await refused((async () => session.append(...append))(), code);
    same(session.seq, 0);
  },

  async 'a store without storage says so'({ createSessionStore }) {
    const store = createSessionStore();
    for (const call of [store.open('a'), store.stored(), store.remove('a'), store.transcript('a')]) await refused(call, 'no_storage');
    for (const given of [{ storage: {} }, { storage: 'idb' }, { window: -1 }]) {
      await refused((async () => createSessionStore(given))(), 'invalid', 'ValidationError');
    }
  },

  async 'ids that are minted are not those of another visit'({ createSessionStore }, storage) {
    for (let visit = 1; visit <= 3; visit += 1) {
      const store = createSessionStore({ storage: storage() });
      for (const session of [store.create(), store.create()]) {
        turn(session, 1);
        await store.flush(session);
      }
      same((await store.stored()).length, 2 * visit);
    }
  },

  async 'a session that is removed while its listeners are told leaves afterwards, once'({ createSessionStore }, storage) {
    const store = createSessionStore({ storage: storage() });
    const told = [];
    const removals = [];
    store.on('session/event', (session, { type }) => {
      told.push(type);
      if (type === 'turn/start') removals.push(store.remove(session.id), store.remove(session.id));
    });
    store.on('session/event', ({ id }, { type }) => told.push(`${type} again, live ${store.get(id) !== undefined}`));
    store.on('session/disposed', ({ id }) => told.push(`${id} disposed`));
    const session = store.create('chat');
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: user } });
    await Promise.all(removals);
    same(told, ['turn/start', 'turn/start again, live true', 'chat disposed']);
    same([session.seq, store.get('chat'), (await store.stored()).length], [1, undefined, 0]);
  },

  async 'a transcript is kept beside its session, and goes on from where it was'({ createSessionStore, HistoryState }, storage) {
    const [one, two] = [0, 1].map(() => createSessionStore({ storage: storage() }));
    const session = one.create('chat');
    const view = new HistoryState();
    same(await two.transcript('chat'), undefined);
    for (let number = 1; number <= 25; number += 1) {
      turn(session, number, 3);
      view.follow(session);
      if (number % 3 === 0) await one.saveTranscript('chat', view);
    }
    view.push({ type: 'novel', payload: { half: '\ud83d', text: 'x'.repeat(70_000) } });
    await one.saveTranscript('chat', view);
    await one.flush(session);
    const again = await two.transcript('chat');
    same(again.snapshotText(), view.snapshotText());
    const stored = await two.open('chat');
    turn(stored, 26, 3);
    same(again.follow(stored).length, view.length + 2);
    // Both save, in turns; what was saved last counts, whole.
    again.truncateAfter(20);
    await two.saveTranscript('chat', again);
    same((await one.transcript('chat')).snapshotText(), again.snapshotText());
    view.push({ type: 'loading', payload: { message: 'm' } });
    await one.saveTranscript('chat', view);
    same((await two.transcript('chat')).snapshotText(), view.snapshotText());
    await refused(two.saveTranscript('chat', {}), 'invalid', 'ValidationError');
    await two.remove('chat');
    same(await one.transcript('chat'), undefined);
  },

  async 'a closed session is stored, and live no more'({ createSessionStore }, storage) {
    const store = createSessionStore({ storage: storage() });
    const session = store.create('chat');
    turn(session, 1);
    await store.close(session);
    same([store.get('chat'), store.list().length], [undefined, 0]);
    await refused(store.flush(session), 'session_not_live');
    same((await store.open('chat')).events, session.events);
  },

  async 'any program of appends, flushes and forks is read as it was'({ createSessionStore, writeSessionLog }, storage) {
    for (let seed = 1; seed <= 12; seed += 1) {
      const pick = numbersFrom(seed);
      const store = createSessionStore({ storage: storage(), window: pick(3) * 10 });
      let session = store.create(`program ${seed}`);
      for (let number = 1; number <= 12; number += 1) {
        turn(session, number, pick(9), 'abc\ud83d'.slice(pick(4)));
        if (pick(4) === 0) {
          const { nodes } = session.surface;
          const [from, to] = [pick(nodes.length), pick(nodes.length)].toSorted((a, b) => a - b);
          const intent = { surfaceOp: { op: 'replace', start: nodes[from], end: nodes[to] }, sourceEventSeqs: nodes.slice(from, to + 1) };
          session.append('user/message', { content: text('summary'), source: user }, intent);
        }
        if (pick(3) === 0) await store.flush(session);
        if (pick(6) === 0 && session.events.at(-1).type === 'turn/end') session = store.fork(session);
        if (pick(6) === 0) {
          const { id } = session;
          await store.close(session);
          session = await store.open(id);
        }
      }
      await store.flush(session);
      const again = await reopened(createSessionStore, storage, session.id);
      same(stateOf(again), stateOf(session), `seed ${seed}: the states`);
      same(writeSessionLog(again.header, again.events), writeSessionLog(session.header, session.events));
      for (const { id } of await store.stored()) await store.remove(id);
    }
  },
};

async function until(holds) {
  for (let tries = 0; !(await holds()); tries += 1) {
    need(tries < 200, 'it does not come about');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const reopened = (createSessionStore, storage, id) => createSessionStore({ storage: storage() }).open(id);

/** How many events there are, closers included; 0 for a session that is not stored. */
async function lengthOf(createSessionStore, storage, id) {
  return reopened(createSessionStore, storage, id).then(({ seq }) => seq, () => 0);
}
