// Summaries in the place of what they sum up (spec 2-session.md, section 13).

import { core } from '../core.js';
import { ContextError, frozenOf, snapshot, textOf } from '../glue.js';
import { refuse } from '../options.js';
import { Session, innerOf } from '../session/session.js';
import { countTokensOf } from './tokens.js';

const encoder = new TextEncoder();
const bytesOf = (value) => encoder.encode(textOf(value));
const COMPACT = Object.freeze({ kind: 'plugin', plugin: 'compact' });

export function planCompaction(session, options) {
  const { countTokens, ...target } = options ?? {};
  const { nodes, text } = innerOf(sessionOf(session)).surface();
  const seqs = Uint32Array.from(nodes);
  const plan = core().planCompaction(text(nodes), seqs, bytesOf(snapshot(target, true)), countTokensOf(countTokens));
  return plan === undefined ? undefined : frozenOf(plan);
}

export function applyCompaction(session, range, summary) {
  const said = typeof summary === 'string' ? { text: summary } : summary;
  if (typeof said?.text !== 'string' || said.text.trim() === '') refuse('summary', 'must be a text that is not blank');
  const shadowed = shadowedBy(sessionOf(session), range);
  const open = openTurn(session);
  if (open.isCompacting) throw new ContextError('compacting', 'another compaction of this session is not over');
  const turn = open.turn ?? session.events.filter(({ type }) => type === 'turn/start').length + 1;
  if (open.turn === undefined) session.append('turn/start', { turn, trigger: { kind: 'injection', source: COMPACT } });
  const { seq: start } = session.append('compact/start', { turn });
  let message;
  let failure;
  try {
    message = replace(session, { range, shadowed, start, said });
  } catch (error) {
    failure = error;
  }
  session.append('compact/end', failure === undefined ? { turn } : { turn, error: String(failure?.message ?? failure) });
  if (open.turn === undefined) {
    session.append('turn/end', { turn, reason: failure === undefined ? { kind: 'completed' } : { kind: 'error' } });
  }
  if (failure !== undefined) throw failure;
  return message;
}

function replace(session, { range: { start: first, end: last, tokens = 0 }, shadowed, start, said }) {
  const { text, provider = 'unknown', model = 'unknown', maxTokens } = said;
  const { seq } = session.append('compact/summary', {
    summary: text,
    shadowedRange: { start: first, end: last },
    shadowedSeqs: shadowed,
    shadowedTokenCount: tokens,
    provider,
    model,
    ...(maxTokens !== undefined && { maxTokens }),
  });
  return session.append(
    'user/message',
    { content: [{ type: 'text', text }], source: COMPACT },
    { surfaceOp: { op: 'replace', start: first, end: last }, sourceEventSeqs: [start, seq, ...shadowed] },
  );
}

/** The events that a range of the surface holds. It may part no call from its result. */
function shadowedBy(session, range) {
  const { start, end } = range ?? {};
  const { nodes } = innerOf(session).surface();
  const [first, last] = [nodes.indexOf(start), nodes.indexOf(end)];
  if (first < 0 || last < first) refuse('range', 'must begin and end with events on the surface, in its order');
  const pairing = new (core().RawPairing)(encoder.encode(innerOf(session).text(0, session.seq)));
  try {
    if (!pairing.isBalanced(start, false) || !pairing.isBalanced(end, true)) {
      throw new ContextError('unbalanced', 'range: parts a tool call from its result', { path: 'range' });
    }
  } finally {
    pairing.free();
  }
  return nodes.slice(first, last + 1);
}

/** The number of the turn that is open, if one is, and whether a compaction began and did not end. */
function openTurn(session) {
  const { at } = innerOf(session);
  let isCompacting;
  for (let seq = session.seq - 1; seq >= 0; seq--) {
    const { type, data } = at(seq);
    if (type === 'compact/start' || type === 'compact/end') isCompacting ??= type === 'compact/start';
    if (type === 'turn/end') return { turn: undefined, isCompacting: false };
    if (type === 'turn/start') return { turn: data.turn, isCompacting: isCompacting === true };
  }
  return { turn: undefined, isCompacting: false };
}

const sessionOf = (session) => (session instanceof Session ? session : refuse('session', 'must be a Session'));
