// What the next request is made of: a conversation with the message that is being written, or a recorded session, which has a
// request header of its own. Each is told the same way: the messages that the panel lists, the source and the options for the
// package, and what the places in its reports stand for.
import { textOf } from './chat.mjs';
import { contentText, lineOf } from './event-text.mjs';
import { count, plural } from './format.mjs';
import { nextRequest, withText } from './openai-planner.mjs';

/** Messages listed, the newest ones. */
const LISTED = 100;
/** The name of the model in a body while nobody has chosen one. */
export const NO_MODEL = 'your-model';

/**
 * @typedef {object} Subject
 * @property {string} summary
 * @property {readonly {role: string, content: string}[]} messages those that are listed
 * @property {string} draft the text of the last of them, where that is being written; '' where nothing is
 * @property {{chars: number, maxChars: number | null, entries: number, maxEntries: number | null, stored: number} | undefined} bounds
 *   how the history's own bounds stand
 * @property {import('/pkg/index.js').LocalSource} source
 * @property {() => {model?: string, system?: string}} options what is asked besides
 * @property {(() => import('/pkg/index.js').PreparedRequest) | undefined} configured the request that is really sent; undefined
 *   where none is
 * @property {string | undefined} host who it is sent to
 * @property {import('./request-report-view.mjs').Places} places
 */

/**
 * @param {{messages: readonly object[], context: readonly object[], sentEntries: readonly object[], sent: number, stored: number,
 *   draft: string, settings: object}} state `context` is what the history's bounds cut, `messages` that with what goes around it
 * @param {{onGo: (place: number) => void, onDraft: () => void}} handlers
 * @returns {Subject}
 */
export function conversationSubject({ messages, context, sentEntries, sent, stored, draft, settings }, { onGo, onDraft }) {
  const isServed = settings.answering === 'server';
  const listed = messages.slice(-LISTED);
  return {
    summary:
      messages.length === 0
        ? 'Nothing yet: the message you write will go alone.'
        : `${plural(messages.length, 'message', 'messages')}, ${plural(charsOf(messages), 'character', 'characters')}${draft === '' ? ', and the message you write' : ''}${listedText(listed, messages.length)}.`,
    messages: listed,
    draft,
    bounds: { chars: charsOf(context), maxChars: settings.maxChars, entries: sent, maxEntries: settings.maxEntries, stored },
    source: withText(sentEntries, draft),
    options: () => ({ model: settings.model || NO_MODEL, system: isServed ? settings.systemPrompt : null }),
    configured: isServed ? () => nextRequest(settings, sentEntries, draft) : undefined,
    host: isServed ? new URL(settings.baseUrl).host : undefined,
    places: {
      name: (place) => (place < sent ? `Entry ${count(stored - sent + place + 1)}` : 'The message you write'),
      line: (place) => shortened(place < sent ? textOf(sentEntries[place]) : draft),
      way: (place) => (place < sent ? () => onGo(place) : onDraft),
    },
  };
}

/** @param {import('/pkg/index.js').Session} session @param {{onGo: (seq: number) => void}} handlers @returns {Subject} */
export function sessionSubject(session, { onGo }) {
  const derived = session.deriveMessages();
  const listed = derived.slice(-LISTED).map(({ role, content }) => ({ role, content: contentText(content) }));
  return {
    summary: `${plural(derived.length, 'message', 'messages')} of the session, were it asked to go on${listedText(listed, derived.length)}.`,
    messages: listed,
    draft: '',
    bounds: undefined,
    source: session,
    // What is given here goes before what the header says.
    options: () => (session.requestHeader() === undefined ? { model: NO_MODEL } : {}),
    configured: undefined,
    host: undefined,
    places: {
      name: (seq) => `#${seq}`,
      line: (seq) => lineOf(session.events[seq]),
      way: (seq) => (session.events[seq].surfaceOp === undefined ? undefined : () => onGo(seq)),
    },
  };
}

function charsOf(messages) {
  return messages.reduce((sum, message) => sum + message.content.length, 0);
}

function listedText(listed, total) {
  return listed.length < total ? `; the newest ${count(listed.length)} are listed` : '';
}

function shortened(text) {
  return lineOf({ type: 'user/message', data: { content: [{ type: 'text', text }] } });
}
