// The site that the engines' pages come from: the test pages and the package as the demo's server serves them, with
// agent.mjs in each page, and below /remote/ what that agent talks to.
import { createReadStream } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serve } from '../../../www/serve.mjs';
import { Remote } from './remote.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const AGENT = path.join(HERE, 'agent.mjs');
const AGENT_TAG = '<script type="module" src="/remote/agent.mjs"></script>';

/** Where a tab of a browser without automation begins. */
const TAB_PAGE = `<!doctype html><title>tab</title><link rel="icon" href="data:,">${AGENT_TAG}`;

/**
 * Starts it, on a port of its own: a site keeps its origin, and with it what is stored, over restarts of a browser.
 * The environment variable TURNLOG_PKG names another folder than pkg/ for the package.
 *
 * A page tells by `report(value)`, a worker by a POST of a JSON array to /remote/reports, and `site.onReport` is
 * called with each value in the order in which they came in.
 */
export async function startSite() {
  const folders = { www: path.join(HERE, '..', 'pages') };
  if (process.env.TURNLOG_PKG) folders.pkg = process.env.TURNLOG_PKG;
  const files = await serve({ port: 0, ...folders });
  const site = { onReport: () => {} };
  site.remote = new Remote(site);
  const server = http.createServer((request, response) => {
    answer(site, files, request, response).catch((error) => {
      // A browser that was killed leaves requests behind.
      if (!request.destroyed) console.error(`${request.method} ${request.url}:`, error);
      response.destroy();
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  site.url = `http://127.0.0.1:${server.address().port}/`;
  site.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await files.close();
  };
  return site;
}

async function answer(site, files, request, response) {
  const url = new URL(request.url, site.url);
  if (!url.pathname.startsWith('/remote/')) return forward(files, request, response);
  response.setHeader('cache-control', 'no-store');
  const [, , place, name = ''] = url.pathname.split('/');
  switch (place) {
    case 'agent.mjs':
      response.setHeader('content-type', 'text/javascript');
      return createReadStream(AGENT).pipe(response);
    case 'tab':
      return response.setHeader('content-type', 'text/html').end(TAB_PAGE);
    case 'commands':
      return site.remote.commands(url, response);
    case 'calls': {
      const source = site.remote.source(Number.parseInt(name, 10));
      return response.writeHead(source ? 200 : 404, { 'content-type': 'text/javascript' }).end(source);
    }
    case 'outcomes':
      site.remote.outcome(url, await text(request));
      return response.end();
    case 'reports':
      for (const value of JSON.parse(await text(request))) site.onReport(value);
      return response.end();
    default:
      return response.writeHead(404).end();
  }
}

/** Hands on what the file server answers; pages get the agent as their first script. */
async function forward(files, { method, url }, response) {
  const found = await new Promise((resolve, reject) => {
    http.request(new URL(url, files.url), { method }, resolve).on('error', reject).end();
  });
  const { 'content-length': _, connection: __, 'keep-alive': ___, ...headers } = found.headers;
  response.writeHead(found.statusCode, headers);
  if (!headers['content-type']?.startsWith('text/html')) return found.pipe(response);
  return response.end((await text(found)).replace('<head>', `<head>${AGENT_TAG}`));
}
