// The part of the package that needs no sessions, transcripts or contexts: what both entries export.
export { TurnlogError, ValidationError, StoreError, PlannerError, isTurnlogError } from '../glue.js';
export { ok, err, isOk, isErr } from '../result.js';
export {
  SessionId,
  MessageId,
  AssistantInjectionMessage,
  ChartRequestMessage,
  deriveUserIntent,
  defaultLLMContext,
  toSessionHistoryEntry,
  fromSessionHistoryEntry,
} from '../protocol.js';
export { createInMemoryStore, createIndexedDbStore } from '../stores.js';
export { createLocalStorageStore } from '../local-storage/store.js';
export { openStore } from '../open-store.js';
export { createEngine } from '../engine.js';
export { llmPlanner } from '../llm-planner.js';
export { version } from '../version.js';
