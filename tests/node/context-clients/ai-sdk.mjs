// The AI SDK with the providers that it is used with: a list of model messages goes to any of them.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import { MODEL } from './logs.mjs';

// It says of reasoning that a provider does not take that it leaves it out.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * For each provider `send(messages)`, which gives the text of the answer, and `said(body)`: what the body that it made of
 * them says, as `saidIn` has it. `fits(messages)`: whether the list begins and ends as this provider's API takes it.
 */
export function makeProviders(url) {
  const baseURL = `${url}/v1`;
  const apiKey = 'none';
  const openai = createOpenAI({ apiKey, baseURL });
  const sendTo = (model) => async (messages) =>
    (await generateText({ model, messages, allowSystemInMessages: true, maxRetries: 0 })).text;
  return {
    chat: { send: sendTo(openai.chat(MODEL)), fits: () => true, said: saidInChat },
    responses: { send: sendTo(openai.responses(MODEL)), fits: () => true, said: saidInResponses },
    anthropic: { send: sendTo(createAnthropic({ apiKey, baseURL })(MODEL)), fits: beginsWithUser, said: saidInAnthropic },
    google: {
      send: sendTo(createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })(MODEL)),
      fits: (messages) => beginsWithUser(messages) && messages.at(-1).role !== 'assistant',
      said: saidInGemini,
    },
  };
}

const beginsWithUser = (messages) => messages.find(({ role }) => role !== 'system')?.role === 'user';

/**
 * All that model messages say: texts as one, calls, and results, each in their order. Providers put the texts of a message
 * together or before its calls, and some take no white space at the end.
 */
export function saidIn(messages) {
  return said((add) => {
    for (const { role, content } of messages) {
      if (role === 'system') add.text(content);
      else for (const part of content) addPart(add, part);
    }
  });
}

function addPart(add, part) {
  if (part.type === 'text') add.text(part.text);
  if (part.type === 'tool-call') add.call(part.toolCallId, part.toolName, part.input);
  if (part.type === 'tool-result') add.result(part.toolCallId, part.output.value);
}

function said(collect) {
  const [texts, calls, results] = [[], [], []];
  collect({
    text: (content) => texts.push(typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('')),
    call: (id, name, input) => calls.push([id, name, input]),
    result: (id, output) => results.push([id, output]),
  });
  return { text: texts.join('').trimEnd(), calls, results };
}

function saidInChat({ messages }) {
  return said((add) => {
    for (const { role, content, tool_call_id: answered, tool_calls: calls = [] } of messages) {
      if (role === 'tool') add.result(answered, content);
      else add.text(content);
      for (const { id, function: { name, arguments: given } } of calls) add.call(id, name, JSON.parse(given));
    }
  });
}

function saidInResponses({ input }) {
  return said((add) => {
    for (const { type, content, call_id: id, name, arguments: given, output } of input) {
      if (type === 'function_call') add.call(id, name, JSON.parse(given));
      else if (type === 'function_call_output') add.result(id, output);
      else add.text(content);
    }
  });
}

function saidInAnthropic({ system, messages }) {
  return said((add) => {
    add.text(system);
    for (const part of messages.flatMap(({ content }) => content)) {
      if (part.type === 'text') add.text(part.text);
      if (part.type === 'tool_use') add.call(part.id, part.name, part.input);
      if (part.type === 'tool_result') add.result(part.tool_use_id, part.content);
    }
  });
}

function saidInGemini({ systemInstruction, contents }) {
  return said((add) => {
    for (const part of [...(systemInstruction?.parts ?? []), ...contents.flatMap(({ parts }) => parts)]) {
      if (part.functionCall) add.call(part.functionCall.id, part.functionCall.name, part.functionCall.args);
      else if (part.functionResponse) add.result(part.functionResponse.id, part.functionResponse.response.content);
      else if (!part.thought) add.text(part.text);
    }
  });
}
