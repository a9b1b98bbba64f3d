// What pages said was acknowledged, held against what is stored.

/** How an id is written: who wrote it, and which of that writer's entries it is. */
export const idOf = (writer, number) => `${writer}#${number}`;

function parsed(id) {
  const at = id.lastIndexOf('#');
  return [id.slice(0, at), Number(id.slice(at + 1))];
}

/**
 * Compares a session's stored ids with those that were acknowledged. A writer numbers its entries from 0 on and begins
 * each only after the one before was begun, so a number below a stored one is missing only where something went wrong.
 *
 * @returns {{lost: string[], doubled: string[], misordered: string[]}} the ids in question
 */
export function compare(stored, acknowledged) {
  const seen = new Set();
  const doubled = stored.filter((id) => seen.size === seen.add(id).size);
  const lost = acknowledged.filter((id) => !seen.has(id));
  const misordered = [];
  const next = new Map();
  for (const id of seen) {
    const [writer, number] = parsed(id);
    if (number !== (next.get(writer) ?? 0)) misordered.push(id);
    next.set(writer, number + 1);
  }
  return { lost, doubled, misordered };
}
