// The WebAssembly core, and whether it is running.

import * as raw from './turnlog.js';
import { TurnlogError } from './glue.js';

let running = false;
let startNow;
/** What the module exports, its memory among it. */
let exported;

/** Lets the core be started without waiting, where the host can read its bytes at once. */
export function startWith(starter) {
  startNow = starter;
}

/** The core's functions. Throws `not_initialized` before `init()` has resolved. */
export function core() {
  if (!running) {
    if (startNow === undefined) {
      throw new TurnlogError('not_initialized', 'turnlog is not running yet: await init() first');
    }
    needWebAssembly();
    exported = raw.initSync({ module: startNow() });
    running = true;
  }
  return raw;
}

/** Bytes of the core's memory, as they are until the next call: then they may be others, or the view empty. */
export function memoryView(address, length) {
  return new Uint8Array(exported.memory.buffer, address, length);
}

/** Starts the core from `source`, or from the file beside this package. */
export async function start(source) {
  if (running) return;
  needWebAssembly();
  if (source === undefined && startNow !== undefined) {
    core();
    return;
  }
  exported = await raw.default(source === undefined ? undefined : { module_or_path: source });
  running = true;
}

function needWebAssembly() {
  if (typeof WebAssembly !== 'object') {
    throw new TurnlogError('wasm_unavailable', 'this host has no WebAssembly');
  }
}
