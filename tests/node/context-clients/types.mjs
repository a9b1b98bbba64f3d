// Whether bodies are of the types that the providers' clients publish. No package ships a schema of these requests but the AI
// SDK, so the TypeScript compiler checks each body as a constant: missing members, wrong types and unknown members.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { geminiCall } from './clients.mjs';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** For each API the type of its request, the module that has it, and what the client is given of a body. */
const REQUESTS = {
  'openai-chat': { type: 'ChatCompletionCreateParamsNonStreaming', from: 'openai/resources/chat/completions', given: withoutReasoning },
  'openai-responses': { type: 'ResponseCreateParamsNonStreaming', from: 'openai/resources/responses/responses', given: (body) => body },
  'anthropic-messages': { type: 'MessageCreateParamsNonStreaming', from: '@anthropic-ai/sdk/resources/messages', given: withoutSampling },
  gemini: { type: 'GenerateContentParameters', from: '@google/genai', given: geminiCall },
  'ai-sdk': { type: 'ModelMessage', of: (name) => `${name}[]`, from: 'ai', given: (body) => body },
};

const CONFIG = {
  compilerOptions: {
    strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: 'nodenext', moduleResolution: 'nodenext', types: ['node'],
  },
  include: ['*.ts'],
};

/** Reasoning is what compatible servers add; the API itself knows nothing of it. */
function withoutReasoning({ messages, ...body }) {
  return { ...body, messages: messages.map(({ reasoning_content: _, ...message }) => message) };
}

/** Newer models refuse what says how to sample, and the client's types no longer know it; others still take it. */
function withoutSampling({ temperature: _temperature, top_p: _topP, top_k: _topK, ...body }) {
  return body;
}

/** Which texts there are is no matter of types, and takes the compiler's time. */
function shortened(name, value) {
  return typeof value === 'string' ? value.slice(0, 80) : value;
}

/**
 * What the compiler says against the bodies, parsed, of each API; nothing if they are of its types.
 *
 * @param {Record<string, unknown[]>} bodies
 * @returns {Promise<string>}
 */
export async function typeErrors(bodies) {
  const folder = await mkdtemp(join(tmpdir(), 'context-types-'));
  try {
    await symlink(MODULES, join(folder, 'node_modules'), 'dir');
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    for (const [provider, list] of Object.entries(bodies)) {
      const { type, of = (name) => name, from, given } = REQUESTS[provider];
      const lines = list.map((body) => `(${JSON.stringify(given(body), shortened)}) satisfies ${of(type)};`);
      await writeFile(join(folder, `${provider}.ts`), `import type { ${type} } from '${from}';\n${lines.join('\n')}\n`);
    }
    return await compile(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function compile(folder) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', folder, '--pretty', 'false'], { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      // The compiler ends with 1 or 2 where it found something to say.
      if (error === null || [1, 2].includes(error.code)) resolve(stdout);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}
