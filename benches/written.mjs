// Counts what a page writes to its databases: how often, and how many bytes the values are. Keys are not counted, nor what the
// browser adds.

/** Runs `work` and says what was written meanwhile. */
export async function written(work) {
  const counted = { writes: 0, bytes: 0 };
  const { prototype } = IDBObjectStore;
  const originals = { put: prototype.put, add: prototype.add };
  for (const [name, original] of Object.entries(originals)) {
    prototype[name] = function (value, ...key) {
      counted.writes++;
      counted.bytes += sizeOf(value);
      return original.call(this, value, ...key);
    };
  }
  try {
    await work(() => ({ ...counted }));
  } finally {
    Object.assign(prototype, originals);
  }
  return counted;
}

/** About what a structured clone of it takes: texts have one byte a character where all are Latin-1, else two. */
export function sizeOf(value) {
  if (typeof value === 'string') return /[^\0-\xff]/.test(value) ? value.length * 2 : value.length;
  if (typeof value === 'number') return 8;
  if (typeof value !== 'object' || value === null) return 1;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + sizeOf(one), 0);
  if (value instanceof Date) return 8;
  return Object.entries(value).reduce((sum, [key, one]) => sum + sizeOf(key) + sizeOf(one), 0);
}
