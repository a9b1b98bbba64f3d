export { TurnlogError, ValidationError, StoreError, PlannerError, SessionError, TranscriptError, ContextError, isTurnlogError } from './glue.js';
export { init } from './loading.js';
export { ok, err, isOk, isErr } from './result.js';
export {
  SessionId,
  MessageId,
  AssistantInjectionMessage,
  ChartRequestMessage,
  deriveUserIntent,
  defaultLLMContext,
  toSessionHistoryEntry,
  fromSessionHistoryEntry,
} from './protocol.js';
export { createInMemoryStore, createIndexedDbStore } from './stores.js';
export { createLocalStorageStore } from './local-storage/store.js';
export { openStore } from './open-store.js';
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
export { createEngine } from './engine.js';
export { llmPlanner } from './llm-planner.js';
export { version } from './version.js';
