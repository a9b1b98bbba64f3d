// The declarations of `turnlog/history`: the protocol, the history and its stores, without sessions, transcripts and contexts.
// Its WebAssembly is a smaller one; databases and errors are the same.

export type { HistoryLimits, ImportReport, LLMMessage, SessionHistoryEntry, SessionInfo } from './turnlog.js';
export * from './protocol.js';
export * from './result.js';
export * from './errors.js';
export * from './stores.js';
export * from './engine.js';

/**
 * Starts this entry's own WebAssembly core and resolves to this module's exports; otherwise as the `init` of `turnlog`.
 *
 * @throws {TurnlogError} Rejects with `wasm_unavailable` where the host has no WebAssembly, and with the host's own
 * error where the file cannot be fetched or compiled.
 */
export function init(source?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<typeof import('./history.js')>;

/** The version of this package. */
export const version: string;
