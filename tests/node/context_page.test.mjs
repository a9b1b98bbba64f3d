// The page and the declarations of contexts name exactly the rules, providers, options and error codes that the sources have, and the
// errors of the estimate as they are.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { estimateTokens } from 'turnlog';

const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const all = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);
const sorted = (values) => [...values].sort();
const [page, declarations] = await Promise.all([read('docs/context.md'), read('pkg-template/context.d.ts')]);
/** The words that a Rust file gives to the variants of its enum. */
const wordsOf = async (path) => all(await read(path), /Self::\w+ => "([\w-]+)"/g);
const section = (title) => page.split(`\n## ${title}\n`)[1].split('\n## ')[0];
const declared = (type) => all(declarations.match(new RegExp(`export type ${type} =([^;]*);`))[1], /'([\w-]+)'/g);
/** The names of the members of an interface. */
const members = (type) => all(declarations.match(new RegExp(`export interface ${type}[^{]*\\{([^]*?)\\n\\}`))[1], /^ {2}readonly (\w+)/gm);
const firstCells = (text) => all(text, /^\| ([^|]*) \|/gm).flatMap((cell) => all(cell, /`(\w[\w-]*)`/g));

test('the table of legality and the declarations have every rule once, in order', async () => {
  const rules = await wordsOf('src/context/repair.rs');
  assert.ok(rules.length >= 14);
  assert.deepEqual(all(section('Legality'), /\| `(\w+)` \|$/gm), rules);
  assert.deepEqual(declared('RepairRule'), rules);
});

test('the table of bodies and the declarations have every provider', async () => {
  const providers = await wordsOf('src/context/provider.rs');
  assert.equal(providers.length, 5);
  assert.deepEqual(firstCells(section('Bodies')), providers);
  assert.deepEqual(declared('Provider'), providers);
});

test('the table of errors and the declarations have every code once', async () => {
  const sources = ['compaction', 'request-options', 'requests', 'session-conversations', 'tokens', 'values'];
  const scripts = await Promise.all(sources.map((name) => read(`pkg-template/context/${name}.js`)));
  const thrown = scripts.flatMap((text) => all(text, /new ContextError\(\s*'(\w+)'/g));
  assert.ok(thrown.length >= 3, 'the codes of the JavaScript are found');
  const codes = sorted(new Set([...(await wordsOf('src/context/error.rs')), ...thrown]));
  assert.deepEqual(sorted(firstCells(section('Errors'))), codes);
  assert.deepEqual(sorted(declared('ContextErrorCode')), codes);
});

test('the tables of options have every option', () => {
  const [shared, ofRequests] = section('Options').split('A request takes these');
  assert.deepEqual(sorted(firstCells(shared)), sorted(members('ContextBudget')));
  assert.deepEqual(sorted(firstCells(ofRequests)), sorted(members('RequestOptions')));
  for (const name of members('ContextOptions')) assert.ok(shared.includes(`\`${name}\``), name);
});

test('the errors of the estimate are those of the fixture', async () => {
  const { texts } = JSON.parse(await read('tests/fixtures/tokens/counts.json'));
  const told = new Map([...section('Tokens').matchAll(/\| `([\w.]+)` \| ([−+]?[\d.]+) %/g)].map(([, name, error]) => [name, Number(error.replace('−', '-'))]));
  assert.deepEqual(sorted(told.keys()), sorted(Object.keys(texts)));
  const ofLines = [];
  for (const [name, { tokens, lines }] of Object.entries(texts)) {
    const text = await read(`tests/fixtures/tokens/${name}`);
    const error = (estimateTokens(text) - tokens) / tokens;
    assert.ok(Math.abs(100 * error - told.get(name)) <= 0.05 + 1e-9, `${name}: ${100 * error}`);
    text.split('\n').forEach((line, index) => {
      if (lines[index] >= 20) ofLines.push(Math.abs(estimateTokens(line) - lines[index]) / lines[index]);
    });
  }
  ofLines.sort((a, b) => a - b);
  const [, count, half, most, worst] = section('Tokens').match(/\((\d+)\) half are off by\s+less than (\d+) %, nine in ten by\s+less than (\d+) %, the worst by (\d+) %/);
  const at = (share) => 100 * ofLines[Math.floor(ofLines.length * share)];
  assert.equal(ofLines.length, Number(count));
  assert.ok(at(0.5) < Number(half) && at(0.9) < Number(most) && at(0.999) < Number(worst));
});
