// The middle of the demo as a transcript: every type of record, files, replies that grow.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { contrasts } from './contrast.mjs';
import { useDemo } from './demo-harness.mjs';
import { TYPES, allRecords, openTranscript, snapshotOf, takenOver, vectorBytes, vectorNames } from './demo-vectors.mjs';
import { END, beginStream, piece, refuse } from './model-server.mjs';

const plain = (text) => ({ text, tone: 'default', emphasis: { bold: false, italic: false, dim: false, strike: false, underline: false }, entity: null });

describe('the transcript in the demo', { timeout: 300_000 }, () => {
  const site = useDemo();

  /** A page with the records of this type open, as `[locator, record]`. */
  async function shown(type) {
    const demo = await site.fresh();
    const records = allRecords().filter((record) => record.type === type);
    assert.ok(TYPES.includes(type) && records.length > 0);
    await openTranscript(demo, type, snapshotOf(records), records.length);
    return [demo, records, demo.page.locator('#log > article')];
  }

  async function openSample(demo) {
    await demo.page.getByRole('button', { name: 'Look at every kind of record' }).click();
    await demo.page.getByText('unknown record').waitFor();
  }

  async function watchAgent(demo) {
    await demo.page.getByRole('button', { name: 'Watch an agent at work' }).click();
  }

  const agentEnd = (demo) => demo.page.locator('#log').getByText('turn ended: rejected');

  test('draws each record of each document, and the native form as the document', async () => {
    const demo = await site.fresh();
    for (const name of vectorNames('doc_')) {
      const count = takenOver(JSON.parse(vectorBytes(name)).records).length;
      await openTranscript(demo, name, vectorBytes(name), count);
      assert.equal(await demo.page.locator('#log .unknown-record, #notice:not(:empty)').count(), 0, name);
      const text = await demo.log.textContent();
      const native = name.replace('doc_', 'native_');
      await openTranscript(demo, native, vectorBytes(native), count);
      assert.equal(await demo.log.textContent(), text, native);
    }
  });

  test('shows numbers of 64 bits as they are', async () => {
    const demo = await site.fresh();
    await openTranscript(demo, 'numbers', vectorBytes('doc_08_tool_args_json.json'), 1);
    const json = await demo.page.locator('#log pre').first().textContent();
    for (const digits of ['9007199254740993', '18446744073709551615', '-9223372036854775808']) assert.ok(json.includes(digits), json);
    await openTranscript(demo, 'far', vectorBytes('doc_14_exec_chunks.json'));
    await demo.log.getByText('… from byte 9,007,199,254,740,993 on:').waitFor();
  });

  test('shows messages with their lines, tones and code', async () => {
    const demo = await site.fresh();
    const line = (kind, text, more = {}) => ({ kind, spans: [{ ...plain(text), ...more.span }], ...more.line });
    await openTranscript(demo, 'lines', snapshotOf([{ id: 1, type: 'plain_message', payload: {
      role: 'assistant', kind: 'assistant', header: { label: 'Model', badge: 'draft' }, metadata: { citations: ['https://example.org/a', 'notes.txt'], token_usage: { prompt: 1, completion: 2, total: 1003 } },
      lines: [
        line('paragraph', 'One'), { kind: 'blank', spans: [] }, line('paragraph', 'two', { span: { tone: 'error', emphasis: { ...plain('').emphasis, bold: true } } }),
        line('code', 'let a;', { line: { language: 'js' } }), line('code', 'let b;', { line: { language: 'js' } }),
        line('bullet', 'deep', { line: { indent: 255, marker: '3.' } }), line('quote', 'said'), line('separator', ''), line('metadata', 'small'),
        line('paragraph', 'a link', { span: { entity: { type: 'link', href: 'https://example.org/' } } }),
        line('paragraph', 'no link', { span: { entity: { type: 'link', href: 'ftp://example.org/' } } }),
        line('paragraph', 'name', { span: { entity: { type: 'code' } } }),
        line('verse', 'odd', { span: { tone: 'shrill', entity: { type: 'smell' } } }),
      ],
    } }]), 1);
    const message = demo.log.locator('article');
    assert.match(await message.locator('header').textContent(), /^Modeldraft/u);
    assert.equal(await message.locator('.text > p').first().textContent(), 'One\n\ntwo', 'lines that follow each other are one text');
    assert.equal(await message.locator('.tone-error.is-bold').textContent(), 'two');
    assert.equal(await message.locator('pre code').textContent(), 'let a;\nlet b;');
    assert.equal(await message.getByRole('group', { name: 'Code, js' }).count(), 1);
    assert.match(await message.locator('.bullet').textContent(), /^3\. deep$/u);
    assert.equal(await message.locator('blockquote').textContent(), 'said');
    const links = await message.locator('a').evaluateAll((nodes) => nodes.map((node) => [node.textContent, node.href, node.rel, node.target]));
    assert.deepEqual(links, [['a link', 'https://example.org/', 'noopener noreferrer', '_blank'], ['https://example.org/a', 'https://example.org/a', 'noopener noreferrer', '_blank']]);
    assert.ok((await message.textContent()).includes('no link (ftp://example.org/)'));
    assert.deepEqual(await message.locator('.unknown').allTextContents(), ['unknown line verse', 'unknown entity smell', 'unknown tone shrill']);
    await message.getByText('1,003 tokens: 1 read, 2 written').waitFor();
  });

  test('shows commands with their output, their end, and what is missing of the output', async () => {
    const [, records, articles] = await shown('exec');
    for (const [at, { payload }] of records.entries()) {
      const text = await articles.nth(at).textContent();
      for (const part of [...payload.command, ...payload.stdout_chunks, ...payload.stderr_chunks].map((value) => value.content ?? value)) assert.ok(text.includes(part), `${part} in ${text}`);
    }
    const gap = articles.nth(records.findIndex(({ payload }) => payload.command[0] === 'gap'));
    assert.deepEqual(await gap.locator('.output pre').allTextContents(), ['abc', 'def']);
    assert.equal(await gap.locator('.output').getByText('… from byte 10 on:').count(), 1);
    const whole = articles.nth(records.findIndex(({ payload }) => payload.command[0] === 'multibyte'));
    assert.deepEqual(await whole.locator('.output pre').allTextContents(), ['é🚀', 'x'], 'offsets count bytes: six, and the next chunk is at eight');
  });

  test('folds tool calls, and opens what failed; the keyboard does both', async () => {
    const demo = await site.fresh();
    await openSample(demo);
    const call = demo.log.locator('.tool', { hasText: 'read_calendar' });
    const result = call.getByText('2000: 366');
    assert.equal(await result.isVisible(), false);
    assert.equal(await demo.log.getByText('404: there is no such page').isVisible(), true);
    const isThere = () => call.locator('summary').evaluate((node) => node === document.activeElement);
    for (let step = 0; step < 60 && !(await isThere()); step += 1) await demo.page.keyboard.press('Tab');
    assert.equal(await call.locator('summary').evaluate((node) => getComputedStyle(node).outlineStyle !== 'none' && node.matches(':focus-visible')), true, 'the focus is seen');
    await demo.page.keyboard.press('Enter');
    assert.equal(await result.isVisible(), true);
    await demo.page.keyboard.press('Space');
    assert.equal(await result.isVisible(), false);
    assert.ok((await demo.log.textContent()).includes('secret, not recorded'));
  });

  test('shows plans, diffs, patches, images, limits and what it does not know', async () => {
    const demo = await site.fresh();
    await openSample(demo);
    const plan = demo.log.locator('.plan');
    assert.equal(await plan.getByRole('progressbar', { name: 'Done: 2 of 4' }).evaluate((node) => node.value / node.max), 0.5);
    assert.deepEqual(await plan.getByRole('listitem').allTextContents(), ['●See which test fails (done)', '–Ask for the history of the file (skipped)', '◐Mend the rule (under way)', '○Run all tests again (open)']);
    const signs = await demo.log.locator('.record.diff .diff-line').evaluateAll((lines) => lines.map((line) => [line.querySelector('.sign')?.textContent, getComputedStyle(line).backgroundColor]));
    assert.deepEqual(signs.map(([sign]) => sign), [undefined, ' ', '-', '+', '+']);
    assert.equal(new Set(signs.map(([, colour]) => colour)).size, 3, 'what was added and removed has a colour of its own');
    assert.equal(await demo.log.locator('.record.patch').first().getByText('approved by itself').count(), 1);
    await demo.log.getByText('src/other.js is not there').waitFor();
    const picture = demo.log.locator('img');
    assert.equal(await picture.count(), 1, 'what is in the record is shown, a path is not');
    await demo.until(() => picture.evaluate((node) => node.naturalWidth === 96), 'the picture is drawn');
    await demo.log.getByText('/home/ada/shots/calendar.png').waitFor();
    assert.equal(await demo.log.getByRole('progressbar', { name: 'Short window used' }).evaluate((node) => node.value), 12.5);
    const unknown = demo.log.locator('.unknown-record');
    assert.equal(await unknown.locator('summary').textContent(), 'unknown record forecast');
    assert.equal(await unknown.locator('pre').isVisible(), false);
    assert.deepEqual(JSON.parse(await unknown.locator('pre').textContent()), { sky: 'a type that this page does not know', degrees: 21 });
  });

  test('draws the beginning of what is long, and the rest when it is asked for', async () => {
    const demo = await site.fresh();
    const exec = structuredClone(allRecords().find(({ type }) => type === 'exec'));
    exec.payload.stdout_chunks = [{ offset: 0, content: `${'x'.repeat(99_990)}the end` }];
    const diff = { id: 2, type: 'diff', payload: { hunks: [{ header: '', lines: Array.from({ length: 1_000 }, (_, at) => ({ kind: 'added', text: `line ${at}` })) }] } };
    await openTranscript(demo, 'long', snapshotOf([{ ...exec, id: 1 }, diff]), 2);
    const output = demo.log.locator('.output pre');
    assert.equal((await output.textContent()).length, 20_000);
    assert.ok((await output.textContent()).endsWith('the end'), 'of an output the end is what counts');
    await demo.log.getByRole('button', { name: 'Show all 99,997 characters' }).click();
    assert.equal((await output.textContent()).length, 99_997);
    assert.equal(await demo.log.locator('.diff-line').count(), 400);
    await demo.log.getByRole('button', { name: 'Show all 1,000 lines' }).click();
    assert.equal(await demo.log.locator('.diff-line').count(), 1_000);
  });

  test('shows a file of many records in pages', async () => {
    const demo = await site.fresh();
    const records = Array.from({ length: 1_200 }, (_, at) => ({ id: at + 1, type: 'loading', payload: { message: `Record ${at}.` } }));
    await openTranscript(demo, 'many', snapshotOf(records), 1_000);
    await demo.page.getByRole('button', { name: 'Show earlier (200 more)' }).click();
    await demo.log.getByText('Record 0.').waitFor();
    assert.equal(await demo.log.locator('article').count(), 1_200);
  });

  test('a reply grows where it stands, code and all; nothing else is drawn anew', async () => {
    const model = await site.startModel();
    let stream;
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    await demo.say('First.');
    model.answer = (response) => {
      beginStream(response);
      response.write(piece('Look:\n\n```js\nlet a'));
      stream = response;
    };
    await demo.send('Code, please.');
    const code = demo.page.locator('#log .streaming pre code');
    await code.filter({ hasText: 'let a' }).waitFor();
    await demo.page.evaluate(() => {
      const texts = document.querySelectorAll('#log .streaming p, #log .streaming code');
      window.kept = [...document.querySelectorAll('#log > article'), ...[...texts].map((node) => node.firstChild)];
    });
    stream.write(piece(' = 1;\n'));
    await code.filter({ hasText: 'let a = 1;' }).waitFor();
    assert.equal(await demo.page.evaluate(() => window.kept.length === 6 && window.kept.every((node) => node.isConnected)), true, 'each node is the one that was there');
    stream.write(piece('```\nDone'));
    await demo.page.locator('#log .streaming p').filter({ hasText: 'Done' }).waitFor();
    assert.equal(await demo.page.evaluate(() => window.kept.every((node) => node.isConnected)), true);
    assert.equal(await code.textContent(), 'let a = 1;');
    stream.end(END);
    await demo.page.locator('#stop').waitFor({ state: 'hidden' });
    assert.equal(await demo.assistantTexts.last().locator('pre').textContent(), 'let a = 1;');
    assert.equal(await demo.page.evaluate(() => window.kept.filter((node) => node.isConnected).length), 3, 'the messages before it, too');
    await demo.reload();
    await demo.assistantTexts.nth(1).waitFor();
    assert.deepEqual(await demo.assistantTexts.nth(1).locator('p').allTextContents(), ['Look:', 'Done']);
  });

  test('a reply stands behind its message, whatever else was not answered', async () => {
    const model = await site.startModel();
    model.answer = (response) => refuse(response, 500, 'No.');
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    for (const text of ['One', 'Two']) {
      await demo.send(text);
      await demo.log.locator('.user', { hasText: text }).waitFor();
      await demo.page.locator('#stop').waitFor({ state: 'hidden' });
      demo.expectProblem(/status of 500/u);
    }
    assert.equal(await demo.failure.count(), 2);
    let stream;
    model.answer = (response) => {
      beginStream(response);
      response.write(piece('First '));
      stream = response;
    };
    await demo.failure.first().getByRole('button', { name: 'Try again' }).click();
    await demo.streaming.filter({ hasText: 'First ' }).waitFor();
    const order = () => demo.log.evaluate((log) => [...log.children].map((node) => (node.className === 'failure' ? 'failure' : node.querySelector('.text').textContent)));
    assert.deepEqual(await order(), ['One', 'First ', 'Two', 'failure']);
    stream.write(piece('answer'));
    stream.end(END);
    await demo.page.locator('#stop').waitFor({ state: 'hidden' });
    assert.deepEqual(await order(), ['One', 'First answer', 'Two', 'failure']);
  });

  test('of a long conversation only the page that is shown is drawn', async () => {
    const demo = await site.fresh();
    await demo.page.evaluate(async () => {
      const { ChartRequestMessage } = await import('/pkg/index.js');
      const { store, sessionId } = window.turnlogDemo;
      for (let n = 0; n < 250; n += 1) {
        const input = ChartRequestMessage({ sessionId, timestamp: n, reasons: [{ kind: 'user_intent', text: `Question ${n}` }] });
        await store.append(sessionId, { kind: 'turn', input, output: { userMessage: `Answer ${n}` } });
      }
    });
    await demo.reload();
    await demo.userTexts.first().waitFor();
    assert.equal(await demo.log.locator('article').count(), 200);
    await demo.page.evaluate(() => (window.kept = [...document.querySelectorAll('#log > article')]));
    await demo.page.getByRole('button', { name: 'Show earlier (150 more)' }).click();
    await demo.until(async () => (await demo.log.locator('article').count()) === 400, 'a page more is shown');
    assert.equal(await demo.userTexts.first().textContent(), 'Question 50');
    assert.equal(await demo.page.evaluate(() => window.kept.every((node) => node.isConnected)), true, 'what was there stays');
  });

  test('saves what is shown as a document, and opens it again', async () => {
    const demo = await site.fresh();
    await demo.say('Keep this.\nBoth lines.');
    await demo.inject('And this.');
    await demo.page.locator('.injected').waitFor();
    const save = async () => {
      const download = demo.page.waitForEvent('download');
      await demo.page.getByRole('button', { name: 'Save this transcript' }).click();
      const file = await download;
      return [file.suggestedFilename(), await readFile(await file.path())];
    };
    const [name, bytes] = await save();
    assert.equal(name, 'Keep this. Both lines..json');
    assert.deepEqual(JSON.parse(bytes).records.map(({ type }) => type), ['plain_message', 'assistant_message', 'plain_message']);
    const text = await demo.log.locator('.text').allTextContents();
    await openTranscript(demo, name, bytes, 3);
    assert.deepEqual(await demo.log.locator('.text').allTextContents(), text);
    assert.equal(await demo.page.getByRole('button', { name: 'Event log' }).isDisabled(), true);
    assert.deepEqual((await save())[1], bytes, 'byte for byte');
    await openTranscript(demo, 'native', vectorBytes('native_32_all_variants.json'), 20);
    assert.deepEqual(JSON.parse((await save())[1]).records, JSON.parse(vectorBytes('doc_32_all_variants.json')).records);
    await demo.page.getByRole('button', { name: 'Close', exact: true }).click();
    await demo.userTexts.filter({ hasText: 'Keep this.' }).waitFor();
    assert.equal(await demo.say('Still here?'), await demo.assistantTexts.last().textContent());
  });

  test('says what is wrong with a file, and shows what it showed', async () => {
    const demo = await site.fresh();
    await demo.say('Hello.');
    const pick = (name, text) => demo.page.locator('#transcript-file').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    for (const [name, text, told] of [
      ['none.json', 'no JSON', /“none\.json” cannot be shown: .*\(not_json\)/u],
      ['bad.json', '{"records":[{"id":1,"type":"loading","payload":{}}],"next_id":2}', /records\[0\].*\(invalid\)/u],
      ['<img src=x>', '{"records":[{"Loading":{"id":1}}],"next_id":2}', /“<img src=x>” cannot be shown: .*\(invalid\)/u],
    ]) {
      await pick(name, text);
      await demo.page.locator('#notice').filter({ hasText: told }).waitFor();
      assert.deepEqual(await demo.userTexts.allTextContents(), ['Hello.']);
    }
    await demo.page.goBack();
  });

  test('leads back from a file with the browser’s own button', async () => {
    const demo = await site.fresh();
    await demo.say('Hello.');
    await openTranscript(demo, 'file', vectorBytes('doc_32_all_variants.json'), 20);
    await demo.page.goBack();
    await demo.userTexts.filter({ hasText: 'Hello.' }).waitFor();
    assert.equal(await demo.page.locator('#reading').isVisible(), false);
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`fits a narrow screen, and can be read (${colorScheme})`, async () => {
      const demo = await site.fresh();
      await demo.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await demo.page.setViewportSize({ width: 360, height: 640 });
      const check = async (what) => {
        await demo.page.evaluate(() => document.querySelectorAll('#log details').forEach((node) => (node.open = true)));
        const wide = await demo.page.evaluate(() => ['html', '#scroller', '#log'].map((name) => document.querySelector(name)).map((node) => node.scrollWidth - node.clientWidth));
        assert.deepEqual(wide, [0, 0, 0], `${what}: nothing is wider than the screen`);
        assert.deepEqual(await demo.page.locator('main').evaluate(contrasts), [], `${what}: every text stands out from what is behind it`);
      };
      await openSample(demo);
      await check('the sample');
      const records = allRecords();
      await openTranscript(demo, 'all', snapshotOf(records), records.length);
      await check('the vectors');
      await demo.page.getByRole('button', { name: 'Close', exact: true }).click();
      await watchAgent(demo);
      await agentEnd(demo).waitFor();
      await check('the agent');
    });
  }
});
