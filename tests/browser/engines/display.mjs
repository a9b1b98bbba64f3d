// A display for a browser that has no headless mode.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mustBeInstalled } from './processes.mjs';

const EXECUTABLE = '/usr/bin/Xvfb';

/** Starts an X server on a free display. Should this process die, it ends, and with it the browser on it. */
export async function startDisplay() {
  await mustBeInstalled('A display', EXECUTABLE, 'xvfb');
  const options = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe'];
  const server = spawn('setpriv', ['--pdeathsig', 'KILL', EXECUTABLE, ...options], { stdio });
  const ended = once(server, 'exit');
  const number = await Promise.race([
    once(server.stdio[3], 'data').then(([bytes]) => Number.parseInt(bytes, 10)),
    ended.then(([code]) => Promise.reject(new Error(`Xvfb ended with ${code}`))),
  ]);
  return {
    name: `:${number}`,
    stop: async () => {
      server.kill();
      await ended;
    },
  };
}
