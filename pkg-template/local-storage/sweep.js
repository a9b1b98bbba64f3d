// What tabs left behind that ended in the middle of a write.

import { keysIn } from './area.js';
import { FIRST, beginOf, isGeneration, parse, pathOf } from './keys.js';

/** Milliseconds after which a generation that does not count is surely no replacement under way any more. */
const STALE = 86_400_000;

/** Deletes entries of generations that do not count, and what says which one does once it has none. */
export function sweep(area, prefix) {
  const isOld = (generation) => generation === FIRST || beginOf(generation) < Date.now() - STALE;
  for (const key of keysIn(area, `${prefix}/`)) {
    const { kind, id, generation } = parse(prefix, key) ?? {};
    const counts = id === undefined ? '' : (area.getItem(pathOf(prefix, 's', id)) ?? FIRST);
    if (!isGeneration(counts)) continue;
    const isLeft = {
      e: () => generation !== counts && isOld(generation),
      s: () => isOld(counts) && keysIn(area, `${pathOf(prefix, 'e', id)}/`).length === 0,
    };
    if (isLeft[kind]?.()) area.removeItem(key);
  }
}
