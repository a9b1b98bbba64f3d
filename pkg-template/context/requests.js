// What a model is sent. The core has the rules and keeps a conversation's texts; here a source of any kind becomes such texts.

import { core, memoryView } from '../core.js';
import { frozenOf, snapshot, textOf, valueOf } from '../glue.js';
import { refuse } from '../options.js';
import { Session, innerOf } from '../session/session.js';
import { countTokensOf } from './tokens.js';

const encoder = new TextEncoder();
const bytesOf = (value) => encoder.encode(textOf(value));

export function buildContext(source, options) {
  const { raw, isOwn, texts, count } = read(source, options);
  const make = (ready) => contextOf(ready, isOwn, texts, count);
  return raw instanceof Promise ? raw.then(make) : make(raw);
}

export function buildRequest(provider, source, options) {
  return request(provider, source, options, false, (body) => body);
}

export function prepareRequest(provider, source, options) {
  return request(provider, source, options, true, (body, report) => ({ body, ...reported(report) }));
}

function request(provider, source, options, wantsReport, made) {
  const { raw, isOwn, texts, count, view } = read(source, options);
  const header = source instanceof Session ? headerOf(source) : undefined;
  const make = (ready) =>
    using(ready, isOwn, () => {
      // What is read for this request alone is freed with it.
      const [body, report] = ready.request(String(provider), texts.options, header, count, wantsReport, view === true && !isOwn);
      return made(Array.isArray(body) ? memoryView(...body) : body, report);
    });
  return raw instanceof Promise ? raw.then(make) : make(raw);
}

function contextOf(raw, isOwn, { options, api }, count) {
  return using(raw, isOwn, () => {
    const [messages, report] = raw.context(options, api, count);
    return { messages: frozenOf(messages), ...reported(report) };
  });
}

function reported(bytes) {
  const report = valueOf(bytes);
  return { droppedEntries: report.dropped.length, ...report };
}

/** Runs `work`, and gives back the memory of a conversation that was read for it alone. */
function using(raw, isOwn, work) {
  try {
    return work();
  } finally {
    if (isOwn) raw.free();
  }
}

/** A source and the options as the core takes them. `isOwn`: nobody asks for this conversation again. */
function read(source, options) {
  const { countTokens, api, view, ...others } = options ?? {};
  const count = countTokensOf(countTokens);
  const texts = { options: bytesOf(snapshot(others, true)), api: api === undefined ? undefined : String(api) };
  if (source instanceof Session) return { raw: conversationOf(source, count), isOwn: false, texts, count, view };
  if (typeof source?.engine?.getLLMContextBytes === 'function') return { raw: askEngine(source), isOwn: true, texts, count };
  if (!Array.isArray(source)) refuse('source', 'must be a session, { engine, sessionId }, or an array of messages or history entries');
  return { raw: filled(bytesOf(snapshot(source, true))), isOwn: true, texts, count };
}

async function askEngine({ engine, sessionId }) {
  const result = await engine.getLLMContextBytes(sessionId);
  if (!result.ok) throw result.error;
  return filled(result.value);
}

function filled(list) {
  const raw = new (core().RawConversation)();
  try {
    raw.extend(list);
  } catch (error) {
    raw.free();
    throw error;
  }
  return raw;
}

/** What was read of a session: its surface is read on from there, as long as nothing in it was replaced. */
const known = new WeakMap();

function conversationOf(session, count) {
  let of = known.get(session);
  if (of === undefined) {
    of = { raw: new (core().RawConversation)(), generation: 0, nodes: [], length: 0, count };
    known.set(session, of);
  }
  if (of.count !== count) of.raw.forgetCounts();
  of.count = count;
  const { nodes, generation, addTo } = innerOf(session).surface();
  const kept = generation === of.generation ? of.length : commonLength(of.nodes, nodes, of.length);
  if (generation !== of.generation) of.raw.truncate(kept);
  addTo(of.raw, nodes.slice(kept));
  Object.assign(of, { generation, nodes, length: nodes.length });
  return of.raw;
}

function commonLength(before, after, most) {
  let length = 0;
  while (length < most && before[length] === after[length]) length++;
  return length;
}

/** The request header in force as JSON text, made once for each. */
const headers = new WeakMap();

function headerOf(session) {
  const header = session.requestHeader();
  if (header === undefined) return undefined;
  let text = headers.get(header);
  if (text === undefined) {
    text = bytesOf(header);
    headers.set(header, text);
  }
  return text;
}
