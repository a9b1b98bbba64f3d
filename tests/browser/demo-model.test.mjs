// The demo with an OpenAI-compatible server: what is sent is what the panel shows, replies arrive as they are
// streamed, failures lose nothing, and the key goes nowhere but to that server.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { createProfile } from './chromium.mjs';
import { useDemo } from './demo-harness.mjs';
import { END, beginStream, piece, refuse, streamText } from './model-server.mjs';

const KEY = 'sk-demo-7f3c9a51e2b8';

describe('the demo with a model server', { timeout: 180_000 }, () => {
  const site = useDemo();

  test('shows the reply as it grows, and stores it when it is complete', async () => {
    const model = await site.startModel();
    let stream;
    model.answer = (response) => {
      beginStream(response);
      response.write(piece('The first half'));
      stream = response;
    };
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    await demo.send('Slowly, please.');
    await demo.until(async () => (await demo.streaming.count()) === 1 && (await demo.streaming.textContent()) === 'The first half', 'the first half is shown');
    assert.deepEqual(await demo.stored(), [], 'half a reply is not stored');
    stream.write(piece(' and the second.'));
    await demo.until(async () => (await demo.streaming.textContent()) === 'The first half and the second.', 'the second half is shown');
    stream.end(END);
    await demo.assistantTexts.first().waitFor();
    assert.deepEqual(await demo.assistantTexts.allTextContents(), ['The first half and the second.']);
    assert.equal(await demo.streaming.count(), 0);
    assert.equal((await demo.stored())[0].output.userMessage, 'The first half and the second.');
    assert.equal(model.requests[0].body.stream, true);
  });

  test('the panel shows exactly what the next request sends, and how it stands to the budget', async () => {
    const model = await site.startModel();
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl, model: 'test-model', systemPrompt: 'Be brief. ünïcödé 🙂', maxEntries: '3', maxChars: '200' });
    await demo.say('One.');
    await demo.inject('Injected by hand.');
    await demo.say('  Two, with spaces\nand a line  ');
    await demo.say('Three 🙂.');
    await demo.draft.fill('Four?');
    const shown = await demo.shownRequest();
    const json = await demo.shownJson();
    // The oldest of the four entries no longer fits.
    assert.deepEqual(shown.map(({ role, content }) => ({ role, content })), [
      { role: 'system', content: 'Be brief. ünïcödé 🙂' },
      { role: 'assistant', content: 'Injected by hand.' },
      { role: 'user', content: '  Two, with spaces\nand a line  ' },
      { role: 'assistant', content: 'Answer 2.' },
      { role: 'user', content: 'Three 🙂.' },
      { role: 'assistant', content: 'Answer 3.' },
      { role: 'user', content: 'Four?' },
    ]);
    for (const { content, chars } of shown) assert.equal(chars, content.length);
    const contextChars = shown.slice(1, -1).reduce((sum, { content }) => sum + content.length, 0);
    assert.equal(await demo.page.locator('#chars-text').textContent(), `${contextChars} of 200`);
    assert.equal(await demo.page.locator('#entries-text').textContent(), '3 of 3 · 4 stored');
    assert.equal(await demo.page.locator('.boundary').count(), 1, 'the transcript marks where it begins');
    assert.equal(await demo.page.locator('.not-sent').count(), 2);
    const context = await demo.page.evaluate(async () => (await window.turnlogDemo.engine.getLLMContext(window.turnlogDemo.sessionId)).value);
    assert.deepEqual(json.messages.slice(1, -1), JSON.parse(JSON.stringify(context)));

    await demo.draft.press('Enter');
    await demo.until(() => model.requests.length === 4, 'the server got the request');
    assert.deepEqual(model.requests[3].body, json);
    assert.deepEqual(model.requests[3].body.messages, shown.map(({ role, content }) => ({ role, content })));
    await demo.until(async () => (await demo.userTexts.count()) === 4 && (await demo.assistantTexts.count()) === 5, 'the answer is stored');

    // A budget of characters cuts by characters: here only the newest entry fits.
    await demo.configure({ maxChars: '20' });
    await demo.until(async () => (await demo.page.locator('#entries-text').textContent()) === '1 of 3 · 5 stored', 'one entry is kept');
    await demo.draft.fill('Five?');
    const cut = await demo.shownJson();
    assert.deepEqual(cut.messages.slice(1), [
      { role: 'user', content: 'Four?' },
      { role: 'assistant', content: 'Answer 4.' },
      { role: 'user', content: 'Five?' },
    ]);
    await demo.draft.press('Enter');
    await demo.until(() => model.requests.length === 5, 'the server got the request');
    assert.deepEqual(model.requests[4].body, cut);
  });

  test('with “drop what no longer fits” the bound holds for what is stored', async () => {
    const demo = await site.fresh();
    await demo.configure({ maxEntries: '2', retention: 'truncate' });
    for (const text of ['One.', 'Two.', 'Three.']) await demo.say(text);
    await demo.until(async () => (await demo.userTexts.count()) === 2, 'the oldest message is gone');
    assert.deepEqual((await demo.stored()).map((entry) => entry.input.reasons[0].text), ['Two.', 'Three.']);
    assert.match(await demo.sessions.first().textContent(), /^One\./u, 'the conversation keeps its title');
  });

  test('refuses bounds that are none, and says where', async () => {
    const demo = await site.fresh();
    for (const [label, value] of [['Entries at most', '0'], ['Characters at most', '1.5']]) {
      await demo.page.getByRole('button', { name: 'Settings' }).click();
      const dialog = demo.page.getByRole('dialog', { name: 'Settings' });
      await dialog.getByLabel(label).fill(value);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('alert').filter({ hasText: `${label}: ` }).waitFor();
      assert.equal(await dialog.getByLabel(label).getAttribute('aria-invalid'), 'true');
      await demo.page.keyboard.press('Escape');
    }
    assert.equal(await demo.page.evaluate(() => localStorage.getItem('turnlog-demo.settings')), null);
    await demo.say('It still works.');
  });

  test('reads a stream whose pieces end anywhere', async () => {
    const text = 'Grüße, 世界 🙂 — “data: no event”\n\nand\ta line.';
    const model = await site.startModel();
    model.answer = async (response) => {
      beginStream(response);
      const half = [...text].findIndex((character) => character === '🙂') + 1;
      const lines = [
        ': a comment\r\n\r\n',
        'event: chunk\r\nid: 1\r\n',
        piece([...text].slice(0, half).join('')).replaceAll('\n', '\r\n'),
        'data: {"choices":[]}\n\n',
        piece([...text].slice(half).join('')).replace('data: ', 'data:'),
        // One event in two `data:` lines: they are joined by a line end.
        'data: {"choices":[{"index":0,"delta":{},\rdata: "finish_reason":"stop"}]}\r\r',
        'data: [DONE]\r\n\r\n',
      ];
      for (const byte of Buffer.from(lines.join(''))) {
        response.write(Buffer.of(byte));
        // Each byte a piece of its own: written together they would arrive together.
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    assert.equal(await demo.say('Go on.'), text);
  });

  test('a failure is told, keeps the text, and trying again records it once under its first id', async () => {
    const model = await site.startModel();
    const failures = [
      [(response) => refuse(response, 401, '{"error":{"message":"Incorrect API key"}}'), /refused \(401.*Incorrect API key.*Enter the key/u, /401/u],
      [(response) => refuse(response, 500, '<b>proxy</b>', 'text/html'), /refused \(500.*<b>proxy<\/b>/u, /500/u],
      [(response) => { beginStream(response); response.end(`${piece('Half')}data: {"error":{"message":"overloaded"}}\n\n`); }, /reports: overloaded/u],
      [(response) => { beginStream(response); response.end(piece('Half')); }, /stopped before the reply was complete/u],
      [(response) => { beginStream(response); response.end('data: {oops\n\n'); }, /not JSON/u],
      [(response) => { beginStream(response); response.end(END); }, /without any text/u],
      [(response) => { beginStream(response); response.write(piece('Half')); setTimeout(() => response.destroy(), 50); }, /broke before the reply was complete/u, /ERR_INCOMPLETE_CHUNKED_ENCODING/u],
    ];
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    let first = true;
    for (const [answer, told, logged] of failures) {
      model.answer = answer;
      const number = model.requests.length + 1;
      if (first) await demo.send('Will you answer?');
      else await demo.failure.getByRole('button', { name: 'Try again' }).click();
      first = false;
      await demo.until(() => model.requests.length === number, 'the server is asked');
      const alert = demo.failure.getByRole('alert');
      await demo.until(async () => (await alert.count()) === 1 && told.test(await alert.textContent()), `the page tells ${told}`);
      assert.deepEqual(await demo.userTexts.allTextContents(), ['Will you answer?'], 'the text is kept');
      assert.deepEqual(await demo.stored(), [], 'nothing is stored');
      if (logged) demo.expectProblem(logged);
    }
    const id = await demo.page.evaluate(() => JSON.parse(sessionStorage.getItem('turnlog-demo.outbox'))[0].id);
    // It outlives the page, too.
    await demo.reload();
    model.answer = (response) => streamText(response, 'At last.');
    await demo.until(async () => (await demo.page.locator('.failure').count()) === 1, 'the failed message is there again');
    await demo.failure.getByRole('button', { name: 'Try again' }).click();
    await demo.assistantTexts.first().waitFor();
    assert.deepEqual((await demo.stored()).map((entry) => [entry.input.id, entry.output.userMessage]), [[id, 'At last.']]);
    assert.equal(await demo.failure.count(), 0);
  });

  test('a server that cannot be reached is told as that; the message can be edited instead', async () => {
    const model = await site.startModel();
    const { baseUrl } = model;
    await model.close();
    model.close = async () => undefined;
    const demo = await site.fresh();
    await demo.configure({ server: baseUrl });
    await demo.send('Anybody?');
    await demo.failure.getByText('cannot be reached').waitFor();
    demo.expectProblem(/ERR_CONNECTION_REFUSED/u);
    await demo.send('And a second one?');
    await demo.until(async () => (await demo.failure.count()) === 2, 'the second fails beside the first');
    demo.expectProblem(/ERR_CONNECTION_REFUSED/u);
    assert.deepEqual(await demo.userTexts.allTextContents(), ['Anybody?', 'And a second one?']);
    await demo.failure.first().getByRole('button', { name: 'Edit the message' }).click();
    assert.equal(await demo.draft.inputValue(), 'Anybody?');
    await demo.until(async () => (await demo.failure.count()) === 1, 'the edited one is taken off');
  });

  test('Stop ends the request; nothing is stored and the message is kept', async () => {
    const model = await site.startModel();
    model.answer = (response) => {
      beginStream(response);
      response.write(piece('Endless'));
    };
    const demo = await site.fresh();
    await demo.configure({ server: model.baseUrl });
    await demo.send('Talk on.');
    await demo.streaming.getByText('Endless').waitFor();
    await demo.page.getByRole('button', { name: 'Stop' }).click();
    await demo.until(() => model.requests[0].closed, 'the server sees the connection closed');
    await demo.failure.getByText('Stopped.').waitFor();
    assert.deepEqual(await demo.stored(), []);
    model.answer = (response) => streamText(response, 'Short.');
    await demo.failure.getByRole('button', { name: 'Try again' }).click();
    await demo.assistantTexts.first().waitFor();
    assert.equal((await demo.stored()).length, 1);
  });

  test('one failed message tried again in two tabs at once is one turn', async () => {
    const model = await site.startModel();
    model.answer = (response) => refuse(response, 503, '{}');
    const context = await site.newContext();
    const one = await site.open(context);
    await one.configure({ server: model.baseUrl });
    await one.send('Twice?');
    await one.failure.waitFor();
    one.expectProblem(/503/u);
    // What “duplicate tab” does: the other tab begins with this one's sessionStorage.
    const saved = await one.page.evaluate(() => sessionStorage.getItem('turnlog-demo.outbox'));
    const two = await site.open(context, one.page.url());
    await two.page.evaluate((outbox) => sessionStorage.setItem('turnlog-demo.outbox', outbox), saved);
    await two.reload();
    await two.failure.waitFor();
    const open = [];
    model.answer = (response, body, number) => {
      open.push(() => streamText(response, `Answer ${number}.`));
      // Neither answers before both are asked.
      if (open.length === 2) open.forEach((respond) => respond());
    };
    await Promise.all([one, two].map((demo) => demo.failure.getByRole('button', { name: 'Try again' }).click()));
    for (const demo of [one, two]) {
      await demo.assistantTexts.first().waitFor();
      await demo.page.locator('#stop').waitFor({ state: 'hidden' });
      assert.deepEqual(await demo.userTexts.allTextContents(), ['Twice?']);
      assert.equal(await demo.failure.count(), 0);
    }
    assert.equal(model.requests.length, 3);
    assert.equal((await one.stored()).length, 1);
  });

  test('the key is sent to its server, stored nowhere, and forgotten with the page or another server', async (t) => {
    const model = await site.startModel();
    const profile = await createProfile();
    t.after(profile.remove);
    const context = await site.openProfile(profile.folder);
    const demo = await site.open(context);
    await demo.configure({ server: model.baseUrl, key: KEY });
    await demo.say('A text that is stored: canary-4711.');
    assert.equal(model.requests[0].headers.authorization, `Bearer ${KEY}`);

    // Reopened and saved without touching it, the key stays.
    await demo.configure({ systemPrompt: 'Hm.' });
    await demo.say('Again.');
    assert.equal(model.requests[1].headers.authorization, `Bearer ${KEY}`);

    const kept = await demo.page.evaluate(storedByThePage);
    assert.ok(kept.includes('canary-4711'), 'the search finds what is stored');
    assert.ok(kept.includes(model.baseUrl), 'the address is remembered');
    assert.ok(!kept.includes(KEY), 'the key is not in localStorage, sessionStorage, IndexedDB, cookies, caches or the page');

    // A server it was not entered for does not get it.
    const other = await site.startModel();
    await demo.configure({ server: other.baseUrl });
    await demo.say('To another server.');
    assert.equal(other.requests[0].headers.authorization, undefined);

    await demo.configure({ server: model.baseUrl, key: KEY });
    await demo.reload();
    await demo.say('After a reload.');
    assert.equal(model.requests[2].headers.authorization, undefined);
    await context.close();

    const onDisk = await filesHolding(profile.folder, ['canary-4711', KEY]);
    assert.ok(onDisk['canary-4711'].length > 0, 'the search finds what is on the disk');
    assert.deepEqual(onDisk[KEY], []);
  });
});

/** Everything the page's origin keeps, and the page itself with its fields, as one text. Runs in the page. */
async function storedByThePage() {
  const kept = [document.cookie, location.href, document.documentElement.outerHTML];
  for (const field of document.querySelectorAll('input, textarea')) kept.push(field.value);
  for (const area of [localStorage, sessionStorage]) kept.push(JSON.stringify({ ...area }));
  kept.push(JSON.stringify(await caches.keys()));
  const settle = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (const { name } of await indexedDB.databases()) {
    const database = await settle(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      for (const value of [...(await settle(objects.getAllKeys())), ...(await settle(objects.getAll()))]) {
        kept.push(JSON.stringify(value, (key, part) => {
          if (part instanceof ArrayBuffer) return new TextDecoder('utf-8').decode(part);
          return ArrayBuffer.isView(part) ? new TextDecoder('utf-8').decode(part) : part;
        }));
      }
    }
    database.close();
  }
  return kept.join('\n');
}

/** For each of `needles` the files below `folder` that hold it, in UTF-8 or UTF-16. */
async function filesHolding(folder, needles) {
  const found = Object.fromEntries(needles.map((needle) => [needle, []]));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = await readFile(path.join(entry.path, entry.name));
    for (const needle of needles) {
      if (content.includes(needle, 0, 'utf8') || content.includes(needle, 0, 'utf16le')) found[needle].push(entry.name);
    }
  }
  return found;
}
