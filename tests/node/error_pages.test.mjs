// The pages and the declarations name exactly the error codes that the sources have, each under its class.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const all = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);
const sorted = (values) => [...values].sort();

/** The codes of the core: the words of `ErrorCode::as_str`. */
async function coreCodes() {
  const words = (await read('src/protocol/error.rs')).match(/pub const fn as_str\(self\)[^]*?\n {4}\}/)[0];
  return all(words, /=> "(\w+)"/g);
}

/** The codes that the package's JavaScript gives to the base class itself. */
async function loadingCodes() {
  const names = (await readdir(new URL('../../pkg-template/', import.meta.url))).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(names.map((name) => read(`pkg-template/${name}`)));
  return texts.flatMap((text) => all(text, /new TurnlogError\(\s*'(\w+)'/g));
}

/** The glossary's rows: `[code, class]`. */
const glossary = async () => [...(await read('docs/errors.md')).matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map((row) => row.slice(1));

/** Those of a class that has a list of codes of its own, in order, in a source of the core. */
const wordsOf = async (path) => all(await read(path), /Self::\w+ => "(\w+)"/g);

const codesOf = (rows, name) => rows.filter(([, type]) => type === name).map(([code]) => code);

test('the glossary has every code once, and no other', async () => {
  const codes = (await glossary()).filter(([, type]) => type !== 'TranscriptError').map(([code]) => code);
  const [core, loading] = [await coreCodes(), await loadingCodes()];
  assert.ok(core.length >= 12, 'the codes of the core are found');
  assert.deepEqual(sorted(loading), ['not_initialized', 'wasm_unavailable']);
  assert.deepEqual(sorted(codes), sorted([...core, ...loading]));
});

test('the declarations give each class the codes of the glossary', async () => {
  const [rows, declarations] = [await glossary(), await read('pkg-template/errors.d.ts')];
  for (const name of ['ValidationError', 'StoreError', 'PlannerError']) {
    const union = declarations.match(new RegExp(`export type ${name}Code =([^;]*);`))[1];
    assert.deepEqual(sorted(all(union, /'(\w+)'/g)), sorted(codesOf(rows, name)), name);
  }
});

test('the tables of the README and of the npm page are the glossary in short', async () => {
  const rows = await glossary();
  for (const page of ['README.md', 'pkg-template/README.md']) {
    const text = await read(page);
    for (const name of ['ValidationError', 'StoreError', 'PlannerError', 'TurnlogError']) {
      const line = text.match(new RegExp(`^\\| \`${name}\` \\| (.*) \\|$`, 'm'))?.[1] ?? '';
      const codes = all(line, /`(\w+)`/g).filter((word) => word !== 'cause');
      assert.deepEqual(sorted(codes), sorted(codesOf(rows, name)), `${page}: ${name}`);
    }
  }
});

test('the page of sessions has every code of theirs once, in order, and no other', async () => {
  const words = await wordsOf('src/session/error.rs');
  const rows = all((await read('docs/sessions.md')).split('## Errors')[1], /^\| `(\w+)` \|/gm);
  assert.ok(words.length > 40);
  assert.deepEqual(rows, words);
});

test('the codes of transcripts are in the glossary once, in order, and on their page and in the declarations', async () => {
  const words = await wordsOf('src/transcript/error.rs');
  assert.ok(words.length >= 11);
  assert.deepEqual(codesOf(await glossary(), 'TranscriptError'), words);
  const rows = all((await read('docs/transcript.md')).split('## Errors')[1], /^\| (`.*?) \|/gm);
  assert.deepEqual(sorted(rows.flatMap((row) => all(row, /`(\w+)`/g))), sorted(words));
  const comment = (await read('pkg-template/transcript.d.ts')).match(/Codes: ([^]*?)\*\/\nexport class TranscriptError/)[1];
  assert.deepEqual(sorted(all(comment, /`(\w+)`/g).filter((word) => word !== 'path')), sorted(words));
});
