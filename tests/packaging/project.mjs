// An empty project in a folder of its own with the packed package installed into it, as a user has it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

// A test run that is started from within a test must not take itself for a part of it.
const { NODE_TEST_CONTEXT: _inner, NODE_OPTIONS: _options, ...ENVIRONMENT } = process.env;

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A new project. `tarball` is where `npm pack` left the package, `packed` the paths of the files in it. */
export async function createProject() {
  const folder = await mkdtemp(path.join(tmpdir(), 'turnlog-packaging-'));
  const project = path.join(folder, 'project');
  await mkdir(project);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: path.join(ROOT, 'pkg') });
  const answer = JSON.parse(stdout);
  // npm 12 answers with an object by package name, older ones with a list.
  const [report] = Array.isArray(answer) ? answer : Object.values(answer);
  const tarball = path.join(folder, report.filename);
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  // Offline: the package has no dependency, and installing it must ask for none.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
  const manifest = JSON.parse(await readFile(path.join(project, 'node_modules/turnlog/package.json'), 'utf8'));

  return {
    folder: project,
    tarball,
    manifest,
    packed: report.files.map((file) => file.path),
    path: (...parts) => path.join(project, ...parts),

    async write(files) {
      for (const [name, text] of Object.entries(files)) await writeFile(path.join(project, name), text);
    },

    /** Runs a program in the project. A failure's message holds all that it said. */
    async run(program, args) {
      try {
        return (await run(program, args, { cwd: project, env: ENVIRONMENT })).stdout;
      } catch (error) {
        throw new Error(`${program} ${args.join(' ')}: exit ${error.code}\n${error.stdout}${error.stderr}`);
      }
    },

    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
