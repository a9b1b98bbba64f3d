// The processes that make up a browser, and their sudden end. Reads Linux's /proc.
import { access, readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const GONE_MS = 10_000;

export function isThere(file) {
  return access(file).then(() => true, () => false);
}

/** Throws, saying what to install, when there is no such file. */
export async function mustBeInstalled(what, file, packages) {
  if (await isThere(file)) return;
  throw new Error(`${what} is not installed: no ${file}. \`tools/setup.sh test\` installs Debian's ${packages}`);
}

/** All processes: `{pid, parent, group}`. One that ended and was not yet waited for is none. */
async function allProcesses() {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const found = await Promise.all(names.map(async (name) => {
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The command's name stands in parentheses and may hold any character.
    const [state, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(name), state, parent: Number(parent), group: Number(group) };
  }));
  return found.filter(({ state }) => state && state !== 'Z' && state !== 'X');
}

/** The ids of the process, of its group, and of all that descend from it. */
export async function processTree(leader) {
  const all = await allProcesses();
  const tree = new Set([leader, ...all.filter(({ group }) => group === leader).map(({ pid }) => pid)]);
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** Kills the process that leads a group, the group and all descendants; resolves when they are gone. */
export async function killTree(leader) {
  const tree = await processTree(leader);
  signal(-leader, 'SIGKILL');
  for (const pid of tree) signal(pid, 'SIGKILL');
  await haveEnded(tree);
}

/** Resolves when none of the processes is left. */
export async function haveEnded(pids) {
  const until = Date.now() + GONE_MS;
  for (;;) {
    const all = new Set((await allProcesses()).map(({ pid }) => pid));
    const left = pids.filter((pid) => all.has(pid));
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`processes ${left} do not end`);
    await sleep(5);
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
