// The demo's web server: `node www/serve.mjs [--port N]`. It serves this folder at / and the built package at
// /pkg/, with the content types and the content security policy that the package promises to work under, and
// nothing else: no directory listings, no writing, loopback only.
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const DEFAULT_PORT = 5173;
/** How many ports after the wanted one are tried before the system is asked for any free one. */
const PORTS_TRIED = 20;

const CONTENT_TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ts': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** `connect-src *` because the settings dialog may name any model server; everything else comes from here. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  'connect-src *',
  "img-src 'self' data:",
  "style-src 'self'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A rebuilt package must be seen on the next reload.
  'cache-control': 'no-store',
};

/** The real file that `pathname` names below `root`, or undefined. Links and `..` that lead out of it are not followed. */
async function fileBelow(root, pathname) {
  try {
    const base = await realpath(root);
    const file = await realpath(path.join(base, pathname));
    if (!file.startsWith(base + path.sep)) return undefined;
    const info = await stat(file);
    return info.isFile() ? { file, size: info.size } : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code)) return undefined;
    throw error;
  }
}

async function answer(request, response, folders) {
  const refuse = (status, text) =>
    response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(405, 'Only GET and HEAD are served here.');
  }
  let pathname;
  try {
    pathname = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  } catch {
    return refuse(400, 'The address is not well formed.');
  }
  if (pathname.includes('\0')) return refuse(400, 'The address is not well formed.');
  const inPackage = pathname.startsWith('/pkg/');
  const found = inPackage
    ? await fileBelow(folders.pkg, pathname.slice('/pkg/'.length))
    : await fileBelow(folders.www, pathname === '/' ? 'index.html' : pathname);
  if (!found) {
    return refuse(404, inPackage ? 'Not found. Is the package built? Run `make build`.' : 'Not found.');
  }
  response.writeHead(200, {
    ...HEADERS,
    'content-type': CONTENT_TYPES[path.extname(found.file)] ?? 'application/octet-stream',
    'content-length': found.size,
  });
  if (request.method === 'HEAD') return response.end();
  createReadStream(found.file)
    .on('error', (error) => response.destroy(error))
    .pipe(response);
}

function listen(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Starts the server on the loopback interface.
 * @param {{port?: number, www?: string, pkg?: string}} [options] `port` 0 takes any free one; a taken port
 *   leads to the next free one. `www` and `pkg` are the folders served at / and at /pkg/.
 * @returns {Promise<{url: string, port: number, close(): Promise<void>}>}
 */
export async function serve({ port = DEFAULT_PORT, www = HERE, pkg = path.join(HERE, '..', 'pkg') } = {}) {
  const server = createServer((request, response) => {
    answer(request, response, { www, pkg }).catch((error) => {
      console.error(`${request.method} ${request.url}:`, error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, HEADERS).end();
    });
  });
  const candidates = port === 0 ? [0] : [...Array(PORTS_TRIED).keys()].map((step) => port + step).filter((n) => n < 65536);
  for (const candidate of [...candidates, 0]) {
    try {
      await listen(server, candidate);
      break;
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || candidate === 0) throw error;
    }
  }
  const taken = server.address().port;
  return {
    url: `http://127.0.0.1:${taken}/`,
    port: taken,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

function wantedPort(argv, env) {
  const at = argv.indexOf('--port');
  const text = at >= 0 ? argv[at + 1] : (env.PORT ?? String(DEFAULT_PORT));
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`Not a port number: ${text}`);
  return port;
}

if (process.argv[1] && import.meta.url === pathToFileURL(await realpath(process.argv[1])).href) {
  const wanted = wantedPort(process.argv.slice(2), process.env);
  const { url, port } = await serve({ port: wanted });
  console.log(`turnlog demo: ${url}`);
  if (wanted !== 0 && port !== wanted) {
    console.log(`Port ${wanted} is taken. A browser keeps data per address: conversations held at port ${wanted} are not shown at this one.`);
  }
}
