// Markdown as text with code set apart: ``` and ~~~ fences become boxes, everything else stays as it was written. The page is
// no renderer of markdown, and what it does not render it cannot get wrong.
import { element } from '../dom.mjs';
import { codeBox } from './lines.mjs';

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/u;

/**
 * Texts and code in their order. A fence that nothing closes yet goes on to the end; a closing one is at least as long as the
 * one that opened, and nothing stands behind it.
 * @returns {{isCode: boolean, language: string, text: string}[]}
 */
export function blocksOf(markdown) {
  const blocks = [];
  let lines = [];
  let open;
  const end = () => {
    if (open || lines.length > 0) blocks.push({ isCode: open !== undefined, language: open?.language ?? '', text: lines.join('\n') });
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const [, mark, rest] = FENCE.exec(line) ?? [];
    const closes = open && mark?.startsWith(open.mark) && rest.trim() === '';
    // Backticks behind backticks are code within a line.
    const opens = !open && mark && !(mark[0] === '`' && rest.includes('`'));
    if (closes || opens) {
      end();
      open = opens ? { mark, language: rest.trim() } : undefined;
    } else {
      lines.push(line);
    }
  }
  end();
  if (blocks.length === 1) return blocks;
  // Blank lines around a fence are the fence's.
  return blocks
    .map((block) => (block.isCode ? block : { ...block, text: block.text.replace(/^(?:[ \t]*\n)+|(?:\n[ \t]*)+$/gu, '') }))
    .filter(({ isCode, text }) => isCode || text.trim() !== '');
}

/** Draws markdown into `box`. @returns {(markdown: string) => void} draws a longer one: what is there already stays and grows */
export function growingMarkdown(box, markdown) {
  /** @type {{block: {isCode: boolean, language: string, text: string}, text: Text, element: Element}[]} */
  let drawn = [];
  const draw = (next) => {
    const blocks = blocksOf(next);
    const same = drawn.findIndex(({ block }, at) => !continues(block, blocks[at]));
    const kept = same < 0 ? drawn.length : same;
    for (const { element: gone } of drawn.slice(kept)) gone.remove();
    drawn = drawn.slice(0, kept);
    blocks.forEach((block, at) => {
      if (at < drawn.length) {
        turnInto(drawn[at].text, block.text);
        drawn[at].block = block;
      } else {
        const made = growingBlock(block);
        drawn.push({ block, ...made });
        box.append(made.element);
      }
    });
  };
  draw(markdown);
  return draw;
}

/** A block grows, or loses its end where that turns out to be a fence. */
function continues(block, next) {
  if (next === undefined || block.isCode !== next.isCode || block.language !== next.language) return false;
  return next.text.startsWith(block.text) || block.text.startsWith(next.text);
}

function turnInto(node, text) {
  if (text.length < node.length) node.deleteData(text.length, node.length - text.length);
  else node.appendData(text.slice(node.length));
}

function growingBlock({ isCode, language, text }) {
  const node = document.createTextNode(text);
  if (!isCode) return { text: node, element: element('p', {}, node) };
  const box = codeBox('', language);
  box.querySelector('code').append(node);
  return { text: node, element: box };
}

/** Markdown that does not grow any more. @returns {Node[]} */
export function drawMarkdown(markdown) {
  return blocksOf(markdown).map(({ isCode, language, text }) => (isCode ? codeBox(text, language) : element('p', {}, text)));
}
