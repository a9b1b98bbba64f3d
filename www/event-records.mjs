// Which record of a transcript an event of its session is shown by. Nothing of the page is known here.
import { HistoryState } from '/pkg/index.js';

/**
 * The id of the first record that an event has made; of a tool's result that of its call. Draws the log up to the event once,
 * so it is linear in that: it is asked for one event at a time, when somebody wants to see it.
 * @param {readonly object[]} events of a whole session
 * @param {number} seq
 * @returns {number | undefined} undefined where the event is not shown
 */
export function recordOfEvent(events, seq) {
  const state = HistoryState.fromSession(events.slice(0, seq));
  const before = new Set(recordsOf(state).map(({ id }) => id));
  state.follow(events.slice(0, seq + 1));
  const records = recordsOf(state);
  const made = records.find(({ id }) => !before.has(id));
  const { callId } = events[seq].data;
  return (made ?? records.findLast(({ payload }) => callId !== undefined && payload.call_id === callId))?.id;
}

function recordsOf(state) {
  return Array.from({ length: state.length }, (_, at) => state.get(at));
}
