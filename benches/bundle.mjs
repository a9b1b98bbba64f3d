// Peers whose modules import others by name, each put together in one file that the page can import.

import path from 'node:path';
import { build } from 'esbuild';

const PEERS = ['langchain', 'ai-sdk', 'assistant-ui', 'agents', 'tanstack'];

/** Writes `target/bench-peers/NAME.js` for each peer, beside what else is built. */
export function bundlePeers(root) {
  return build({
    entryPoints: PEERS.map((name) => path.join(root, 'benches', 'peers', `${name}.mjs`)),
    outdir: path.join(root, 'target', 'bench-peers'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
}
