// Sessions as conversations of which requests are made again and again: what was read of a surface is read on from there, as
// long as nothing in it was replaced, and anew from the first difference otherwise.

import { core } from '../core.js';
import { innerOf } from '../session/session.js';
import { bytesOf } from './values.js';

/** What was read of sessions: of their surfaces alone, and behind the messages that a request header puts in front. */
const [plain, prefixed] = [new WeakMap(), new WeakMap()];

/** Runs `make` with the conversation of a session. */
export function ofSession(session, asked, prefix, make) {
  const known = prefix === undefined ? plain : prefixed;
  let read = known.get(session);
  // Where a counter comes back in here, the core is busy with what is known.
  const isOnce = read?.isBusy === true;
  if (read === undefined || isOnce) read = { raw: new (core().RawConversation)(), generation: 0, nodes: [], length: 0 };
  if (!isOnce) known.set(session, read);
  read.isBusy = true;
  try {
    readOn(read, session, prefix, asked.count);
    return make(read.raw, asked, !isOnce);
  } finally {
    read.isBusy = false;
    if (isOnce) read.raw.free();
  }
}

function readOn(read, session, prefix, count) {
  if (read.count !== count) read.raw.forgetCounts();
  if (read.prefix !== prefix) {
    // Should it be refused, nothing of it counts as read.
    Object.assign(read, { prefix: undefined, length: 0 });
    read.raw.truncate(0);
    read.raw.extendAs(prefix.text, prefix.seq);
  }
  const { nodes, generation, addTo } = innerOf(session).surface();
  const kept = generation === read.generation ? read.length : commonLength(read.nodes, nodes, read.length);
  if (generation !== read.generation) read.raw.truncate((prefix?.length ?? 0) + kept);
  addTo(read.raw, nodes.slice(kept));
  Object.assign(read, { generation, nodes, length: nodes.length, prefix, count });
}

function commonLength(before, after, most) {
  let length = 0;
  while (length < most && before[length] === after[length]) length++;
  return length;
}

/** Request headers as JSON text, with the messages that they put in front; made once for each. */
const headers = new WeakMap();

/** The request header in force, if there is one. */
export function headerOf(session) {
  const header = session.requestHeader();
  if (header === undefined) return undefined;
  let made = headers.get(header);
  if (made === undefined) {
    const { messagePrefix: list } = header;
    const prefix = list && { text: bytesOf(list), length: list.length, seq: innerOf(session).headerSeq() };
    made = { text: bytesOf(header), prefix };
    headers.set(header, made);
  }
  return made;
}
