// What `turnlog` exports.
export * from './history/parts.js';
export { init } from './loading.js';
export { SessionError, TranscriptError, ContextError } from './glue.js';
export { Session } from './session/session.js';
export { createSessionStore } from './session/session-store.js';
export { deriveEventMessage, isSurfaceEligibleType, isSurfaceEvent } from './session/events.js';
export {
  SESSION_FORMAT_VERSION,
  assembleChunks,
  canonicalHeader,
  checkInvariants,
  foldRequestHeader,
  foldSurface,
  headerEquals,
  interruptedTurnClosers,
  readSessionLog,
  toolPairing,
  traceEvents,
  writeSessionLog,
} from './session/functions.js';
export { sessionHistory } from './session/log-history.js';
export { createSessionHistoryStore } from './session/history-store.js';
export { isJsonValue, snapshotJsonValue } from './session/lossless.js';
export { HistoryState, documentToNative, nativeToDocument } from './transcript/history-state.js';
export { buildContext, buildRequest, prepareRequest } from './context/requests.js';
export { applyCompaction, planCompaction } from './context/compaction.js';
export { estimateTokens } from './context/tokens.js';
