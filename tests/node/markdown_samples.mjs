// The code samples of the repository's pages, and a folder to check and run them in.
//
// A sample is a fence whose language is `js` or `ts`. It is a whole module: it imports what it uses and awaits
// `init()` before it uses it. What follows `// →` at the end of a line or on a line of its own is what it prints,
// line by line, in order; a sample without an arrow may print anything. The word `browser` behind the language marks
// a sample for Chromium alone; any other runs in Node. Samples in TypeScript also have to pass `tsc --strict`.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// A test run that is started from within a test must not take itself for a part of it.
const { NODE_TEST_CONTEXT: _inner, NODE_OPTIONS: _options, ...ENVIRONMENT } = process.env;

/** The pages whose samples count, as paths from the repository's root. */
export async function pages() {
  const docs = (await readdir(path.join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).sort();
  return ['README.md', 'pkg-template/README.md', ...docs.map((name) => `docs/${name}`)];
}

/** All samples: where each stands, its language and marks, its source and the lines it is to print. */
export async function allSamples() {
  const perPage = await Promise.all(
    (await pages()).map(async (page) => samplesOf(page, await readFile(path.join(ROOT, page), 'utf8'))),
  );
  return perPage.flat();
}

/** The samples of one page's text. Throws for a fence that is not closed or whose marks mean nothing. */
export function samplesOf(page, text) {
  const samples = [];
  let open;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*```\s*(.*)$/.exec(line);
    if (open === undefined && fence) {
      const [language = '', ...marks] = fence[1].trim().split(/\s+/);
      open = { title: `${page}:${index + 1}`, language, marks, lines: [] };
    } else if (fence && fence[1] === '') {
      if (['js', 'ts'].includes(open.language)) samples.push(finished(open));
      open = undefined;
    } else {
      open?.lines.push(line);
    }
  }
  if (open !== undefined) throw new Error(`${open.title}: the fence is not closed`);
  return samples;
}

function finished({ title, language, marks, lines }) {
  const unknown = marks.filter((mark) => mark !== 'browser');
  if (unknown.length > 0) throw new Error(`${title}: unknown mark ${unknown.join(' ')}`);
  const prints = lines.flatMap((line) => /\/\/ →\s?(.*)$/.exec(line)?.[1] ?? []);
  return { title, language, inBrowser: marks.includes('browser'), source: `${lines.join('\n')}\n`, prints };
}

/** The sample as JavaScript, its types taken off. */
export async function asJavaScript({ language, source }) {
  return language === 'ts' ? (await transform(source, { loader: 'ts', format: 'esm' })).code : source;
}

/** A folder outside the repository in which `turnlog` is the built package. */
export async function createFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'turnlog-samples-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  return {
    write: (name, text) => writeFile(path.join(folder, name), text),
    /** Runs a file in Node. @returns {Promise<{code: number, stdout: string, stderr: string}>} */
    run: (name) => execute(process.execPath, [name], folder),
    /** Checks TypeScript files; `output` is empty where they pass. */
    async compile(files, { module, moduleResolution }) {
      const compilerOptions = {
        strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'], types: [], module, moduleResolution,
      };
      await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      // A .ts file is a module of the kind that the manifest beside it says.
      await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
      const { code, stdout, stderr } = await execute(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], folder);
      return { code, output: stdout + stderr };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function execute(program, args, cwd) {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env: ENVIRONMENT, timeout: 120_000 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}
