// Random logs with all that goes wrong in logs, and budgets for them. The same seed always makes the same.
//
// Opaque state says in itself which model it is of (`of PROVIDER/MODEL`), and an item that came behind a reasoning item has
// its number, so that a checker sees from a body alone what may not be in it.

import { Dice as Numbers } from '../../dice.mjs';

/** With what a log is made of. */
export class Dice extends Numbers {
  constructor(seed) {
    // Neighbours are to differ from the first throw on.
    super(Math.imul(seed + 1, 0x9e3779b1));
  }

  /** What one of the makers makes; each stands beside its weight. */
  weighted(...makers) {
    let at = this.below(makers.reduce((sum, [weight]) => sum + weight, 0));
    return makers.find(([weight]) => (at -= weight) < 0)[1]();
  }

  list(most, make) {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}

const HALF = '\ud83d';
const ODD_TEXTS = ['', ' ', '\n\t', '\u00a0', '\u3000\ufeff', HALF, `x\udc00${HALF} `, 'trailing \n', '😀', 'é漢 ', '0', 'null', '"\\', '\u0000'];
const IDS = ['a', 'b', 'c', 'd', '', 'x|y', 'x.y', HALF, 'call_1', 'long'.repeat(20), 'y'.repeat(41), 'é'.repeat(40)];
const ARGUMENTS = [undefined, null, '', ' ', '{"a":"\\ud83d"}', '[1', '"text"', '7', { a: 1 }, '{"a":{"b":[1,2]}}', ' {} '];
const FALSY = [0, '', false, null, [], 'said', { ok: true }];
const ORIGINS = [['anthropic', 'm'], ['anthropic', 'n'], ['openai', 'm'], ['openai.responses', 'm'], ['google', 'm'], ['google', 'n']];

/** The model that requests are made for, by the provider of each API's own name. */
export const MODEL = 'm';

export function randomLog(seed) {
  const dice = new Dice(seed);
  const log = [];
  const groups = 1 + dice.below(14);
  for (let group = 0; group < groups; group++) {
    log.push(
      ...dice.weighted(
        [3, () => [anyMessage(dice)]],
        [3, () => [{ role: role(dice), content: text(dice) }]],
        [2, () => step(dice)],
        [1, () => thinkingStep(dice, log.length)],
        // A message that was stored twice.
        [1, () => (log.length > 0 ? [structuredClone(dice.pick(log))] : [])],
      ),
    );
  }
  if (dice.percent(60)) log.push({ role: 'user', content: 'What now?' });
  return log;
}

/** Options of a budget, of no kind or several. */
export function randomBudget(seed) {
  const dice = new Dice(seed ^ 0x5bd1e995);
  const budget = {};
  for (const name of ['maxMessages', 'maxChars', 'maxInputTokens']) {
    if (dice.percent(50)) continue;
    budget[name] = dice.weighted(
      [1, () => 0],
      [2, () => 1 + dice.below(20)],
      [2, () => 20 + dice.below(280)],
      [2, () => 300 + dice.below(20_000)],
    );
  }
  if (dice.percent(30)) budget.dropInSteps = dice.pick([20, 50]);
  if (dice.percent(20)) budget.missingResults = 'drop';
  return budget;
}

function role(dice) {
  return dice.weighted([3, () => 'user'], [3, () => 'assistant'], [1, () => 'system']);
}

function text(dice) {
  return dice.weighted(
    [4, () => Array.from({ length: 1 + dice.below(12) }, () => String.fromCharCode(97 + dice.below(26))).join('')],
    [2, () => dice.pick(ODD_TEXTS)],
    [1, () => '👩\u200d👩\u200d👧 e\u0301🇩🇪'.repeat(1 + dice.below(100))],
  );
}

function anyMessage(dice) {
  const message = { role: role(dice), content: dice.list(4, () => block(dice)) };
  if (dice.percent(5)) message.content = null;
  return message;
}

function block(dice) {
  return dice.weighted(
    [4, () => ({ type: 'text', text: text(dice) })],
    [3, () => call(dice.pick(IDS), dice.pick(ARGUMENTS))],
    [3, () => result(dice.pick(IDS), resultContent(dice), dice)],
    [2, () => reasoning(dice, dice.below(3))],
    [1, () => ({ type: 'image', attachment: 1 })],
  );
}

function call(id, given) {
  return { type: 'tool-call', id, name: `f${id.length}`, ...(given !== undefined && { arguments: given }) };
}

function result(toolCallId, content, dice) {
  return { type: 'tool-result', toolCallId, content, ...(dice.percent(20) && { isError: dice.percent(50) }) };
}

function resultContent(dice) {
  return dice.weighted(
    [3, () => [{ type: 'text', text: text(dice) }]],
    [1, () => [{ type: 'text', text: 'e\u0301😀 '.repeat(200 + dice.below(6000)) }]],
    [2, () => dice.pick(FALSY)],
    [1, () => [{ type: 'text', text: 'p' }, { type: 'text', text: ' ' }, { type: 'chart', data: 1 }]],
    [1, () => [{ type: 'text', text: ' ' }, { type: 'text', text: '' }]],
  );
}

/** Up to ten calls, whose results come in another order, some not at all, some twice. */
function step(dice) {
  const ids = Array.from({ length: 1 + dice.below(10) }, (_, at) => `p${at}`);
  const content = dice.percent(30) ? [reasoning(dice, dice.below(3))] : [];
  content.push(...ids.map((id) => call(id, '{}')));
  const answered = ids.filter(() => dice.percent(85));
  if (dice.percent(20)) answered.push(dice.pick(ids));
  const turn = dice.below(answered.length + 1);
  const said = text(dice);
  const results = [...answered.slice(turn), ...answered.slice(0, turn)].map((id) => result(id, [{ type: 'text', text: said }], dice));
  if (dice.percent(20)) results.splice(dice.below(results.length + 1), 0, { type: 'text', text: 'Go on.' });
  return [{ role: 'assistant', content }, { role: 'user', content: results }];
}

/** A step as an API gave it: reasoning, a text and a call, each with its state at its place in the message's. */
function thinkingStep(dice, number) {
  const [provider, model] = dice.pick(ORIGINS);
  const id = `t${number}`;
  const thought = stateOf(dice, provider, model, number);
  const item = { ...('id' in thought && { id: `fc_${number}` }), thoughtSignature: `of ${provider}/${model}` };
  const said = { ...('id' in thought && { id: `msg_${number}` }) };
  const content = [{ type: 'reasoning', text: 't' }, { type: 'text', text: text(dice) }, call(id, '{}')];
  const provenance = { provider, model, replayState: [thought, said, item] };
  return [
    { role: 'assistant', content, provenance },
    { role: 'user', content: dice.percent(80) ? [result(id, [{ type: 'text', text: 'done' }], dice)] : [] },
  ];
}

function reasoning(dice, number) {
  const [provider, model] = dice.pick(ORIGINS);
  return { type: 'reasoning', text: 't', provenance: { provider, model, replayState: stateOf(dice, provider, model, number) } };
}

/** What an API wants back with its reasoning; not always what this provider's API would give. */
function stateOf(dice, provider, model, number) {
  const mark = `of ${provider}/${model}`;
  return dice.pick([
    { type: 'thinking', thinking: 't', signature: mark },
    { type: 'redacted_thinking', data: mark },
    { type: 'reasoning', id: `rs_${number}`, summary: [], encrypted_content: mark },
    { text: 't', thought: true, thoughtSignature: mark },
    { reasoning_content: mark },
    { providerOptions: { anthropic: { signature: mark } } },
  ]);
}

/** What a request asks for beside its messages. */
export function randomAsked(seed) {
  const dice = new Dice(seed ^ 0x27d4eb2f);
  const asked = { model: MODEL };
  if (dice.percent(40)) asked.system = dice.pick(['Be brief.', ' ', `cut ${HALF}`]);
  if (dice.percent(40)) asked.tools = [TOOL, { ...TOOL, name: 'find', strict: true }].slice(0, 1 + dice.below(2));
  if (dice.percent(30)) asked.maxTokens = 1 + dice.below(1000);
  if (dice.percent(30)) asked.temperature = 0.5;
  if (dice.percent(30)) asked.topP = 0.25;
  if (dice.percent(30)) asked.stop = dice.pick(['END', ['END', 'STOP']]);
  if (dice.percent(30)) Object.assign(asked, { seed: 7, topK: 40, frequencyPenalty: 0.5, presencePenalty: 0.5 });
  return asked;
}

const TOOL = {
  name: 'look',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'], additionalProperties: false },
};
