// Images. Only what is in the record itself is shown, and only as the kinds of picture that hold nothing but a picture: a path
// names a file on another machine, and an address would tell somebody that the record was looked at.
import { element } from '../dom.mjs';
import { card, facts } from './frame.mjs';
import { writeExactly } from './exact-json.mjs';

const SHOWN = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/u;

export function image({ path, caption, metadata }) {
  const about = facts(Object.entries(metadata ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : writeExactly(value)]));
  return card('image', element(
    'figure',
    {},
    SHOWN.test(path) ? picture(path, caption) : placeholder(path),
    ...(caption ? [element('figcaption', { dir: 'auto' }, caption)] : []),
  ), ...about);
}

function picture(path, caption) {
  const node = element('img', { src: path, alt: caption || 'An image without a caption', decoding: 'async' });
  node.addEventListener('error', () => node.replaceWith(placeholder('an image that cannot be read')), { once: true });
  return node;
}

function placeholder(path) {
  return element('p', { className: 'no-image' }, element('span', { 'aria-hidden': 'true' }, '🖼 '), 'Not shown: ', element('code', { dir: 'auto' }, path === '' ? 'an image without a path' : path));
}
