// Summaries in the place of what they sum up (spec 2-session.md, section 13).

import { core } from '../core.js';
import { ContextError, frozenOf } from '../glue.js';
import { Session, innerOf } from '../session/session.js';
import { buildContext } from './requests.js';
import { counterIn } from './tokens.js';
import { bytesOf, optionsIn, refuse } from './values.js';

const encoder = new TextEncoder();
const COMPACT = Object.freeze({ kind: 'plugin', plugin: 'compact' });

export function planCompaction(session, target) {
  const { nodes, text } = innerOf(sessionIn(session)).surface();
  const { countTokens, others } = optionsIn(target, ['countTokens']);
  const count = counterIn(countTokens);
  const plan = core().planCompaction(text(nodes), Uint32Array.from(nodes), bytesOf(others), count);
  return plan === undefined ? undefined : frozenOf(plan);
}

export function applyCompaction(session, range, summary) {
  const said = typeof summary === 'string' ? { text: summary } : summary;
  if (typeof said?.text !== 'string' || said.text.trim() === '') refuse('summary', 'must be a text that is not blank');
  const replaced = replacedBy(sessionIn(session), range ?? {});
  const open = turnOf(session);
  const { turn } = open;
  if (open.isCompacting) throw new ContextError('compacting', 'another compaction of this session is not over');
  if (!open.isOpen) session.append('turn/start', { turn, trigger: { kind: 'injection', source: COMPACT } });
  const { seq } = session.append('compact/start', { turn });
  let message;
  try {
    message = replace(session, replaced, seq, said);
  } catch (error) {
    end(session, open, String(error?.message ?? error));
    throw error;
  }
  end(session, open);
  return message;
}

function replace(session, { start, end, shadowed, tokens }, began, { text, provider = 'unknown', model = 'unknown', maxTokens }) {
  const { seq } = session.append('compact/summary', {
    summary: text,
    shadowedRange: { start, end },
    shadowedSeqs: shadowed,
    shadowedTokenCount: tokens,
    provider,
    model,
    ...(maxTokens !== undefined && { maxTokens }),
  });
  return session.append(
    'user/message',
    { content: [{ type: 'text', text }], source: COMPACT },
    { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs: [began, seq, ...shadowed] },
  );
}

/** Ends the compaction, and the turn if it was begun for it. */
function end(session, { turn, isOpen }, message) {
  const hasFailed = message !== undefined;
  session.append('compact/end', hasFailed ? { turn, error: message } : { turn });
  if (isOpen) return;
  session.append('turn/end', { turn, reason: hasFailed ? { kind: 'error', step: 0, message } : { kind: 'completed' } });
}

/** The estimate for what events say, where the plan did not count. */
function tokensOf(session, seqs) {
  const { at } = innerOf(session);
  const messages = seqs.map((seq) => session.deriveEventMessage(at(seq))).filter((message) => message !== null);
  return buildContext(messages, { maxInputTokens: Number.MAX_SAFE_INTEGER, unknownBlocks: 'keep' }).tokens;
}

/** A range of the surface, the events it holds and their tokens. It may part no call from its result. */
function replacedBy(session, { start, end, tokens }) {
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
  const shadowed = nodes.slice(first, last + 1);
  return { start, end, shadowed, tokens: tokens ?? tokensOf(session, shadowed) };
}

/** The turn that is open, or else the next one; and whether a compaction began in it and did not end. */
function turnOf(session) {
  const { at } = innerOf(session);
  let lastOfOurs;
  for (let seq = session.seq - 1; seq >= 0; seq--) {
    const { type, data } = at(seq);
    if (type === 'compact/start' || type === 'compact/end') lastOfOurs ??= type;
    if (type === 'turn/end') return { turn: data.turn + 1, isOpen: false, isCompacting: false };
    if (type === 'turn/start') return { turn: data.turn, isOpen: true, isCompacting: lastOfOurs === 'compact/start' };
  }
  return { turn: 1, isOpen: false, isCompacting: false };
}

const sessionIn = (session) => (session instanceof Session ? session : refuse('session', 'must be a Session'));
