// The declarations of `turnlog`, for index.js and node.js alike. Plain values are generated from the core's Rust types
// (turnlog.d.ts) and only named here; what generation cannot say is written by hand.

export type { HistoryLimits, ImportReport, LLMMessage, SessionHistoryEntry, SessionInfo } from './turnlog.js';
export * from './protocol.js';
export * from './result.js';
export * from './errors.js';
export * from './stores.js';
export * from './engine.js';
export * from './session.js';
export * from './transcript.js';
export * from './session-history.js';
export * from './context.js';

/**
 * Starts the WebAssembly core and resolves to this module's exports. Memoised; after a failure the next call tries
 * again. Browsers and workers need it before any other call (`not_initialized` otherwise); in Node the exports work
 * without it. `source` is where the core comes from if not from the file beside this module.
 *
 * @throws {TurnlogError} Rejects with `wasm_unavailable` where the host has no WebAssembly, and with the host's own
 * error where the file cannot be fetched or compiled.
 */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<typeof import('./index.js')>;

/** The version of this package. */
export const version: string;
