// Whether what is written on a page can be read.

/** Texts of less contrast than 4.5 to 1, by their classes. Runs in the page. */
export function contrasts(root) {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const numbers = (color) => color.match(/[\d.]+/gu).map(Number);
  const luminance = (color) => {
    const [r, g, b] = numbers(color).map((value) => channel(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (numbers(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const isText = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim() !== '');
  return [...root.querySelectorAll('*')].filter((node) => isText(node) && node.checkVisibility() && !node.disabled && node.tagName !== 'OPTION').filter((node) => {
    const [a, b] = [luminance(getComputedStyle(node).color), luminance(behind(node))].toSorted((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < 4.5;
  }).map((node) => `${node.tagName} ${node.className}`);
}
