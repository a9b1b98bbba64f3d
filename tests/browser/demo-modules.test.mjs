// The parts of the demo that need no browser: its server, the reader of event streams, the offline partner.
import assert from 'node:assert/strict';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { indented } from '../../www/json-text.mjs';
import { replyTo } from '../../www/partner.mjs';
import { CONTENT_SECURITY_POLICY, serve } from '../../www/serve.mjs';
import { readEventData } from '../../www/sse.mjs';

describe('the demo server', () => {
  async function site(t) {
    const root = await mkdtemp(path.join(os.tmpdir(), 'turnlog-serve-'));
    t.after(() => rm(root, { recursive: true, force: true }));
    for (const folder of ['www', 'pkg', 'pkg-other']) await mkdir(path.join(root, folder));
    await writeFile(path.join(root, 'secret.txt'), 'secret');
    await writeFile(path.join(root, 'pkg-other', 'secret.txt'), 'secret');
    await writeFile(path.join(root, 'www', 'index.html'), '<!doctype html>');
    await writeFile(path.join(root, 'www', 'main.mjs'), '// ü');
    await writeFile(path.join(root, 'pkg', 'turnlog.wasm'), Buffer.of(0, 0x61, 0x73, 0x6d));
    await symlink(path.join(root, 'secret.txt'), path.join(root, 'www', 'link.txt'));
    const server = await serve({ port: 0, www: path.join(root, 'www'), pkg: path.join(root, 'pkg') });
    t.after(server.close);
    return server;
  }

  /** The status of a request whose path goes out as it is: `fetch` would tidy it first. */
  const statusOf = (server, rawPath, method = 'GET') =>
    new Promise((resolve, reject) => {
      http.request({ port: server.port, host: '127.0.0.1', path: rawPath, method }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject).end();
    });

  test('serves the page and the package with their types and the policy', async (t) => {
    const server = await site(t);
    for (const [file, type, length] of [['', 'text/html; charset=utf-8', 15], ['main.mjs', 'text/javascript; charset=utf-8', 5], ['pkg/turnlog.wasm', 'application/wasm', 4]]) {
      const response = await fetch(server.url + file);
      assert.equal(response.status, 200, file);
      assert.equal(response.headers.get('content-type'), type);
      assert.equal(response.headers.get('content-security-policy'), CONTENT_SECURITY_POLICY);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal((await response.arrayBuffer()).byteLength, length);
    }
    assert.equal(
      CONTENT_SECURITY_POLICY,
      "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *; img-src 'self' data:; style-src 'self'",
    );
  });

  test('gives nothing from outside its two folders', async (t) => {
    const server = await site(t);
    for (const file of ['/../secret.txt', '/%2e%2e/secret.txt', '/pkg/../../secret.txt', '/pkg/%2e%2e%2fsecret.txt', '/pkg/%2e%2e/pkg-other/secret.txt', '/link.txt', '/pkg/', '/pkg', '/nothing', '/%00']) {
      assert.ok([400, 404].includes(await statusOf(server, file)), file);
    }
    assert.equal(await statusOf(server, '/%zz'), 400);
    assert.equal(await statusOf(server, '/', 'POST'), 405);
    assert.equal(await statusOf(server, '/', 'HEAD'), 200);
  });

  test('takes the next port when the wanted one is taken', async (t) => {
    const one = await site(t);
    const two = await serve({ port: one.port });
    t.after(two.close);
    assert.notEqual(two.port, one.port);
    assert.equal((await fetch(two.url)).status, 200);
  });
});

describe('the reader of event streams', () => {
  const read = async (bytes, size) => {
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    });
    const events = [];
    for await (const data of readEventData(stream)) events.push(data);
    return events;
  };

  test('gives the same events for every size of the pieces and every line end', async () => {
    const text = ': hello\n\ndata: eins – 世界 🙂\n\nevent: x\nid: 7\ndata:zwei\ndata\ndata:  drei\n\nretry: 5\n\ndata: {"a":"b:c"}\n\n';
    const expected = ['eins – 世界 🙂', 'zwei\n\n drei', '{"a":"b:c"}'];
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(text.replaceAll('\n', end));
      for (let size = 1; size <= bytes.length; size += 1) assert.deepEqual(await read(bytes, size), expected, `${JSON.stringify(end)}, ${size}`);
    }
  });

  test('keeps a last event that nothing ends, and drops a byte order mark', async () => {
    assert.deepEqual(await read(Buffer.from('\ufeffdata: one\n\ndata: two'), 3), ['one', 'two']);
    assert.deepEqual(await read(Buffer.from('data: one\r'), 1), ['one']);
    assert.deepEqual(await read(Buffer.from(''), 1), []);
  });

  test('lets go of the stream when its reader stops', async () => {
    let cancelled = false;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from('data: again\n\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const data of readEventData(stream)) {
      assert.equal(data, 'again');
      break;
    }
    assert.ok(cancelled);
  });
});

describe('JSON set for reading', () => {
  test('is set as JSON.stringify does it', () => {
    for (const value of [{}, [], [[], {}], 'a "b" \\', '\\', '\\"', 0, null, { a: [1, { b: '},{[:,"\\"' }, '', {}], c: { d: [[[null]]], '"\\': true } }]) {
      assert.equal(indented(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }
  });

  test('keeps what parsing would lose', () => {
    assert.equal(indented('{"b":1.0,"2":12345678901234567890,"b":"\\u00e9"}'), '{\n  "b": 1.0,\n  "2": 12345678901234567890,\n  "b": "\\u00e9"\n}');
  });
});

describe('the offline partner', () => {
  const user = (content) => ({ role: 'user', content });
  const assistant = (content) => ({ role: 'assistant', content });

  test('recalls from the context it is given, and only from it', () => {
    const context = [user('My name is Ada Lovelace and I live in London.'), assistant('Go on.'), user('My favourite colour is green. It calms.')];
    const recalls = [
      ['what is my name?', 'Your name is Ada Lovelace: you told me earlier.'],
      ['Where do I live?', 'You live in London: so you told me.'],
      ['what is my favourite colour?', 'Your favourite colour: green. You told me earlier.'],
      ['What did I say first?', 'The first thing you said, of all I was sent, is: “My name is Ada Lovelace and I live in London.”'],
      ['what did I just say?', 'Just before this you said: “My favourite colour is green. It calms.”'],
      ['what did you say?', 'I said: “Go on.”'],
      ['What did I say about green?', 'You said: “My favourite colour is green. It calms.”'],
    ];
    for (const [question, answer] of recalls) {
      assert.equal(replyTo(context, question), answer);
      assert.notEqual(replyTo([], question), answer);
    }
    // Cut off by a budget, the name is not known any more.
    assert.match(replyTo(context.slice(1), 'what is my name?'), /^You have not told me your name/u);
    assert.equal(replyTo([...context, user('Call me Bob.')], 'what is my name?'), 'Your name is Bob: you told me earlier.');
  });

  test('turns what is said round, and takes it as text', () => {
    assert.equal(replyTo([], 'I am tired of my work.'), 'How long have you been tired of your work?');
    assert.equal(replyTo([], 'I feel $& $1 <b>odd</b>'), 'When do you usually feel $& $1 <b>odd</b>?');
  });

  test('answers everything, the same way each time', () => {
    for (const text of ['', ' ', '?', '\ud83d', 'my (((', 'what is my [a-z?', 'do you remember $^.*?', 'what is my e-mail?', 'x'.repeat(100_000), 'I am '.repeat(5000)]) {
      const context = [user('my (( is x'), user(text)];
      const reply = replyTo(context, text);
      assert.ok(reply.length > 0);
      assert.equal(replyTo(context, text), reply);
    }
  });
});
