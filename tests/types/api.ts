// A program that uses every export, and lines that must not compile. `tsc --strict` on it is the test.
import {
  AssistantInjectionMessage, ChartRequestMessage, MessageId, PlannerError, SessionId, StoreError, TurnlogError, ValidationError,
  createEngine, createInMemoryStore, createIndexedDbStore, createLocalStorageStore, defaultLLMContext, deriveUserIntent, err,
  fromSessionHistoryEntry, init, isErr, isOk, isTurnlogError, llmPlanner, ok, openStore, toSessionHistoryEntry, version,
} from 'turnlog';
import type {
  ChartResponseOutput, Draft, DraftOptions, Engine, HistoryConfig, HistoryEntry, HistoryStore, Json, LLMMessage, LocalStorageStoreOptions,
  LocalStore, OpenedStore, OpenStoreOptions, PlanFunction, Planner, PlannerContext, Result, SessionHistoryEntry, SessionInfo, StoreChange,
  UnfinishedDraft, UpdateReason,
} from 'turnlog';
import { testHistoryStore } from 'turnlog/testing';
import type { StoreUnderTest, TestHistoryStoreOptions } from 'turnlog/testing';

/** Compiles where both are the same type, in both directions. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function holds<_T extends true>(): void {}

// ---- ids ------------------------------------------------------------------------------------------------

const session: SessionId = SessionId('user-42');
const fresh: MessageId = MessageId();
const given: MessageId = MessageId('m1');
const text: string = session;
// @ts-expect-error a plain string is no session id
const plain: SessionId = 'user-42';
// @ts-expect-error nor a message id
const plainMessage: MessageId = text;
// @ts-expect-error a message id is no session id
const crossed: SessionId = given;
// @ts-expect-error a session id must be given
SessionId();
// @ts-expect-error a session id is no number
SessionId(5);
// @ts-expect-error there is no `new`
new SessionId('user-42');

// ---- messages -------------------------------------------------------------------------------------------

const note: AssistantInjectionMessage = AssistantInjectionMessage({ sessionId: 'user-42', content: 'x', author: { name: 'n' } });
const request: ChartRequestMessage = ChartRequestMessage({
  sessionId: session, id: fresh, timestamp: 5, reasons: [{ kind: 'user_intent', text: 'hi' }, { kind: 'resize', width: 640 }], vessels: [],
});
holds<Same<typeof note.type, 'assistant_message'>>();
holds<Same<typeof request.type, 'chart_request'>>();
holds<Same<typeof request.id, MessageId>>();
holds<Same<typeof note.sessionId, SessionId>>();
const reasons: readonly UpdateReason[] = request.reasons;
const json: Json = { a: [1, null, { b: true }] };
// @ts-expect-error content is missing
AssistantInjectionMessage({ sessionId: 'user-42' });
// @ts-expect-error reasons are missing
ChartRequestMessage({ sessionId: 'user-42' });
// @ts-expect-error a timestamp is a number
AssistantInjectionMessage({ sessionId: 'user-42', content: 'x', timestamp: 'now' });
// @ts-expect-error a message is not changed
note.content = 'other';
// @ts-expect-error a BigInt is no JSON
const notJson: Json = 1n;

// ---- Result and errors ----------------------------------------------------------------------------------

const good = ok(5);
const bad = err(new TypeError('x'));
holds<Same<typeof good.value, number>>();
holds<Same<typeof bad.error, TypeError>>();

function narrowing(result: Result<number>): string {
  // @ts-expect-error the value is there only after isOk
  result.value.toFixed();
  if (isOk(result)) return result.value.toFixed();
  if (isErr(result)) return result.error.code;
  const nothing: never = result;
  return nothing;
}

function byKind(error: unknown): string | undefined {
  if (error instanceof ValidationError || error instanceof StoreError || error instanceof PlannerError) return error.path;
  if (error instanceof TurnlogError) return error.message;
  return isTurnlogError(error) ? `${error.code} ${String(error.details)}` : undefined;
}

// ---- stores ---------------------------------------------------------------------------------------------

interface Audit { tenantId: string }

const memory: LocalStore<Audit> = createInMemoryStore<Audit>();
const indexed: LocalStore = createIndexedDbStore({ name: 'chat', durability: 'strict', timeout: 5_000, onChange: (change: StoreChange) => change.kind });
holds<Same<typeof memory.kind, 'indexeddb' | 'localstorage' | 'memory'>>();
const local: LocalStore<Audit> = createLocalStorageStore<Audit>({ prefix: 'chat', onChange: ({ local: own }) => own });
// @ts-expect-error a prefix is a string
createLocalStorageStore({ prefix: 5 });
// @ts-expect-error there is no such durability
createIndexedDbStore({ durability: 'eventually' });

const own: HistoryStore = {
  async append() { return 'inserted'; },
  async get() { return []; },
  async replace() {},
  async clear() {},
  async getResponseById() { return undefined; },
};
// @ts-expect-error a store has five methods
const half: HistoryStore = { async append() { return 'inserted'; } };
const wrong: HistoryStore = {
  ...own,
  // @ts-expect-error append says 'inserted' or 'deduped'
  async append() { return 'yes'; },
};

async function openStores(): Promise<void> {
  const opened: OpenedStore<Audit> = await openStore<Audit>({ name: 'chat', prefer: 'indexeddb', durability: 'strict' });
  const store: LocalStore<Audit> = opened;
  if (opened.kind !== 'indexeddb') holds<Same<typeof opened.reason, StoreError | undefined>>();
  const { sessions, entries, error } = opened.migrated ?? { sessions: 0, entries: 0 };
  const options: [OpenStoreOptions, LocalStorageStoreOptions] = [{}, {}];
  // @ts-expect-error there is no such store
  await openStore({ prefer: 'opfs' });
  void [store, sessions, entries, error, options, local];
}

async function useStores(): Promise<void> {
  const entry: HistoryEntry<Audit> = { kind: 'turn', input: request, output: { userMessage: 'x', plan: [] }, metadata: { tenantId: 'acme' } };
  const outcome = await memory.append(session, entry);
  holds<Same<typeof outcome, 'inserted' | 'deduped'>>();
  // @ts-expect-error the id must be branded
  await memory.append('user-42', entry);
  // @ts-expect-error the metadata is another type
  await memory.append(session, { ...entry, metadata: { tenant: 5 } });
  const entries: readonly HistoryEntry<Audit>[] = await memory.get(session);
  for (const each of entries) {
    if (each.kind === 'turn') holds<Same<typeof each.output, ChartResponseOutput>>();
    else holds<Same<typeof each.input, AssistantInjectionMessage>>();
    // @ts-expect-error only a turn has an output
    each.output.userMessage;
    each.metadata?.tenantId.toUpperCase();
  }
  await memory.replace(session, entries);
  const response: ChartResponseOutput | undefined = await memory.getResponseById(session, given);
  const infos: SessionInfo[] = await memory.sessions();
  const known: boolean = await memory.has(session, given);
  const tail: readonly HistoryEntry<Audit>[] = await memory.tail(session, 50);
  const end: () => void = memory.subscribe(({ sessionId, local }) => [sessionId, local]);
  const [persisted, granted]: boolean[] = [await memory.persisted(), await memory.requestPersistence()];
  const { usage, quota } = await memory.estimate();
  const bytes: Uint8Array = await indexed.exportSession(session);
  const { sessionId, inserted, deduped } = await indexed.importSession(bytes);
  const gathered: DraftOptions = { window: 50 };
  const draft: Draft = memory.draft(session, given, gathered);
  draft.write(draft.text);
  const flushed: Promise<void> = draft.flush();
  // @ts-expect-error the text is only read
  draft.text = '';
  // @ts-expect-error the id must be branded
  indexed.draft(session, 'm1');
  const unfinished: UnfinishedDraft[] = await memory.drafts(session);
  for (const { messageId, text: soFar, updated } of unfinished) {
    holds<Same<typeof messageId, MessageId>>();
    void [soFar.length, updated.toFixed()];
  }
  await draft.discard();
  void flushed;
  await memory.clear(session);
  await memory.close();
  void [response, infos, known, tail, end, persisted, granted, usage, quota, sessionId, inserted, deduped, outcome];
}

// ---- the engine -----------------------------------------------------------------------------------------

const plan: PlanFunction = async (message, context: PlannerContext) => {
  context.signal.throwIfAborted();
  const prior: LLMMessage[] = context.messages;
  return { userMessage: `${deriveUserIntent(message)} ${prior.length} ${context.sessionId} ${context.overBudget}` };
};
const planner: Planner = { plan };
const history: HistoryConfig<Audit> = {
  store: memory, maxEntries: 50, maxChars: 40_000, retention: 'keep',
  transformEntry: (entry) => (entry.kind === 'turn' ? { ...entry, metadata: { tenantId: 'acme' } } : entry),
  deriveLLMContext: (entry, defaults) => (entry.kind === 'turn' && entry.metadata?.tenantId === 'x' ? [{ role: 'assistant', content: '' }] : defaults()),
};
const engine: Engine = createEngine({ planner, history });
createEngine({ planner: (message) => ({ userMessage: message.id }) });
createEngine({ planner: llmPlanner({ adapter: {}, systemPrompt: 'Be brief.', onText: (delta, message) => [delta.length, message.id] }) });
// @ts-expect-error a planner is needed
createEngine({});
// @ts-expect-error the store is needed: nothing is kept in memory silently
createEngine({ planner, history: { maxEntries: 50 } });
// @ts-expect-error a response has a userMessage
createEngine({ planner: async () => ({ text: 'x' }) });
// @ts-expect-error there is no such role
const message: LLMMessage = { role: 'tool', content: '' };

async function useEngine(): Promise<void> {
  const answered = await engine.handle(request, { signal: new AbortController().signal });
  if (isOk(answered)) {
    holds<Same<typeof answered.value.type, 'chart_response'>>();
    const { output, replayed, conflict } = answered.value;
    void [output.userMessage.length, replayed, conflict === true];
  }
  const injected = await engine.handle(note);
  if (isOk(injected) && injected.value.type === 'assistant_message_result' && injected.value.outcome === 'inserted') {
    holds<Same<typeof injected.value.outcome, 'inserted'>>();
  } else if (isErr(injected)) byKind(injected.error);
  // @ts-expect-error a message is made by a constructor or has all of its fields
  await engine.handle({ type: 'chart_request' });
  // @ts-expect-error the id must be branded
  await engine.getHistory('user-42');
  const wire: Result<SessionHistoryEntry[]> = await engine.getHistory(session);
  const context: Result<LLMMessage[]> = await engine.getLLMContext(session);
  const bytes: Result<Uint8Array> = await engine.getLLMContextBytes(session);
  if (isOk(wire)) {
    const imported = await engine.importHistory(session, wire.value);
    if (isOk(imported)) holds<Same<typeof imported.value.conflicts, MessageId[]>>();
    for (const entry of wire.value) {
      const shown: string = entry.kind === 'turn' ? entry.userIntent + entry.assistantMessage : entry.content;
      // @ts-expect-error only an injection has content
      entry.content;
      const back: SessionHistoryEntry = toSessionHistoryEntry(fromSessionHistoryEntry(entry));
      const messages: LLMMessage[] = defaultLLMContext(fromSessionHistoryEntry(entry));
      void [shown, back, messages];
    }
  }
  void [context, bytes];
}

// ---- loading and the contract kit -----------------------------------------------------------------------

async function load(): Promise<void> {
  const api = await init();
  const again = await init(new URL('https://example.org/turnlog_bg.wasm'));
  await init(new Uint8Array());
  const number: string = api.version + again.version + version;
  api.createEngine({ planner });
  void number;
}

const options: TestHistoryStoreOptions = { test: (name, fn) => [name, fn({ skip: () => undefined })], name: 'mine', timeout: 1000 };
testHistoryStore(() => own, options);
testHistoryStore(async () => memory, options);
testHistoryStore((): StoreUnderTest => ({ store: own, close: () => undefined, another: async () => own }), options);
// @ts-expect-error a runner is needed
testHistoryStore(() => own, {});
// @ts-expect-error this makes no store
testHistoryStore(() => 5, options);

void [plain, plainMessage, crossed, reasons, json, notJson, half, wrong, message, narrowing, openStores, useStores, useEngine, load];
