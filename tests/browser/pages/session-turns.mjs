// The turns that the fault campaign writes into sessions: 28 events each, the reply in 20 pieces, and nothing about them
// but `time` left to chance. For pages and Node alike.

const CHUNKS = 20;
const STEP = 1;

/** How many events a turn has. */
export const TURN_EVENTS = CHUNKS + 8;

/** `[type, data, intent]` of each event of a turn whose first event has the number `first`. */
export function turnEvents(turn, first) {
  const at = { turn, step: STEP };
  const append = { surfaceOp: 'append' };
  const source = { kind: 'user' };
  // Now and then a reply that is long enough for the segments to be put together by their bytes.
  const piece = turn % 11 === 0 ? 'x'.repeat(500) : '';
  const pieces = Array.from({ length: CHUNKS }, (_, number) => `${turn}.${number} é😀\ud83d${piece}`);
  const block = { type: 'text', text: pieces.join('') };
  const chunk = (data) => ['assistant/chunk', { ...at, chunk: { ...data, index: 0 } }];
  const stream = [
    chunk({ type: 'block-start', blockType: 'text' }),
    ...pieces.map((text) => chunk({ type: 'text-delta', text })),
    chunk({ type: 'block-end', block }),
  ];
  const sourceEventSeqs = stream.map((_, number) => first + 3 + number);
  const message = { ...at, content: [block], provenance: { provider: 'p', model: 'm' } };
  return [
    ['turn/start', { turn, trigger: { kind: 'message', source } }],
    ['user/message', { content: [{ type: 'text', text: `question ${turn}` }], source }, append],
    ['step/start', at],
    ...stream,
    ['assistant/message', message, { ...append, sourceEventSeqs }],
    ['step/end', at],
    ['turn/end', { turn, reason: { kind: 'completed' } }],
  ];
}

/** The same for the events that close a turn of which there are the first `count`. */
export function closers(turn, count) {
  const isInStep = count > 2 && count < TURN_EVENTS - 1;
  return [
    ...(isInStep ? [['step/end', { turn, step: STEP }]] : []),
    ['turn/end', { turn, reason: { kind: 'interrupted' } }],
  ];
}

/**
 * What is wrong with the events of a session that holds such turns and was killed now and then: their JSON texts as they
 * were read. `interrupted` counts the turns that did not end by themselves.
 */
export function checkTurns(texts) {
  const events = texts.map((text) => JSON.parse(text));
  const found = { doubled: [], misordered: [], problems: [], interrupted: 0, turns: 0 };
  found.misordered.push(...events.flatMap(({ seq }, index) => (seq === index ? [] : [`${index} has seq ${seq}`])));
  const starts = events.flatMap(({ type }, index) => (type === 'turn/start' ? [index] : []));
  const seen = new Set();
  starts.forEach((first, index) => {
    const { turn } = events[first].data;
    if (seen.size === seen.add(turn).size) found.doubled.push(`turn ${turn}`);
    else if (turn !== index + 1) found.misordered.push(`turn ${turn} is number ${index + 1}`);
    const own = events.slice(first, starts[index + 1]);
    const ends = own.at(-1).data.reason?.kind;
    const isWhole = ends === 'completed';
    if (!isWhole) found.interrupted += 1;
    const count = isWhole ? TURN_EVENTS : written(own);
    const wanted = [...turnEvents(turn, first).slice(0, count), ...(isWhole ? [] : closers(turn, count))];
    const shown = ({ type, data, surfaceOp, sourceEventSeqs }) => JSON.stringify([type, data, surfaceOp, sourceEventSeqs]);
    const isAsWritten = own.map(shown).join('\n') === wanted.map(([type, data, intent]) => shown({ type, data, ...intent })).join('\n');
    if (!isAsWritten) found.problems.push(`turn ${turn} is not what was written: ${own.length} events, the last a ${own.at(-1).type} (${ends})`);
    if (own.slice(count).some(({ time }) => time !== own[count - 1].time)) found.problems.push(`the closers of turn ${turn} have times of their own`);
  });
  found.turns = starts.length;
  if (texts.length > 0 && starts[0] !== 0) found.problems.push('the first event starts no turn');
  return found;
}

/** How many events of an interrupted turn are its own: those before its closers. */
function written(own) {
  const isStepClosed = own.at(-2)?.type === 'step/end' && own.length < TURN_EVENTS;
  return own.length - (isStepClosed ? 2 : 1);
}
