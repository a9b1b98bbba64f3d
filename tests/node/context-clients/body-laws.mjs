// Whether the body of a request is what the provider's row of spec 4-context.md asks for: one checker an API, written from
// the rows. They share no code with what writes bodies.

import { Faults, isBlank, isObject, listOf, stringsIn } from './faults.mjs';

const LAWS = {
  'openai-chat': checkChat,
  'openai-responses': checkResponses,
  'anthropic-messages': checkAnthropic,
  gemini: checkGemini,
  'ai-sdk': checkModelMessages,
};

/** Whose reasoning each API may be sent, where the model `m` is asked for: the providers of its own name. */
const OWN = {
  'openai-chat': ['openai/m', 'openai.responses/m'],
  'openai-responses': ['openai/m', 'openai.responses/m'],
  'anthropic-messages': ['anthropic/m'],
  gemini: ['google/m'],
  'ai-sdk': ['anthropic/m'],
};

/** The rules that a body, parsed, breaks. @returns {{rule: string, at: string}[]} */
export function faultsOfBody(provider, body) {
  const faults = new Faults();
  for (const text of stringsIn(body)) {
    faults.wanted(text.isWellFormed(), 'well-formed strings', text);
    const mark = /^of (\S+\/\S+)$/.exec(text);
    if (mark) faults.wanted(OWN[provider].includes(mark[1]), "reasoning of this model's own", text);
  }
  LAWS[provider](faults, body);
  return faults.all;
}

/** The ids of calls: each one once, as long as the API takes them and of its characters. */
class CallIds {
  #faults;
  #most;
  #characters;
  #used = new Set();

  constructor(faults, most, characters = /^/) {
    this.#faults = faults;
    this.#most = most;
    this.#characters = characters;
  }

  add(id) {
    const isLegal = typeof id === 'string' && id !== '' && id.length <= this.#most && this.#characters.test(id);
    this.#faults.wanted(isLegal, 'an id that the API takes', id);
    this.#faults.wanted(!this.#used.has(id), 'an id of its own for each call', id);
    this.#used.add(id);
  }
}

const areSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function checkText(faults, part, type) {
  faults.wanted(part.type === type && !isBlank(part.text), 'a text with characters', part);
}

// chat.completions: content is required unless there are calls, null only beside calls; tool messages directly behind their
// assistant, all calls answered; ids of at most 40 characters; arguments a string. Compatible servers: system first, and one
// message a turn.
function checkChat(faults, { model, messages }) {
  faults.wanted(model === 'm', 'a model', model);
  faults.wanted(listOf(messages).some(({ role }) => role !== 'system'), 'messages', messages);
  const ids = new CallIds(faults, 40);
  let due = [];
  let before;
  for (const [index, message] of messages.entries()) {
    const { role, content, tool_calls: calls } = message;
    faults.wanted(['system', 'user', 'assistant', 'tool'].includes(role), 'a role', message);
    faults.wanted(role !== 'system' || index === 0, 'system first', message);
    if (role === 'tool') {
      faults.wanted(message.tool_call_id === due.shift(), 'answers directly behind their calls, in their order', message);
      const isParts = Array.isArray(content) && content.every(({ type, text }) => type === 'text' && typeof text === 'string');
      faults.wanted(typeof content === 'string' || (isParts && content.length > 0), 'what a tool said', message);
    } else {
      faults.wanted(due.length === 0, 'all calls answered', message);
      faults.wanted(role !== before, 'one message a turn', message);
      faults.wanted(calls === undefined || (role === 'assistant' && calls.length > 0), 'calls are of the assistant', message);
      if (Array.isArray(content)) {
        faults.wanted(content.length > 0, 'content', message);
        for (const part of content) checkText(faults, part, 'text');
      } else {
        faults.wanted(content === null ? calls !== undefined : !isBlank(content), 'content unless there are calls', message);
      }
      for (const call of calls ?? []) {
        ids.add(call.id);
        faults.wanted(call.type === 'function' && typeof call.function.name === 'string', 'a function', call);
        faults.wanted(!isBlank(call.function.arguments), 'arguments are a string', call);
        due.push(call.id);
      }
    }
    before = role;
  }
  faults.wanted(due.length === 0, 'all calls answered', due);
}

// Responses: call and output pair by call_id; a reasoning item stays before the item that followed it and goes when that
// goes, and the other way round; item ids once.
function checkResponses(faults, { model, input, instructions }) {
  faults.wanted(model === 'm', 'a model', model);
  faults.wanted(instructions === undefined || !isBlank(instructions), 'instructions with characters', instructions);
  faults.wanted(listOf(input).length > 0, 'items', input);
  const ids = new CallIds(faults, 64);
  const items = new Set();
  let due = [];
  let isOutput = false;
  for (const [index, item] of input.entries()) {
    const next = input[index + 1];
    if (item.id !== undefined) {
      faults.wanted(!items.has(item.id), 'ids of items once', item);
      items.add(item.id);
      const number = /^(?:fc|msg)_(\d+)$/.exec(item.id)?.[1];
      if (number !== undefined) faults.wanted(items.has(`rs_${number}`), 'an item goes with its reasoning', item);
    }
    switch (item.type) {
      case 'function_call':
        faults.wanted(!isOutput, 'all calls answered before the next', item);
        ids.add(item.call_id);
        faults.wanted(typeof item.name === 'string' && !isBlank(item.arguments), 'a name, and arguments that are a string', item);
        due.push(item.call_id);
        break;
      case 'function_call_output':
        faults.wanted(item.call_id === due.shift(), 'outputs in the order of their calls', item);
        faults.wanted(typeof item.output === 'string' || (Array.isArray(item.output) && item.output.length > 0), 'output', item);
        isOutput = due.length > 0;
        break;
      case 'reasoning': {
        const isLedTo = ['function_call', 'reasoning'].includes(next?.type) || next?.role === 'assistant';
        faults.wanted(isLedTo, 'what reasoning led to behind it', item);
        break;
      }
      default: {
        const { type = 'message', role, content } = item;
        faults.wanted(type === 'message' && ['system', 'user', 'assistant'].includes(role), 'an item', item);
        faults.wanted(role === 'assistant' || due.length === 0, 'all calls answered', item);
        if (Array.isArray(content) && content.length > 0) {
          for (const part of content) checkText(faults, part, role === 'assistant' ? 'output_text' : 'input_text');
        } else {
          faults.wanted(!isBlank(content), 'content', item);
        }
      }
    }
  }
  faults.wanted(due.length === 0, 'all calls answered', due);
}

// Anthropic: system is a parameter; text needs a character that is not white; only the last assistant may be empty; no white
// space at the end of a final assistant; each tool_use is answered in the very next user message, results first; thinking
// verbatim with its own signature.
function checkAnthropic(faults, { model, messages, system, max_tokens: most }) {
  faults.wanted(model === 'm' && Number.isInteger(most) && most > 0, 'a model and max_tokens', { model, most });
  for (const part of typeof system === 'string' ? [{ type: 'text', text: system }] : (system ?? [])) checkText(faults, part, 'text');
  faults.wanted(messages[0]?.role === 'user', 'begins with the user', messages[0]);
  const ids = new CallIds(faults, 64, /^[a-zA-Z0-9_-]+$/);
  let due = [];
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    const isLast = index === messages.length - 1;
    faults.wanted(role === (index % 2 === 0 ? 'user' : 'assistant'), 'roles in turn', message);
    faults.wanted(listOf(content).length > 0, 'content', message);
    const answers = content.filter(({ type }) => type === 'tool_result');
    faults.wanted(areSame(answers.map((it) => it.tool_use_id), due), 'each call answered in the very next message', message);
    faults.wanted(areSame(content.slice(0, answers.length), answers), 'results first', message);
    due = [];
    for (const part of content) checkAnthropicBlock(faults, role, part, ids, due);
    const end = content.at(-1);
    faults.wanted(!/thinking$/.test(end?.type), 'thinking leads to something', message);
    if (isLast && role === 'assistant' && end?.type === 'text') {
      faults.wanted(end.text.trimEnd() === end.text, 'no white space at the end', end);
    }
  }
  faults.wanted(due.length === 0, 'all calls answered', due);
}

function checkAnthropicBlock(faults, role, block, ids, due) {
  switch (block.type) {
    case 'text':
      return checkText(faults, block, 'text');
    case 'tool_use':
      faults.wanted(role === 'assistant' && isObject(block.input) && typeof block.name === 'string', 'a call with an object', block);
      ids.add(block.id);
      return due.push(block.id);
    case 'tool_result':
      faults.wanted(role === 'user', 'results are in user messages', block);
      if (Array.isArray(block.content)) for (const part of block.content) checkText(faults, part, 'text');
      // A string is no text block: tools may say nothing.
      else faults.wanted(block.content === undefined || typeof block.content === 'string', 'what a tool said', block);
      return faults.wanted(block.is_error === undefined || block.is_error === true, 'is_error', block);
    case 'thinking':
      return faults.wanted(role === 'assistant' && areSame(block, { type: 'thinking', thinking: 't', signature: 'of anthropic/m' }), 'thinking verbatim', block);
    case 'redacted_thinking':
      return faults.wanted(role === 'assistant' && areSame(block, { type: 'redacted_thinking', data: 'of anthropic/m' }), 'thinking verbatim', block);
    default:
      return faults.wanted(false, 'a block', block);
  }
}

// Gemini: roles user and model; systemInstruction; a functionCall follows the user or a functionResponse and is never first;
// as many responses as calls; parts not blank; ends on the user; a thoughtSignature on its part. Responses may stand in a
// content of their own before what the user says.
function checkGemini(faults, { contents, systemInstruction }) {
  for (const part of systemInstruction?.parts ?? []) faults.wanted(!isBlank(part.text), 'a text with characters', part);
  faults.wanted(contents.at(-1)?.role === 'user', 'ends on the user', contents.at(-1));
  let due = [];
  for (const [index, content] of contents.entries()) {
    const { role, parts } = content;
    const before = contents[index - 1];
    const isInTurn = before === undefined ? role === 'user' : role !== before.role || before.parts.every((part) => part.functionResponse !== undefined);
    faults.wanted(['user', 'model'].includes(role) && isInTurn, 'roles in turn, the user first', content);
    faults.wanted(listOf(parts).length > 0, 'parts', content);
    const answers = parts.flatMap(({ functionResponse: it }) => (it === undefined ? [] : [it.name]));
    faults.wanted(areSame(answers, due), 'as many responses as calls, in their order', content);
    due = [];
    for (const part of parts) {
      faults.wanted(part.thoughtSignature === undefined || role === 'model', 'signatures are of the model', part);
      if (part.functionCall !== undefined) {
        faults.wanted(role === 'model' && isObject(part.functionCall.args), 'a call with an object', part);
        due.push(part.functionCall.name);
      } else if (part.functionResponse !== undefined) {
        faults.wanted(role === 'user' && isObject(part.functionResponse.response), 'a response that is an object', part);
      } else {
        faults.wanted(!isBlank(part.text), 'a text with characters', part);
      }
    }
  }
  faults.wanted(due.length === 0, 'as many responses as calls', due);
}

// ModelMessage[]: whatever API is behind it, calls are answered by the next message and have ids of their own that all take.
function checkModelMessages(faults, messages) {
  faults.wanted(messages.some(({ role }) => role !== 'system'), 'messages', messages);
  const ids = new CallIds(faults, 40, /^[a-zA-Z0-9_-]+$/);
  let due = [];
  let before;
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    faults.wanted(role !== 'system' || (index === 0 && !isBlank(content)), 'system first', message);
    faults.wanted(role !== before, 'one message a turn', message);
    before = role;
    if (role === 'system') continue;
    faults.wanted(listOf(content).length > 0, 'content', message);
    if (role === 'tool') {
      faults.wanted(areSame(content.map((it) => [it.toolCallId, it.toolName]), due), 'each call answered by the next message', message);
      due = [];
      continue;
    }
    faults.wanted(due.length === 0, 'all calls answered', message);
    for (const part of content) {
      if (part.type === 'tool-call') {
        faults.wanted(role === 'assistant' && isObject(part.input), 'a call with an object', part);
        ids.add(part.toolCallId);
        due.push([part.toolCallId, part.toolName]);
      } else if (part.type !== 'reasoning') {
        checkText(faults, part, 'text');
      }
    }
    faults.wanted(content.at(-1)?.type !== 'reasoning', 'reasoning leads to something', message);
  }
  faults.wanted(due.length === 0, 'all calls answered', due);
}
