// The two answering sides as planners of the history engine. A planner returns the whole output; the pieces on
// the way are handed to `onText`, which the caller closes over, because the engine's interface has no stream.
import { deriveUserIntent } from '/pkg/index.js';
import { nextRequest, requestMessages, streamReply, withText } from './openai-planner.mjs';
import { replyTo } from './partner.mjs';

/** About the pace of fast reading; long replies are not drawn out beyond two seconds. */
const PIECE_MS = 28;
const LONGEST_MS = 2000;

/**
 * @param {import('./settings.mjs').SettingsStore} settings read at each request, so that a change counts at once
 * @param {(messageId: string, delta: string) => void} onText
 */
export function createPlanner(settings, onText) {
  return async (request, { messages, signal }) => {
    const text = deriveUserIntent(request);
    const paint = (delta) => onText(request.id, delta);
    const userMessage =
      settings.current.answering === 'server'
        ? await streamReply({
            baseUrl: settings.current.baseUrl,
            key: settings.key,
            body: nextRequest(settings.current, messages, text).body,
            signal,
            onText: paint,
          })
        : await speak(replyTo(messages, text), signal, paint);
    return { userMessage };
  };
}

/** What a request would hand to the answering side that is set, were `text` sent now; an empty text is left out. */
export function nextMessages(settings, context, text) {
  if (settings.answering === 'server') return requestMessages(settings, context, text);
  return withText(context, text);
}

/** The partner knows its reply at once; said word by word it can be followed, and stopped. */
async function speak(reply, signal, paint) {
  const words = reply.match(/\S+\s*/gu) ?? [reply];
  const pause = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : Math.min(PIECE_MS, LONGEST_MS / words.length);
  for (const word of words) {
    signal.throwIfAborted();
    paint(word);
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  signal.throwIfAborted();
  return reply;
}
