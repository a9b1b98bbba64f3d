// The npm package that the session's document describes too: what it answers, in our words.
//
// Its errors have texts and no codes. Which of ours each text stands for is section 16 of the document; a text that is not
// there is an error of the test, so that nothing counts as equal because both refused for whatever reason.
//
// The package asks for peers in versions that nobody has published; package.json overrides them with the newest ones. Of
// those the session takes the freezing of messages and what its store is attached with.

import { Session, foldSurface, isJsonValue, snapshotJsonValue } from '@deepseek-ai/dsh-session';

export const reference = {
  create: (id, seed) => Session.create(id, seed),
  foldSurface,
  isJsonValue,
  snapshotJsonValue,
};

const SURFACE = [
  [/^session event seq .* is not contiguous; expected \d+$/, 'seq'],
  [/ is not surface-eligible and cannot carry surfaceOp$/, 'not_eligible_op'],
  [/ is not surface-eligible and cannot carry sourceEventSeqs$/, 'not_eligible_src'],
  [/ is surface-eligible and requires a surfaceOp marker$/, 'marker'],
  [/ carries an invalid surfaceOp$/, 'op'],
  [/ carries an invalid replace surfaceOp$/, 'replace_op'],
  [/^surface replace: start seq \d+ not found in surface$/, 'start'],
  [/^surface replace: end seq \d+ not found in surface$/, 'end'],
  [/^surface replace: start seq .* is after end seq /, 'order'],
  [/^sourceEventSeqs on event at seq .* must be an array when present$/, 'src_array'],
  [/^sourceEventSeqs must not be empty except on assistant\/message$/, 'src_empty'],
  [/ sourceEventSeqs must densely contain non-negative safe integers$/, 'src_int'],
  [/^sourceEventSeqs must not contain duplicates$/, 'src_dup'],
  [/^sourceEventSeqs must reference earlier events: /, 'src_earlier'],
  [/^surface replace: sourceEventSeqs must include every shadowed surface node; missing /, 'cover'],
  // No. 11 of the document's list.
  [/^tool\/result surface replacement /, 'theirs:tool_rule'],
];

const APPEND = [
  [/ carries non-JSON-serializable data$/, 'data_json'],
  [/ carries non-JSON-serializable surface metadata$/, 'meta_json'],
  [/^session event .* uses unsupported legacy request\/header-delta format$/, 'delta'],
  [/^session event .* uses unsupported legacy request\/header reason "fallback"$/, 'fallback'],
];

const SEED = [
  [/ is not losslessly JSON-serializable$/, 'seed_json'],
  [/ uses unsupported legacy request\/header-delta format$/, 'seed_delta'],
  [/ uses unsupported legacy request\/header reason "fallback"$/, 'seed_fallback'],
  [/ has an invalid event envelope$/, 'seed_envelope'],
  [/ has seq .* \(expected \d+\); seed must be contiguous from 0$/, 'seed_seq'],
  [/ lacks provider\/model$/, 'seed_header'],
  // No. 12: the shapes of its messages and headers.
  [/ (lacks an identified message|message must |message has |has an invalid reasoningEffort|has invalid adapterDefaults)/, 'theirs:shape'],
];

/** What a getter of the test's throws: it must come out as it is. */
export class Thrown extends Error {}

/**
 * The code of what either of them threw, and the seed's element that it is about. What stands in no table has no code.
 *
 * @returns {{code: string, index?: number}}
 */
export function refusal(error) {
  if (error instanceof Thrown) return { code: 'thrown' };
  if (error.name === 'SessionError') {
    const { index } = error.details ?? {};
    return { code: error.code, ...(index !== undefined && { index }) };
  }
  const text = String(error.message);
  const seed = /^(?:invalid )?seed (?:event|\S+) at index (\d+)(?:: (.*))?/s.exec(text);
  if (seed === null) return { code: codeIn([...APPEND, ...SURFACE], error, text) };
  const [, index, rest] = seed;
  const isSurface = text.startsWith('invalid ');
  return { code: codeIn(isSurface ? SURFACE : SEED, error, isSurface ? rest : text), index: Number(index) };
}

function codeIn(table, error, text) {
  const code = table.find(([pattern]) => pattern.test(text))?.[1];
  // It reads messages and list elements without looking what they are.
  return code ?? (error instanceof TypeError ? 'theirs:type_error' : `unknown: ${error.name}: ${text}`);
}
