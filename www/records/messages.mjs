// What was said: messages in lines, messages in markdown, replies that stream in, and notices.
import { element } from '../dom.mjs';
import { count } from '../format.mjs';
import { card, clock, heading, unknownWord } from './frame.mjs';
import { drawLines } from './lines.mjs';
import { drawMarkdown, growingMarkdown } from './markdown.mjs';
import { link } from './spans.mjs';

const WHO = { user: 'You', assistant: 'Assistant', system: 'System', tool: 'Tool', error: 'Error', background_event: 'Background' };
const KINDS = new Set(['plain', 'user', 'assistant', 'tool', 'error', 'background', 'notice']);

/** `created_at` is no member of the schema: the demo knows when its messages were written, and says it there. */
export function plainMessage({ role, kind, header, lines, metadata, created_at: createdAt }) {
  const known = Object.hasOwn(WHO, role);
  const beside = [];
  if (!known) beside.push(unknownWord('role', role));
  if (!KINDS.has(kind)) beside.push(unknownWord('kind', kind));
  return message({
    className: known ? CLASSES[role] : 'other',
    who: header?.label ?? (known ? WHO[role] : 'Somebody'),
    badge: header?.badge,
    beside,
    at: typeof createdAt === 'string' ? createdAt : undefined,
    body: drawLines(lines),
    foot: aboutMessage(metadata),
  });
}

const CLASSES = { user: 'user', assistant: 'assistant', system: 'other', tool: 'other', error: 'error', background_event: 'other' };

export function assistantMessage({ markdown, citations, metadata, token_usage: usage, created_at: createdAt, mid_turn: isMidTurn }) {
  return message({
    className: 'assistant',
    who: WHO.assistant,
    badge: isMidTurn ? 'goes on' : undefined,
    at: createdAt,
    body: drawMarkdown(markdown),
    foot: aboutMessage({ citations: [...citations, ...(metadata?.citations ?? [])], token_usage: usage ?? metadata?.token_usage }),
  });
}

/** @returns {{element: Element, update?: (payload: object) => boolean}} `update` is false where it has to be drawn anew */
export function assistantStream(payload) {
  const { preview_markdown: markdown, citations, metadata, in_progress: isGoingOn, truncated_prefix_bytes: dropped } = payload;
  const node = message({
    className: `assistant${isGoingOn ? ' streaming' : ''}`,
    who: WHO.assistant,
    badge: isGoingOn ? undefined : 'not finished',
    body: [],
    foot: [
      ...(dropped ? [element('p', { className: 'aside' }, `${count(dropped)} bytes of its beginning are not recorded any more.`)] : []),
      ...aboutMessage({ citations: [...citations, ...(metadata?.citations ?? [])], token_usage: metadata?.token_usage }),
    ],
  });
  const grow = growingMarkdown(node.querySelector('.text'), markdown);
  if (isGoingOn) {
    // Read out once, when it is complete.
    node.setAttribute('aria-busy', 'true');
    node.setAttribute('aria-live', 'off');
  }
  return {
    element: node,
    update: (next) => {
      const onlyText = next.in_progress === isGoingOn && next.citations.length === citations.length && !next.metadata === !metadata && !next.truncated_prefix_bytes;
      if (onlyText) grow(next.preview_markdown);
      return onlyText;
    },
  };
}

export function notice({ title, body }) {
  const text = element('div', { className: 'text', dir: 'auto' }, ...drawLines(body));
  return card('notice-record', ...(title ? [heading(title)] : []), text);
}

function message({ className, who, badge, beside = [], at, body, foot }) {
  const head = heading(who, ...beside);
  if (badge) head.append(element('span', { className: 'mark', dir: 'auto' }, badge));
  if (at !== undefined) head.append(clock(at));
  return element('article', { className: `message ${className}` }, head, element('div', { className: 'text', dir: 'auto' }, ...body), ...foot);
}

/** Where it has it from, and what it cost. */
function aboutMessage(metadata) {
  const { citations = [], token_usage: usage } = metadata ?? {};
  const nodes = [];
  if (citations.length > 0) {
    nodes.push(element('ul', { className: 'citations', 'aria-label': 'Sources' }, ...citations.map((citation) => element('li', { dir: 'auto' }, ...link(citation)))));
  }
  if (usage) {
    nodes.push(element('p', { className: 'aside' }, `${count(usage.total)} tokens: ${count(usage.prompt)} read, ${count(usage.completion)} written`));
  }
  return nodes;
}
