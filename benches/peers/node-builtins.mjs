// What the npm package of sessions takes from Node itself: only while it is loaded, and for a header's `cwd`.

export function isAbsolute(path) {
  return path.startsWith('/');
}

/** Its model library reads its own version, for a request header. */
export function createRequire() {
  return () => ({ version: '0' });
}
