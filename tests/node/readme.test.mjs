// Every code sample of the README, of the npm page and of docs/ compiles and does what it says. What counts as a
// sample, and the marks on one, are described in markdown_samples.mjs; those for browsers run in tests/browser.
import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT, allSamples, asJavaScript, createFolder, pages, samplesOf } from './markdown_samples.mjs';

const samples = await allSamples();
let folder;

before(async () => {
  folder = await createFolder();
});
after(() => folder?.remove());

describe('samples in Node', () => {
  for (const [index, sample] of samples.entries()) {
    if (sample.inBrowser) continue;
    test(`${sample.title} runs and prints what it says`, async () => {
      await folder.write(`sample-${index}.mjs`, await asJavaScript(sample));
      const { code, stdout, stderr } = await folder.run(`sample-${index}.mjs`);
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stderr, '', 'nothing is printed as an error');
      if (sample.prints.length > 0) assert.deepEqual(stdout.trimEnd().split('\n'), sample.prints);
    });
  }
});

test('samples in TypeScript pass tsc --strict', async () => {
  const typed = samples.filter(({ language }) => language === 'ts');
  assert.notEqual(typed.length, 0);
  const files = typed.map(({ title }) => `${title.replace(/\W+/g, '-')}.ts`);
  for (const [index, file] of files.entries()) await folder.write(file, typed[index].source);
  assert.deepEqual(await folder.compile(files, { module: 'nodenext', moduleResolution: 'nodenext' }), { code: 0, output: '' });
});

test('the README and the npm page have samples, and some are for browsers', () => {
  for (const page of ['README.md', 'pkg-template/README.md']) {
    assert.ok(samples.some(({ title }) => title.startsWith(page)), page);
  }
  assert.ok(samples.some(({ inBrowser }) => inBrowser));
});

test('links to files of the repository lead somewhere', async () => {
  for (const page of await pages()) {
    const file = path.join(ROOT, page);
    const links = [...(await readFile(file, 'utf8')).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link);
    // The npm page is read elsewhere, where nothing stands beside it.
    if (page.startsWith('pkg-template/')) assert.deepEqual(links, []);
    for (const link of links) await access(path.resolve(path.dirname(file), link));
  }
});

test('samples are found with their marks and arrows, and other fences are not samples', () => {
  const page = ['```sh', 'make', '```', '```ts browser', 'f(); // → one', '// → two', '```'].join('\n');
  assert.deepEqual(samplesOf('x.md', page), [
    { title: 'x.md:4', language: 'ts', inBrowser: true, source: 'f(); // → one\n// → two\n', prints: ['one', 'two'] },
  ]);
  assert.throws(() => samplesOf('x.md', '```js later\n```'), /x\.md:1: unknown mark later/);
  assert.throws(() => samplesOf('x.md', '```js\n'), /not closed/);
});
