// Server-sent events out of a byte stream, by the event stream format of the HTML standard. A network hands
// over bytes in pieces of any size: a piece may end inside a UTF-8 sequence, inside `data:`, or between the
// CR and the LF of one line end. None of these borders may show in what comes out.

/**
 * The `data` of each event, in order.
 * @param {AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<string>}
 */
export async function* readEventData(stream) {
  let data = [];
  for await (const line of readLines(stream)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    // Comments (an empty field name) keep a connection alive; `event`, `id` and `retry` mean nothing here.
    if (field !== 'data') continue;
    const value = colon < 0 ? '' : line.slice(colon + 1);
    data.push(value.startsWith(' ') ? value.slice(1) : value);
  }
  // The standard drops an event that no empty line ends. Servers exist that close right after their last
  // `data:` line, and dropping that one would lose the end of a reply.
  if (data.length > 0) yield data.join('\n');
}

/** Lines that end with LF, CR LF or CR, without their ends. */
async function* readLines(stream) {
  let rest = '';
  for await (const text of readText(stream)) {
    rest += text;
    let start = 0;
    for (let at = start; at < rest.length; at += 1) {
      const unit = rest.charCodeAt(at);
      if (unit !== 0x0a && unit !== 0x0d) continue;
      // A CR at the very end may be half of a CR LF: wait for what follows.
      if (unit === 0x0d && at + 1 === rest.length) break;
      yield rest.slice(start, at);
      if (unit === 0x0d && rest.charCodeAt(at + 1) === 0x0a) at += 1;
      start = at + 1;
    }
    rest = rest.slice(start);
  }
  if (rest.endsWith('\r')) rest = rest.slice(0, -1);
  if (rest !== '') yield rest;
}

async function* readText(stream) {
  // One decoder for the whole stream: it holds back the first bytes of a sequence until the others are there.
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Left early (an error, `[DONE]`): the connection is not needed any more. A stream that failed is already
    // closed, and refusing to be cancelled says nothing new: its own error is the one the caller sees.
    reader.cancel().catch(() => undefined);
  }
}
