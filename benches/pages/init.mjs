// From nothing to the first use: a new page, or a new process of Node, imports the library, starts it, and does the least with it.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WARM_UP_ROUNDS, summary } from '../measure.mjs';
import { APPS, bundleApps } from '../sizes.mjs';

const OURS = 'turnlog';
/** What needs no database, and what Node imports for it. */
const IN_NODE = { [OURS]: 'turnlog', ai: 'ai', '@langchain/core': '@langchain/core/messages', '@tanstack/ai-client': '@tanstack/ai-client' };
const run = promisify(execFile);

/** What runs in the page; each gets the address of its module. */
const FIRST_USES = {
  [OURS]: async (address) => {
    const { init, createInMemoryStore, AssistantInjectionMessage } = await import(address);
    await init();
    const input = AssistantInjectionMessage({ sessionId: 's', content: 'Hello' });
    await createInMemoryStore().append('s', { kind: 'injection', input });
  },
  ai: async (address) => {
    const { convertToModelMessages } = await import(address);
    await convertToModelMessages([{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]);
  },
  '@langchain/core': async (address) => {
    const { HumanMessage, trimMessages } = await import(address);
    await trimMessages([new HumanMessage('Hello')], { maxTokens: 9, strategy: 'last', tokenCounter: (list) => list.length });
  },
  dexie: async (address) => {
    const { Dexie } = await import(address);
    const database = new Dexie(`first-use-${performance.timeOrigin}`);
    database.version(1).stores({ entries: '++' });
    await database.table('entries').add({ content: 'Hello' });
  },
  '@tanstack/ai-client': async (address) => {
    const { ChatClient, stream } = await import(address);
    new ChatClient({ connection: stream(async function* () {}) }).getMessages();
  },
  'ai + zod + dexie': async (address) => {
    const { Dexie, convertToModelMessages, z } = await import(address);
    const message = z.object({ role: z.string(), parts: z.array(z.any()) }).parse({ role: 'user', parts: [{ type: 'text', text: 'Hello' }] });
    await convertToModelMessages([message]);
    const database = new Dexie(`first-use-${performance.timeOrigin}`);
    database.version(1).stores({ entries: '++' });
    await database.table('entries').add(message);
  },
};

function addressOf(name) {
  return name === OURS ? '/pkg/index.js' : `/target/bench-peers/${APPS[name][0]}.js`;
}

export async function initRows({ context, url, rounds, root }) {
  await bundleApps(root);
  const inPage = await inTurn(Object.keys(FIRST_USES), rounds, (name) => inNewPage(context, url, name));
  const inNode = await inTurn(Object.keys(IN_NODE), rounds, (name) => inNewProcess(root, name));
  const note =
    'First use: a new page imports the module from a server on the same machine, without a cache, and does the least with it: turnlog checks ' +
    'and appends a message, `ai` and LangChain convert or trim one, Dexie opens a database and writes one, the TanStack client is made.';
  return [
    { id: 'init', way: 'page', what: 'a new page: import, start, first use', values: inPage, note },
    { id: 'init', way: 'Node', what: 'a new process of Node: import, start, first use', values: inNode },
  ];
}

async function inTurn(names, rounds, sample) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const turn = (round + WARM_UP_ROUNDS) % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      const gone = await sample(name);
      if (round >= 0) samples[name].push(gone);
    }
  }
  return Object.fromEntries(names.map((name) => [name, summary(samples[name])]));
}

/** An expression that takes the time, in microseconds. */
function timed(name, address) {
  return `(async () => {
    const use = ${FIRST_USES[name]};
    const start = performance.now();
    await use(${JSON.stringify(address)});
    return (performance.now() - start) * 1000;
  })()`;
}

async function inNewProcess(root, name) {
  const script = `console.log(await ${timed(name, IN_NODE[name])});`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  return Number(stdout);
}

async function inNewPage(context, url, name) {
  const page = await context.newPage();
  try {
    await page.goto(`${url}benches/pages/blank.html`);
    return await page.evaluate(timed(name, addressOf(name)));
  } finally {
    await page.close();
  }
}
