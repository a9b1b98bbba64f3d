// What a model is sent. The core has the rules; here a source of any kind becomes a conversation that it reads.

import { core, memoryView } from '../core.js';
import { frozenOf, valueOf } from '../glue.js';
import { Session } from '../session/session.js';
import { checkRequest } from './request-options.js';
import { headerOf, ofSession } from './session-conversations.js';
import { counterIn } from './tokens.js';
import { bytesOf, jsonIn, optionsIn, refuse } from './values.js';

export function buildContext(source, options) {
  return ofSource(source, () => read(options), undefined, (raw, { text, api, count }) => {
    const [messages, report] = raw.context(text, api, count);
    return { messages: frozenOf(messages), ...reported(report) };
  });
}

export function buildRequest(provider, source, options) {
  return request(provider, source, options, false, (body) => body);
}

export function prepareRequest(provider, source, options) {
  return request(provider, source, options, true, (body, report) => ({ body, ...reported(report) }));
}

function request(provider, source, options, wantsReport, made) {
  const header = source instanceof Session ? headerOf(source) : undefined;
  const readRequest = () => {
    const asked = read(options);
    checkRequest(asked.options);
    return asked;
  };
  return ofSource(source, readRequest, header?.prefix, (raw, { text, count, view }, isKept) => {
    // What was read for this request alone is freed with it.
    const [body, report] = raw.request(String(provider), text, header?.text, count, wantsReport, isKept && view);
    return made(Array.isArray(body) ? memoryView(...body) : body, report);
  });
}

function reported(bytes) {
  const report = valueOf(bytes);
  return { droppedEntries: report.dropped.length, ...report };
}

function read(options) {
  const { countTokens, api, view, others } = optionsIn(options, ['countTokens', 'api', 'view']);
  if (view !== undefined && typeof view !== 'boolean') refuse('view', 'must be a boolean');
  const count = counterIn(countTokens);
  return { options: others, text: bytesOf(others), api: api === undefined ? undefined : String(api), count, view: view === true };
}

/** Makes something of a source: at once, or when the engine has answered that keeps it. */
function ofSource(source, readOptions, prefix, make) {
  if (source instanceof Session) return ofSession(source, readOptions(), prefix, make);
  if (typeof source?.engine?.getLLMContextBytes === 'function') return ofEngine(source, readOptions, make);
  if (!Array.isArray(source)) refuse('source', 'must be a session, { engine, sessionId }, or an array of messages or history entries');
  return ofList(bytesOf(jsonIn(source, 'source')), readOptions(), make);
}

async function ofEngine({ engine, sessionId }, readOptions, make) {
  const asked = readOptions();
  const result = await engine.getLLMContextBytes(sessionId);
  if (!result.ok) throw result.error;
  return ofList(result.value, asked, make);
}

function ofList(list, asked, make) {
  const raw = new (core().RawConversation)();
  try {
    raw.extend(list);
    return make(raw, asked, false);
  } finally {
    raw.free();
  }
}
