// The body of a request: its size, a copy of it as it is, and its text set for reading while somebody looks at it.
import { byId } from './dom.mjs';
import { count, plural } from './format.mjs';
import { indented } from './json-text.mjs';

/** Characters drawn at first: a body may have megabytes. */
const SHOWN = 20_000;

export function createRequestBody() {
  const box = byId('request-json-box');
  const text = byId('request-json');
  const more = byId('request-json-more');
  const said = byId('request-copied');
  /** @type {Uint8Array | undefined} */
  let body;
  let isWhole = false;

  box.addEventListener('toggle', () => {
    isWhole = false;
    draw();
  });
  more.addEventListener('click', () => {
    isWhole = true;
    draw();
    text.focus();
  });
  byId('copy-request').addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(decoded());
      said.textContent = 'Copied.';
    } catch (error) {
      said.textContent = `The browser does not allow it: ${error.message}`;
    }
  });

  const decoded = () => new TextDecoder().decode(body);

  function draw() {
    if (!box.open || body === undefined) return;
    const whole = indented(decoded());
    const isCut = !isWhole && whole.length > SHOWN;
    text.textContent = isCut ? whole.slice(0, SHOWN).toWellFormed() : whole;
    more.hidden = !isCut;
    more.textContent = `Show all ${count(whole.length)} characters`;
  }

  /** @param {Uint8Array | undefined} next undefined where there is none */
  function show(next) {
    body = next;
    said.textContent = '';
    byId('request-body-row').hidden = body === undefined;
    box.hidden = body === undefined;
    if (body === undefined) {
      text.textContent = '';
      return;
    }
    byId('request-size').textContent = plural(body.length, 'byte', 'bytes');
    draw();
  }

  return { show };
}
