// Hostile texts in every string of every record of a transcript, under the page's policy: they are shown as they were typed, and
// make nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDemo } from './demo-harness.mjs';
import { allRecords, openTranscript, snapshotOf } from './demo-vectors.mjs';

/** None has a line end, which would make lines, and none a fence, which would make code. */
const HOSTILE = [
  '<script>window.hacked=1</script>',
  '<img src=x onerror="window.hacked=2">',
  '<img src="/hacked.png">',
  '<svg onload="window.hacked=3"><circle r=9 /></svg>',
  '<svg><script href="/hacked.js"></script></svg>',
  '<iframe src="/hacked.html" srcdoc="<script>parent.hacked=4</script>"></iframe>',
  '<object data="/hacked.svg"></object><embed src="/hacked.swf">',
  '<a href="javascript:window.hacked=5">here</a>',
  '<details open ontoggle="window.hacked=6"><summary>x',
  '<form action="/hacked"><input name=id autofocus onfocus="window.hacked=7"><button>',
  '<style>@import "/hacked.css"; body { display: none }</style>',
  '<link rel=stylesheet href="/hacked.css"><base href="//example.invalid/">',
  '<meta http-equiv=refresh content="0;url=/hacked">',
  '<template><img src=x onerror="window.hacked=8"></template>',
  '<math><mtext><table><mglyph><style><img src onerror=window.hacked=9>',
  '<b>unclosed <i title="',
  '"><img src=x onerror=window.hacked=10>',
  "' onmouseover='window.hacked=11' x='",
  '</pre></code></details></article></div></body></html>',
  '<!-- a comment that does not end',
  ']]><![CDATA[ <?php echo 1 ?>',
  '&lt;script&gt;window.hacked=12&lt;/script&gt; &amp;#x3c; &#60;b&#62;',
  'javascript:window.hacked=13',
  '\u0001java\u00adscript:window.hacked=14',
  'JaVaScRiPt://example.invalid/%0Awindow.hacked=15',
  'vbscript:msgbox(1)',
  'data:text/html,<script>window.hacked=16</script>',
  'data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+',
  'data:image/png;base64,AAAA" onerror="window.hacked=17',
  'blob:http://127.0.0.1/hacked',
  '//example.invalid/hacked.png',
  'url(/hacked.png); background: url("/hacked.png")',
  '{{constructor.constructor("window.hacked=18")()}} ${window.hacked=19} <%= 1 %>',
  '\u202ereversed \u2066isolated \u200f\u202d',
  'a\u0300\u0301\u0302\u0303 \ufeff\u200b\u2028\u2029 \u0000 \u001b[31m',
  '[x](javascript:window.hacked=20) ![x](/hacked.png) <javascript:hacked()>',
  '__proto__',
  'constructor',
  'hasOwnProperty',
];

/** Words of the schema: what is not among the known ones is shown as such. */
const WORDS = new Set(['type', 'kind', 'role', 'tone', 'title_tone', 'summary_tone', 'status', 'action', 'event', 'field', 'effort', 'icon']);
/** Points in time, which the package holds to their form. */
const TIMES = new Set(['created_at', 'started_at', 'completed_at', 'last_updated_at', 'received_at', 'timestamp']);
/** Objects whose keys are anybody's. */
const MAPS = new Set(['changes', 'metadata']);
/** What is in a record and not drawn: names that link records to others, what a reply came in with, and what native forms add. */
const NOT_DRAWN = new Set(['call_id', 'stream_id', 'delta', 'duration', 'wait_total']);

/** A record with `text` and a number behind it in the place of each string that `isTaken`; the numbers and what they stand for. */
function poisoned(records, text, isTaken) {
  const places = [];
  const put = (where, isDrawn) => {
    places.push({ where, isDrawn });
    return `${text}⟦${places.length - 1}⟧`;
  };
  const walk = (value, key, where, isDrawn) => {
    if (typeof value === 'string') return isTaken(key, where) ? put(where, isDrawn && !NOT_DRAWN.has(key)) : value;
    if (Array.isArray(value)) return value.map((item) => walk(item, key, `${where}[]`, isDrawn));
    if (value === null || typeof value !== 'object') return value;
    const isMap = MAPS.has(key) && !('citations' in value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [
      isMap && isTaken('', where) ? put(`${where} key`, isDrawn) : name,
      walk(member, name, `${where}.${name}`, isDrawn && !NOT_DRAWN.has(name)),
    ]));
  };
  return { records: records.map((record) => ({ ...walk(record, '', record.type, true), id: record.id })), places };
}

const isType = (where) => /^\w+\.type$/u.test(where);
const TAKEN = {
  text: (key) => !WORDS.has(key) && !TIMES.has(key),
  word: (key, where) => WORDS.has(key) && !isType(where),
  'type of a record': (key, where) => isType(where),
};
/** What has no shape of its own is shown as JSON, and so is what stands in a block of an unknown type. */
const isJson = (where) => where.includes('.arguments[].value.value') || where.endsWith('.blocks[].spans[].tone');
/** A tone of nothing: it cannot be seen. */
const unseenWords = (records) => new Set(records.flatMap(({ type, payload }) => (type === 'wait_status' && !payload.header.summary ? ['wait_status.payload.header.summary_tone'] : [])));

/** What a transcript is made of: how many elements of each name, and the names of all their attributes. Runs in the page. */
function anatomy() {
  const counts = {};
  const attributes = new Set();
  for (const node of document.querySelectorAll('#log *')) {
    counts[node.tagName] = (counts[node.tagName] ?? 0) + 1;
    for (const { name } of node.attributes) attributes.add(name);
    if (/hacked|⟦/u.test(node.className)) attributes.add(`class ${node.className}`);
  }
  return { counts, attributes: [...attributes].toSorted() };
}

describe('hostile records', { timeout: 300_000 }, () => {
  const site = useDemo();

  /** A page that takes note of what a text might do: requests, dialogs, violations of the policy, other pages. */
  async function watched() {
    const demo = await site.fresh();
    const { page } = demo;
    const done = [];
    await page.evaluate(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => window.violations.push(`${violatedDirective} ${blockedURI}`));
      window.intact = [Object.keys(Object.prototype).length, document.querySelectorAll('script, style, link, base, meta').length];
    });
    page.on('request', (request) => {
      // The browser asks for the page's own icon again when its address changes.
      const isIcon = request.url() === `${site.url}icon.svg` && request.resourceType() === 'other';
      if (!isIcon) done.push(`request ${request.url()}`);
    });
    page.on('dialog', (dialog) => done.push(`dialog ${dialog.message()}`));
    page.on('popup', () => done.push('popup'));
    page.on('framenavigated', (frame) => done.push(`navigated ${frame.url()}`));
    const happened = async () => {
      const inside = await page.evaluate(() => ({
        hacked: window.hacked,
        violations: window.violations,
        changed: [Object.keys(Object.prototype).length, document.querySelectorAll('script, style, link, base, meta').length].join() !== window.intact.join(),
        frames: window.frames.length,
      }));
      // To open a file takes the conversation out of the address, which is a navigation within the page.
      return { ...inside, done: done.filter((what) => what !== `navigated ${site.url}`) };
    };
    return { demo, happened };
  }
  const NOTHING = { hacked: undefined, violations: [], changed: false, frames: 0, done: [] };

  for (const [name, isTaken] of Object.entries(TAKEN)) {
    test(`in the place of every ${name} make nothing, and are shown as they were typed`, async () => {
      const { demo, happened } = await watched();
      const records = allRecords();
      const open = async (text, title) => {
        const made = poisoned(records, text, isTaken);
        await openTranscript(demo, title, snapshotOf(made.records), records.length);
        return made;
      };
      const { places } = await open('harmless', 'harmless');
      assert.ok(places.length > 100, `${places.length} places`);
      const usual = await demo.page.evaluate(anatomy);
      // The documents have one true link, whose address is a text.
      assert.equal(usual.counts.A, name === 'word' ? 1 : undefined);
      for (const tag of ['IMG', 'SCRIPT', 'STYLE', 'IFRAME', 'SVG', 'svg', 'FORM', 'INPUT', 'OBJECT', 'TEMPLATE', 'LINK']) assert.equal(usual.counts[tag], undefined, tag);
      const attributes = `class dir tabindex role open value max datetime title${name === 'word' ? ' href rel target' : ''}`.split(' ');
      assert.deepEqual(usual.attributes.filter((attribute) => !attributes.includes(attribute) && !attribute.startsWith('aria-')), []);
      const unseen = unseenWords(records);
      for (const [at, text] of HOSTILE.entries()) {
        await open(text, `text ${at}`);
        const shown = await demo.log.textContent();
        const isShown = ({ where }, number) => shown.includes(`${isJson(where) ? JSON.stringify(text).slice(1, -1) : text}⟦${number}⟧`);
        const missing = places.filter((place, number) => place.isDrawn && !unseen.has(place.where) && !isShown(place, number)).map(({ where }) => where);
        assert.deepEqual([...new Set(missing)], [], `${JSON.stringify(text)} is shown as it was typed`);
        assert.deepEqual(await demo.page.evaluate(anatomy), usual, `${JSON.stringify(text)} makes no element`);
        assert.deepEqual(await happened(), NOTHING, JSON.stringify(text));
      }
      // What unfolds is drawn already; what is clicked leads nowhere.
      await demo.page.evaluate(() => document.querySelectorAll('#log details').forEach((node) => (node.open = true)));
      assert.deepEqual(await happened(), NOTHING);
    });
  }

  test('are shown as they were typed in a conversation and in a session', async () => {
    const model = await site.startModel();
    const { demo } = await watched();
    await demo.configure({ server: model.baseUrl });
    for (const text of HOSTILE.slice(0, 6)) {
      model.answer = (response) => {
        response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'application/json' });
        response.end(JSON.stringify({ choices: [{ message: { content: `\`\`\`${text}\n${text}\n\`\`\`` } }] }));
      };
      await demo.send(text);
      await demo.page.locator('#stop').waitFor({ state: 'hidden' });
      assert.equal(await demo.userTexts.last().textContent(), text);
      assert.equal(await demo.assistantTexts.last().locator('pre').textContent(), text);
    }
    assert.equal(await demo.page.locator('#log img, #log script, #log svg, #log iframe, #log a').count(), 0);
    assert.equal(await demo.page.evaluate(() => window.hacked), undefined);

    await demo.page.evaluate(async (texts) => {
      const { createSessionStore } = await import('/pkg/index.js');
      const sessions = createSessionStore({ storage: window.turnlogDemo.store });
      const session = sessions.create('recording-hostile');
      session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
      texts.forEach((text, at) => {
        const content = [{ type: 'text', text }, { type: text }];
        session.append('user/message', { content, source: { kind: 'plugin', plugin: text } }, { surfaceOp: 'append' });
        session.append('assistant/chunk', { turn: 1, step: at, chunk: { type: 'text-delta', index: 0, text } });
        session.append('assistant/message', { turn: 1, step: at, content: [{ type: 'reasoning', text }, ...content, { type: 'tool-call', id: text, name: text, arguments: JSON.stringify({ [text]: text }) }], provenance: { provider: text, model: text } }, { surfaceOp: 'append' });
        session.append('tool/result', { turn: 1, step: at, callId: text, content, isError: true, error: { name: text, code: text } }, { surfaceOp: 'append' });
        session.append('todo/write', { todos: [{ content: text, status: text }] });
      });
      session.append('turn/end', { turn: 1, reason: { kind: texts[0], message: texts[1] } });
      await sessions.close(session);
    }, HOSTILE);
    await demo.goto(`${site.url}#recording-hostile`);
    await demo.log.getByText('turn ended: <script>').waitFor();
    await demo.page.getByRole('button', { name: 'Show earlier' }).click();
    await demo.page.getByRole('button', { name: 'Show earlier' }).waitFor({ state: 'detached' });
    const shown = await demo.log.textContent();
    for (const text of HOSTILE) assert.ok(shown.split(text).length > 5, `${JSON.stringify(text)} is shown`);
    assert.equal(await demo.page.locator('#log img, #log script, #log svg, #log iframe, #log a').count(), 0);
    assert.equal(await demo.page.evaluate(() => window.hacked), undefined);
  });

  test('lead as links to the web and to mailboxes alone', async () => {
    const { demo } = await watched();
    const emphasis = { bold: false, italic: false, dim: false, strike: false, underline: false };
    const hrefs = ['https://example.org/a?b=1#c', 'http://example.org', 'mailto:ada@example.org', 'ftp://example.org', 'file:///etc/passwd', 'about:blank', 'filesystem:http://a/b', '/relative', '#fragment', 'https:', '', ...HOSTILE];
    const spans = hrefs.map((href, at) => ({ text: `link ${at}`, tone: 'default', emphasis, entity: { type: 'link', href } }));
    await openTranscript(demo, 'links', snapshotOf([{ id: 1, type: 'notice', payload: { title: null, body: [{ kind: 'paragraph', spans }] } }]), 1);
    const links = await demo.log.locator('a').evaluateAll((nodes) => nodes.map((node) => [node.getAttribute('href'), node.rel, node.target]));
    assert.deepEqual(links, hrefs.slice(0, 3).map((href) => [href, 'noopener noreferrer', '_blank']));
    const shown = await demo.log.textContent();
    for (const href of hrefs.slice(3)) assert.ok(shown.includes(`(${href})`), href);
  });

  test('show only pictures as pictures', async () => {
    const { demo, happened } = await watched();
    const png = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const paths = [png, 'data:image/png;base64,AAAA', 'data:image/svg+xml;base64,PHN2Zy8+', 'data:image/svg+xml,<svg/>', '/icon.svg', 'icon.svg', 'https://example.org/a.png', `${png}#x`, ...HOSTILE];
    const records = paths.map((path, at) => ({ id: at + 1, type: 'image', payload: { path, caption: null, metadata: null } }));
    await openTranscript(demo, 'images', snapshotOf(records), records.length);
    await demo.until(async () => (await demo.log.locator('img').count()) === 1, 'one is a picture');
    assert.equal(await demo.log.locator('img').getAttribute('src'), png);
    assert.deepEqual((await happened()).done.filter((what) => !what.includes('data:image/png')), []);
    const shown = await demo.log.textContent();
    for (const path of paths.slice(2)) assert.ok(shown.includes(path), path);
  });
});
