// A record of a transcript as nodes of the page. Every text of a record goes in as a text node: whatever a model, a tool or a
// file wrote is shown, and never run. What this page does not know is shown as that, with its JSON.
import { card, fold, pre, unknownWord } from './frame.mjs';
import { diff, patch } from './changes.mjs';
import { exec, mergedExec } from './exec.mjs';
import { image } from './image.mjs';
import { assistantMessage, assistantStream, notice, plainMessage } from './messages.mjs';
import { planUpdate } from './plan.mjs';
import { reasoning } from './reasoning.mjs';
import { backgroundEvent, context, explore, loading, rateLimits, upgradeNotice, waitStatus } from './status.mjs';
import { runningTool, toolCall } from './tools.mjs';
import { writeExactly } from './exact-json.mjs';

/** How the payload of each type is drawn. The package has checked that it has its shape. */
const RENDERERS = new Map(Object.entries({
  plain_message: plainMessage,
  wait_status: waitStatus,
  loading,
  running_tool: runningTool,
  tool_call: toolCall,
  plan_update: planUpdate,
  upgrade_notice: upgradeNotice,
  reasoning,
  exec,
  merged_exec: mergedExec,
  assistant_stream: assistantStream,
  assistant_message: assistantMessage,
  diff,
  image,
  explore,
  rate_limits: rateLimits,
  patch,
  background_event: backgroundEvent,
  notice,
  context,
}));

/**
 * @param {import('/pkg/index.js').TranscriptRecord} record
 * @returns {{element: Element, update: (record: object) => boolean}} `update` draws the record as it has become and is true,
 *   where that takes less than to draw it anew
 */
export function drawRecord({ type, payload }) {
  const render = RENDERERS.get(type);
  const drawn = render === undefined ? unknownRecord(type, payload) : render(payload);
  if (drawn instanceof Element) return { element: drawn, update: () => false };
  return { element: drawn.element, update: (next) => next.type === type && drawn.update(next.payload) };
}

function unknownRecord(type, payload) {
  return card('unknown-record', fold([unknownWord('record', type)], [pre(writeExactly(payload), { label: 'The record as JSON' })]));
}
