// What a client keeps that writes its transcript itself: arrays and objects, whose pieces nobody checks.

/** Changes what is there. A map finds the stream. */
export function inPlace(text) {
  const state = JSON.parse(text);
  const streams = new Map();
  const begin = (stream_id) => {
    const payload = { stream_id, preview_markdown: '', deltas: [], citations: [], metadata: null, in_progress: true };
    const record = { id: state.next_id++, type: 'assistant_stream', payload };
    state.records.push(record);
    streams.set(stream_id, record);
    return record;
  };
  return {
    upsert({ stream_id, preview_markdown, delta }) {
      const { payload } = streams.get(stream_id) ?? begin(stream_id);
      payload.preview_markdown = preview_markdown;
      payload.last_updated_at = delta.received_at;
      const last = payload.deltas.at(-1);
      if (last !== undefined && last.sequence === delta.sequence) last.delta += delta.delta;
      else payload.deltas.push(delta);
    },
    state: () => state,
  };
}

/** Makes what changes anew and shares the rest, so that a component sees by identity what it has to draw again. */
export function immutable(text) {
  let state = JSON.parse(text);
  const reduce = ({ records, next_id, ...rest }, { stream_id, preview_markdown, delta }) => {
    const at = records.findLastIndex(({ type, payload }) => type === 'assistant_stream' && payload.stream_id === stream_id);
    const { id, payload } = records[at] ?? { id: next_id, payload: { stream_id, deltas: [], citations: [], metadata: null } };
    const last = payload.deltas.at(-1);
    const deltas =
      last !== undefined && last.sequence === delta.sequence
        ? [...payload.deltas.slice(0, -1), { ...last, delta: last.delta + delta.delta }]
        : [...payload.deltas, delta];
    const changed = { ...payload, preview_markdown, deltas, in_progress: true, last_updated_at: delta.received_at };
    const record = { id, type: 'assistant_stream', payload: changed };
    if (at < 0) return { records: [...records, record], next_id: next_id + 1, ...rest };
    return { records: records.with(at, record), next_id, ...rest };
  };
  return {
    upsert(update) {
      state = reduce(state, update);
    },
    state: () => state,
  };
}
