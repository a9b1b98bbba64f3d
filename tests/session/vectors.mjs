// Runs the session vectors (tests/fixtures/session.json) on the package: in Node, and in a page. What a vector expects of the
// reference is compared by value and key order, its errors by code.
import { decode, deepFrozen, encode } from './codec.mjs';

/** What asks for files and for validators that are the reference's own. */
const NOT_RUN = ['encodeSegment', 'persist.file', 'persist.list', 'persist.load', 'store.vetoOnce'];
/** What the document leaves to the implementer; session.test.mjs says what is done here. */
const OURS = /^json\/(array with extra own|object with symbol|object with non-enumerable|deep array)|^header\/append malformed|^persist\/scan header version/;

/** The code of ours for one of the reference's (spec 16). */
export function codeOf(reference) {
  return reference.replace(/^seed:/, '').replace(/^E-/, '').toLowerCase().replaceAll('-', '_');
}

class World {
  sessions = new Map();
  observed = [];
  warnings = [];
  env = {};

  constructor(turnlog, { invariants = false }) {
    this.turnlog = turnlog;
    this.store = turnlog.createSessionStore({ invariants, warn: (text) => this.warnings.push(text) });
  }

  on(op) {
    return this.sessions.get(op.on ?? 'main');
  }

  value(node) {
    return decode(node, this.env);
  }

  events(op) {
    return op.events === undefined ? this.on(op).events : this.value(op.events);
  }

  run(op) {
    const { turnlog } = this;
    const session = this.on(op);
    switch (op.op) {
      case 'append': {
        const event = session.append(this.value(op.type), this.value(op.data), this.value(op.opts));
        return op.quiet ? event.seq : event;
      }
      case 'appendMany':
        return op.list.map((given) => session.append(...this.value(given))).at(-1).seq;
      case 'seq':
        return session.seq;
      case 'id':
        return session.id;
      case 'header':
        return session.header;
      case 'events':
        return session.events;
      case 'eventTypes':
        return session.events.map(({ type }) => type);
      case 'eventLines':
        return session.events.map((event) => JSON.stringify(event));
      case 'deriveMessages':
        return session.deriveMessages();
      case 'deriveEventMessage':
        return turnlog.deriveEventMessage(op.event === undefined ? session.events[op.seq] : this.value(op.event));
      case 'deriveDigest': {
        const messages = session.deriveMessages();
        const roles = messages.map(({ role }) => role[0]).join('');
        return { count: messages.length, roles, chars: JSON.stringify(messages).length };
      }
      case 'surface': {
        const { nodes, replaceGeneration } = session.surface;
        return { nodes, replaceGeneration };
      }
      case 'surfaceIdentity': {
        const { surface } = session;
        const nodesFrozen = Object.isFrozen(surface.nodes);
        return { stable: surface === session.surface, nodesFrozen, headerFrozen: Object.isFrozen(session.header) };
      }
      case 'eventsIdentity':
        return this.eventsIdentity(session, op);
      case 'mutateAfterAppend':
        return this.mutateAfterAppend(session, op);
      case 'getterReads':
        return this.env.reads[op.id];
      case 'requestHeader':
        return session.requestHeader();
      case 'foldSurface':
        return turnlog.foldSurface(this.events(op));
      case 'foldRequestHeader':
        return turnlog.foldRequestHeader(this.events(op), this.value(op.from));
      case 'canonicalHeader':
        return turnlog.canonicalHeader(this.value(op.header));
      case 'closers':
        return turnlog.interruptedTurnClosers(this.events(op));
      case 'assemble':
        return turnlog.assembleChunks(this.value(op.chunks));
      case 'pairing':
        return this.pairing(session, op);
      case 'isJsonValue':
        return turnlog.isJsonValue(this.value(op.value));
      case 'snapshotJsonValue':
        return this.snapshotJsonValue(this.value(op.value));
      case 'headerLine':
        return turnlog.writeSessionLog(this.value(op.header), []).trimEnd();
      case 'scanLog': {
        const { header, events, committedBytes } = turnlog.readSessionLog(op.text);
        return { meta: header, events, committedBytes };
      }
      case 'new':
        this.sessions.set(op.as, new turnlog.Session(op.id, this.sessions.get(op.seedFrom).events));
        return 'constructed';
      default:
        return this.runStore(op, session);
    }
  }

  runStore(op, session) {
    switch (op.op) {
      case 'store.create': {
        const created = this.store.create(this.value(op.id), this.value(op.options));
        this.sessions.set(op.as, created);
        return { id: created.id, header: created.header, seq: created.seq };
      }
      case 'store.get':
        return this.store.get(op.id) !== undefined;
      case 'store.list':
        return this.store.list().map(({ id }) => id);
      case 'store.fork':
        return this.fork(op);
      case 'store.flush':
        // The promise is the result; `runCase` waits for it.
        return this.store.flush(session).then(() => 'flushed');
      case 'store.observe':
        this.observe(op);
        return 'registered';
      case 'store.observed':
        return this.observed;
      default:
        throw new Error(`no op ${op.op}`);
    }
  }

  fork(op) {
    const { ref, id } = op.source;
    const source = ref === undefined ? (id ?? this.value(op.source)) : this.sessions.get(ref);
    const child = this.store.fork(source, this.value(op.boundary), this.value(op.childId));
    this.sessions.set(op.as, child);
    const types = child.events.map(({ type }) => type);
    const distinctObjects = typeof source === 'string' ? undefined : child.events.every((event, at) => event !== source.events[at]);
    return { id: child.id, header: child.header, seq: child.seq, types, distinctObjects };
  }

  pairing(session, { side, seqs }) {
    const question = side === 'before' ? 'isBalancedBefore' : 'isBalancedAfter';
    return seqs.map((seq) => {
      try {
        return this.turnlog.toolPairing(session.events)[question](seq);
      } catch {
        return { throw: 'E-OTHER' };
      }
    });
  }

  observe({ event, behaviour }) {
    if (event === 'session/created') {
      this.store.on(event, (session) => this.observed.push(`${event}:${session.id}`));
      return;
    }
    this.store.on('session/event', (session, event) => {
      this.observed.push(`${session.id}:${event.type}@${event.seq}`);
      if (behaviour === 'throw') throw new Error('observer boom');
      if (behaviour === 'reject') return Promise.reject(new Error('observer reject'));
      if (behaviour === 'reentrant') session.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
      return undefined;
    });
  }

  eventsIdentity(session, op) {
    const before = session.events;
    const [cached, length] = [before === session.events, before.length];
    const event = session.append(op.type, this.value(op.data));
    const after = session.events;
    return {
      cached,
      frozen: Object.isFrozen(before),
      deepFrozen: deepFrozen(after),
      oldUnchanged: before.length === length,
      newArray: before !== after,
      sameEventObjects: before.every((each, at) => each === after[at]) && after.at(-1) === event,
    };
  }

  mutateAfterAppend(session, op) {
    const data = this.value(op.data);
    const returned = session.append(op.type, data, this.value(op.opts));
    const place = op.path.slice(0, -1).reduce((at, key) => at[key], data);
    place[op.path.at(-1)] = op.value;
    return { returned, logged: session.events[returned.seq], same: returned === session.events[returned.seq] };
  }

  snapshotJsonValue(value) {
    const copy = this.turnlog.snapshotJsonValue(value);
    const accepted = copy !== undefined;
    const isObject = typeof value === 'object' && value !== null;
    return { accepted, value: copy, detached: accepted && isObject ? copy !== value : null };
  }
}

/** What a case gives, op by op: `{ok}`, `{throw}` or `{notRun}`. */
async function runCase(turnlog, { input }) {
  const world = new World(turnlog, input);
  const results = [];
  const attempt = async (work) => {
    try {
      results.push({ ok: encode(await work()) });
      return true;
    } catch (error) {
      results.push({ throw: error.code ?? `no code: ${error}`, index: error.details?.index, message: String(error.stack ?? error) });
      return false;
    }
  };
  const { id = 's', seed, header } = input.session ?? {};
  const make = () => {
    const [given, kept] = [world.value(seed), world.value(header)];
    world.sessions.set('main', new turnlog.Session(world.value(id), given, kept));
    return 'constructed';
  };
  if (input.session === undefined) make();
  else if (!(await attempt(make))) return results;
  for (const op of input.ops ?? []) {
    if (NOT_RUN.includes(op.op)) results.push({ notRun: op.op });
    else if ((op.on ?? 'main') !== 'main' && world.on(op) === undefined && !op.op.startsWith('store.')) results.push({ notRun: 'no session' });
    else await attempt(() => world.run(op));
  }
  return results;
}

function matches(found, expected, op) {
  if (found.notRun !== undefined || expected.skip !== undefined) return true;
  if (expected.throw !== undefined) {
    if (expected.throw === 'E-OTHER') return found.throw !== undefined;
    const isAt = !expected.throw.startsWith('seed:') || typeof found.index === 'number';
    return found.throw === codeOf(expected.throw) && isAt;
  }
  if (found.throw !== undefined) return false;
  const [ours, theirs] = [found.ok, expected.ok];
  // The texts of warnings are ours.
  const plain = op?.op === 'store.observed' ? [ours, theirs.observed] : [ours, theirs];
  return JSON.stringify(plain[0]) === JSON.stringify(plain[1]);
}

/** Runs all; gives how many results were compared, and what differs. The clock stands. */
export async function runVectors(turnlog, cases) {
  const now = Date.now;
  Date.now = () => 1_700_000_000_000;
  try {
    let compared = 0;
    const problems = [];
    for (const each of cases) {
      // A veto before the commit is the reference's own machinery; `invariants` is ours.
      const isVeto = each.input.ops?.some(({ op }) => op === 'store.vetoOnce');
      if (OURS.test(each.name) || isVeto) continue;
      const results = await runCase(turnlog, each);
      const { ops = [], ...rest } = each.input;
      const all = rest.session === undefined ? ops : [undefined, ...ops];
      each.expected.forEach((expected, at) => {
        const found = results[at] ?? { throw: 'nothing' };
        if (found.notRun === undefined && expected.skip === undefined) compared += 1;
        if (!matches(found, expected, all[at])) problems.push({ name: each.name, at, op: all[at], found, expected });
      });
    }
    return { compared, problems };
  } finally {
    Date.now = now;
  }
}
