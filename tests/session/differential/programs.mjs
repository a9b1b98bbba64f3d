// Random steps for both: what is appended next, by what the log holds at that moment. A step is four numbers, so that a
// failing program gets shorter and its numbers smaller; 0 stands for the plainest.
//
// The payloads have the fields of both: each derives its messages from its own ones (nos. 3 and 4 of the document's list).
//
// Two things never come up, which the document leaves open. A type that JSON cannot hold: the package keeps it, we refuse it.
// And getters on the intent itself: the package reads those twice, we do so once.

import { Dice } from '../../dice.mjs';
import { anyValue } from './values.mjs';

const text = (words) => [{ type: 'text', text: words }];
const model = { provider: 'p', model: 'm' };

/** What both have on the surface; the two types that only the document has (no. 1) are never appended. */
const SURFACE = ['user/message', 'assistant/message', 'tool/result'];
const LOGGED = [
  'turn/start', 'turn/end', 'step/start', 'step/end', 'assistant/chunk', 'tool/call', 'todo/write', 'prompt/blocked', 'x/y',
  '', '__proto__', 'constructor', 'user/message ', 'User/message', '\ud83d', 5, null,
];

/** Payloads as both write them. */
const SHAPED = {
  'user/message': (dice) => {
    const content = dice.percent(20) ? [] : text(`u${dice.below(100)}`);
    const source = dice.percent(30) ? { kind: 'plugin', plugin: 'compact' } : { kind: 'user' };
    return { id: 'u', role: 'user', content, source };
  },
  'assistant/message': (dice) => {
    const content = dice.percent(30) ? [] : text(`a${dice.below(100)}`);
    const message = { id: 'a', role: 'assistant', content, source: { kind: 'model', ...model } };
    return { turn: 1, step: 1, content, provenance: model, message };
  },
  'tool/result': (dice) => resultOf(`c${dice.below(3)}`, text(`r${dice.below(100)}`), dice.percent(50)),
};

function resultOf(callId, content, isError) {
  const message = { id: 't', role: 'user', content: [{ type: 'tool-result', toolCallId: callId, content, isError }], source: { kind: 'tool', callId } };
  return { turn: 1, step: 1, callId, content, isError, message };
}

/**
 * What a step appends. `data` and `intent` make their values anew at each call, `data` for one session.
 *
 * @param {number[]} step
 * @param {{events: readonly object[], nodes: readonly number[]}} log
 * @returns {{type: unknown, data: (session: object) => unknown, intent: () => unknown, isShaped: boolean}}
 */
export function stepOf([kind, what, how, where], log) {
  const dice = new Dice(what);
  if (kind === 99) return appendInside(how);
  const type = typeOf(kind);
  const rewrite = type === 'tool/result' && dice.percent(40) ? rewriteOf(log, new Dice(where)) : undefined;
  if (rewrite !== undefined) return { type, ...rewrite, isShaped: true };
  const { isShaped, data } = dataOf(type, what, dice);
  return { type, data, intent: () => intentOf(type, new Dice(how), new Dice(where), log), isShaped };
}

/** An event whose data appends another one while it is read, which comes first. */
function appendInside(how) {
  const inner = new Dice(how).percent(50) ? ['x/inner', 1] : ['user/message', SHAPED['user/message'](new Dice(how)), { surfaceOp: 'append' }];
  return {
    type: 'x/outer',
    data: (session) => ({ get a() { return session.append(...inner).seq; } }),
    intent: () => (how % 3 === 0 ? { surfaceOp: 'append' } : undefined),
    isShaped: true,
  };
}

function typeOf(kind) {
  if (kind < 60) return SURFACE[kind % 3];
  if (kind < 66) return 'request/header';
  if (kind < 68) return 'request/header-delta';
  return LOGGED[kind % LOGGED.length];
}

function dataOf(type, what, dice) {
  const chance = dice.below(100);
  const anew = (make) => () => make(new Dice(what + 1));
  if (chance >= 90) return { isShaped: false, data: anew((fresh) => anyValue(fresh, 60)) };
  if (chance >= 82) return { isShaped: !SURFACE.includes(type) && type !== 'request/header', data: anew((fresh) => anyValue(fresh)) };
  if (type === 'request/header') return { isShaped: true, data: anew(headerOf) };
  return { isShaped: true, data: SURFACE.includes(type) ? anew(SHAPED[type]) : () => ({ turn: 1, step: 1 }) };
}

function headerOf(dice) {
  const reason = dice.percent(8) ? 'fallback' : dice.pick(['initial', 'resume', 'change']);
  const header = { config: { ...model, temperature: dice.below(3) } };
  if (dice.percent(40)) header.system = dice.pick(['', 'be kind']);
  if (dice.percent(40)) header.tools = dice.pick([[], [{ name: 'n', description: 'd', parameters: { type: 'object' } }]]);
  return { header, reason };
}

/** A result that replaces another one as the package allows it (no. 11): with other content, and the rest as it was. */
function rewriteOf({ events, nodes }, dice) {
  const results = nodes.filter((seq) => events[seq].type === 'tool/result' && Array.isArray(events[seq].data?.message?.content));
  if (results.length === 0) return undefined;
  const seq = dice.pick(results);
  const { message, ...data } = events[seq].data;
  const content = [{ ...message.content[0], content: text('pruned') }];
  return {
    data: () => ({ ...data, message: { ...message, content } }),
    intent: () => ({ surfaceOp: { op: 'replace', start: seq, end: seq }, sourceEventSeqs: [seq] }),
  };
}

function intentOf(type, dice, where, log) {
  const chance = dice.below(100);
  if (!SURFACE.includes(type)) {
    if (chance < 88) return dice.pick([undefined, null, {}, { surfaceOp: undefined, more: () => 1 }, 5]);
    return { surfaceOp: dice.percent(50) ? undefined : oddOp(dice, log), sourceEventSeqs: sourcesOf(dice, [], log) };
  }
  if (chance < 3) return undefined;
  if (chance < 10) return { surfaceOp: oddOp(dice, log), sourceEventSeqs: sourcesOf(dice, [], log) };
  if (chance < 60 || log.nodes.length === 0) return { surfaceOp: 'append', sourceEventSeqs: sourcesOf(dice, [], log), ignored: NaN };
  const { op, shadowed } = replaceOf(where, log);
  return { surfaceOp: op, sourceEventSeqs: sourcesOf(dice, shadowed, log) };
}

/** A replacement, most often of what is on the surface, and what it takes the place of. */
function replaceOf(dice, { events, nodes }) {
  const pickAny = () => dice.below(events.length + 2);
  if (dice.percent(8)) return { op: { op: 'replace', start: pickAny(), end: pickAny() }, shadowed: [] };
  const [a, b] = [dice.below(nodes.length), dice.below(nodes.length)];
  const [from, to] = dice.percent(8) ? [a, b] : [Math.min(a, b), Math.min(Math.max(a, b), Math.min(a, b) + 3)];
  const [start, end] = [nodes[from], nodes[to]];
  const op = dice.percent(50) ? { op: 'replace', start, end } : { end, op: 'replace', start };
  return { op, shadowed: nodes.slice(from, to + 1) };
}

/** `sourceEventSeqs` that name what is shadowed, or miss one of many things. */
function sourcesOf(dice, shadowed, { events }) {
  const { length } = events;
  const good = dice.shuffled(shadowed);
  const others = Array.from({ length }, (_, seq) => seq).filter((seq) => !shadowed.includes(seq));
  if (good.length === 0 ? dice.percent(60) : dice.percent(4)) return undefined;
  if (dice.percent(75)) return [...good, ...(good.length === 0 || dice.percent(40) ? dice.shuffled(others).slice(0, 2) : [])];
  return dice.pick([
    () => [],
    () => null,
    () => good.slice(1),
    () => [...good, ...good, length - 1, length - 1],
    () => [...good, length],
    () => [length + 5, ...good, length, -1],
    () => [...good, 0.5, length],
    () => [...good, String(length - 1)],
    () => [...good, 2 ** 53, 2 ** 53],
    () => [...good, null],
    () => [...good, [0]],
    () => ({ length: 1, 0: 0 }),
    () => 'append',
    () => 0,
    () => anyValue(dice, 60),
    () => [...good, anyValue(dice, 60)],
    () => Object.assign([...good], { extra: 1 }),
    () => Object.freeze(good),
  ])();
}

/** What is not, or only almost, a `surfaceOp`. */
function oddOp(dice, { nodes }) {
  const node = nodes[0] ?? 0;
  const replace = { op: 'replace', start: node, end: node };
  return dice.pick([
    () => undefined,
    () => null,
    () => 'Append',
    () => 'replace',
    () => 0,
    () => true,
    () => [],
    () => ['append'],
    () => ({}),
    () => ({ ...replace, more: 1 }),
    () => ({ op: 'append', start: node, end: node }),
    () => ({ op: 'replace', start: node }),
    () => ({ op: 'replace', start: node, End: node }),
    () => ({ ...replace, start: String(node) }),
    () => ({ ...replace, end: null }),
    () => ({ ...replace, start: node + 0.5 }),
    () => ({ ...replace, end: -1 }),
    () => ({ ...replace, end: 2 ** 53 }),
    () => ({ ...replace, start: -0 }),
    () => ({ ...replace, op: { op: 'replace' } }),
    () => Object.assign(Object.create(null), replace),
    () => Object.assign(Object.create({ op: 'replace' }), { start: node, end: node }),
    () => anyValue(dice, 60),
  ])();
}

/**
 * A list of events that is almost one of a session: some are changed in one of the ways that a seed, or a fold, looks for.
 * With `isRaw`, values come up that JSON cannot hold.
 */
export function damaged(events, dice, { isRaw }) {
  const list = [...events];
  // Values that throw when they are looked at, which here means spread.
  const odds = new Set();
  for (let count = dice.below(3); count > 0 && list.length > 0; count--) {
    const at = dice.below(list.length);
    const { [at]: event } = list;
    if (typeof event !== 'object' || event === null || odds.has(event)) continue;
    const log = { events: events.slice(0, at), nodes: [...events.keys()].slice(0, at) };
    const odd = () => anyValue(dice, isRaw ? 60 : 20);
    const without = (key) => Object.fromEntries(Object.entries(event).filter(([name]) => name !== key));
    dice.pick([
      () => list.splice(at, 1),
      () => list.splice(at, 0, event),
      () => list.reverse(),
      () => (list[at] = { ...event, seq: dice.pick([at + 1, -1, 0.5, String(at), null, -0, 2 ** 53, at]) }),
      () => (list[at] = { ...event, sourceEventSeqs: sourcesOf(dice, [], log) ?? [0] }),
      () => (list[at] = { ...event, surfaceOp: oddOp(dice, log) ?? null }),
      () => (list[at] = { ...event, surfaceOp: 'append' }),
      () => (list[at] = { ...event, surfaceOp: replaceOf(dice, { events, nodes: log.nodes.length > 0 ? log.nodes : [0] }).op }),
      () => (list[at] = without('surfaceOp')),
      () => (list[at] = without('sourceEventSeqs')),
      () => (list[at] = { ...event, type: dice.pick([...SURFACE, ...LOGGED, 'request/header', 'request/header-delta']) }),
      ...(isRaw ? [] : [
        () => odds.add((list[at] = odd())),
        () => (list[at] = { ...event, data: odd() }),
        () => (list[at] = { ...event, time: dice.pick([0, 1.5, -1, '1', null, NaN, 2 ** 53]) }),
        () => (list[at] = { ...event, [dice.pick(['ignorable', 'more', '__proto_', ''])]: dice.pick([true, false, null, 1]) }),
        () => (list[at] = { ...event, type: odd() }),
        () => (list[at] = without(dice.pick(['type', 'seq', 'time', 'data']))),
        () => (list[at] = { ...event, type: 'request/header-delta', more: 1 }),
        () => (list[at] = { ...event, type: 'request/header', data: { ...headerOf(dice), reason: 'fallback' } }),
        () => (list[at] = { ...event, type: 'request/header', data: { header: { config: { model: 'm' } }, reason: 'fallback' } }),
      ]),
    ])();
  }
  return list;
}
