// Building the page: every text goes in as a text node, never as markup, so what a user or a model wrote is
// always shown and never run.

/**
 * @param {string} tag
 * @param {Record<string, unknown>} properties DOM properties (`className`, `textContent`, …); `aria-*`, `data-*`
 *   and `role` are set as attributes; `on*` functions are listeners
 * @param {...(Node | string)} children
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role') node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

/** Makes `nodes` the children of `parent`, touching only what differs: focus and scroll places survive. */
export function setChildren(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, index) => {
    if (parent.childNodes[index] !== node) parent.insertBefore(node, parent.childNodes[index] ?? null);
  });
}

/** The element with this id; the page is ours, so a missing one is a mistake in it. */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element #${id}.`);
  return node;
}
