// JSON text set for reading. The text itself is kept, token by token: a number of more digits than JavaScript has, a name that
// comes twice and the order of names are what is sent, and parsing would lose them.

const STEP = '  ';

/** @param {string} text JSON without white space between its tokens, as bodies are written */
export function indented(text) {
  const pieces = [];
  let depth = 0;
  let from = 0;
  const line = () => `\n${STEP.repeat(depth)}`;
  const take = (end, behind) => {
    pieces.push(text.slice(from, end), behind);
    from = end;
  };
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case ':':
        take(at + 1, ' ');
        break;
      case ',':
        take(at + 1, line());
        break;
      case '{':
      case '[':
        // Both are two characters apart in the list of codes from what closes them; an empty one stays on its line.
        if (text.charCodeAt(at + 1) === text.charCodeAt(at) + 2) {
          at += 1;
        } else {
          depth += 1;
          take(at + 1, line());
        }
        break;
      case '}':
      case ']':
        depth -= 1;
        take(at, line());
        break;
      default:
    }
  }
  take(text.length, '');
  return pieces.join('');
}

/** Where the string that begins at `start` ends: the place of its closing quotation mark. */
function endOfString(text, start) {
  let end = start;
  do end = text.indexOf('"', end + 1);
  while (backslashesBefore(text, end) % 2 === 1);
  return end;
}

function backslashesBefore(text, at) {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return at - before;
}
