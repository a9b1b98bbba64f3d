// LangChain's messages: `trimMessages`, with the options that its reference gives for a history that is sent on.

import { InMemoryChatMessageHistory } from '@langchain/core/chat_history';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from '@langchain/core/messages';
import { argumentsOf, outputOf, textsOf } from './neutral.mjs';

export { HumanMessage, InMemoryChatMessageHistory };

/** Counts characters in the place of tokens, of the same things as a budget of turnlog does. */
function countChars(messages) {
  let chars = 0;
  for (const { content, tool_calls: calls = [] } of messages) {
    if (typeof content === 'string') chars += content.length;
    else for (const block of content) chars += (block.text ?? block.reasoning ?? '').length;
    for (const { name, args } of calls) chars += name.length + JSON.stringify(args).length;
  }
  return chars;
}

export function trim(messages, maxTokens) {
  return trimMessages(messages, {
    maxTokens,
    tokenCounter: countChars,
    strategy: 'last',
    startOn: 'human',
    endOn: ['human', 'tool'],
    includeSystem: true,
  });
}

/** Messages as LangChain has them. What its messages cannot hold is left out: calls of others than the assistant. */
export function toLangChain(list) {
  return list.flatMap(({ role, content }) => {
    if (role === 'system') return textsOf(content).map(({ text }) => new SystemMessage(text));
    if (role === 'assistant') return [assistant(content)];
    if (typeof content === 'string') return [new HumanMessage(content)];
    return userRuns(content ?? []);
  });
}

function assistant(content) {
  if (typeof content === 'string') return new AIMessage(content);
  const said = (content ?? []).flatMap((block) => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    return block.type === 'reasoning' ? [{ type: 'reasoning', reasoning: block.text }] : [];
  });
  const calls = (content ?? []).filter(({ type }) => type === 'tool-call');
  const tool_calls = calls.map((call) => ({ type: 'tool_call', id: call.id, name: call.name, args: argumentsOf(call) }));
  return new AIMessage({ content: said, tool_calls });
}

/** Each result is a message; texts between two of them are one. */
function userRuns(blocks) {
  const messages = [];
  let texts = [];
  const close = () => {
    if (texts.length > 0) messages.push(new HumanMessage({ content: texts }));
    texts = [];
  };
  for (const block of blocks) {
    if (block.type === 'text') texts.push({ type: 'text', text: block.text });
    if (block.type !== 'tool-result') continue;
    close();
    messages.push(new ToolMessage({ content: outputOf(block), tool_call_id: block.toolCallId }));
  }
  close();
  return messages;
}

/** The list again. Results that follow one another are one message; where no system message fits, its place holds nothing. */
export function fromLangChain(messages) {
  const list = [];
  let results;
  for (const message of messages.filter((it) => it !== undefined)) {
    const role = { human: 'user', ai: 'assistant', system: 'system' }[message.getType()];
    if (role === undefined) {
      if (results === undefined) list.push({ role: 'user', content: (results = []) });
      results.push({ type: 'tool-result', toolCallId: message.tool_call_id, content: [{ type: 'text', text: message.content }] });
      continue;
    }
    results = undefined;
    const { content, tool_calls: calls = [] } = message;
    if (calls.length === 0 && typeof content === 'string') {
      list.push({ role, content });
      continue;
    }
    const said = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    list.push({
      role,
      content: [
        ...said.map((block) => (block.type === 'reasoning' ? { type: 'reasoning', text: block.reasoning } : { type: 'text', text: block.text })),
        ...calls.map(({ id, name, args }) => ({ type: 'tool-call', id, name, arguments: JSON.stringify(args) })),
      ],
    });
  }
  return list;
}
