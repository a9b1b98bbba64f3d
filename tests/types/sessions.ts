// Event-sourced sessions: what narrows, what a plugin adds, and lines that must not compile.
import {
  HistoryState, SESSION_FORMAT_VERSION, Session, SessionError, assembleChunks, canonicalHeader, checkInvariants, createInMemoryStore,
  createSessionHistoryStore, createSessionStore,
  deriveEventMessage, foldRequestHeader, foldSurface, headerEquals, interruptedTurnClosers, isJsonValue, isSurfaceEligibleType,
  isSurfaceEvent, readSessionLog, sessionHistory, snapshotJsonValue, toolPairing, traceEvents, writeSessionLog,
} from 'turnlog';
import type {
  EpochHeader, EventTrace, HistoryStore, SessionEvent, SessionHeader, SessionHistoryEntry, SessionMessage, SurfaceEventType,
} from 'turnlog';

declare module 'turnlog' {
  interface SessionEventMap {
    'plugin/noted': { note: string };
  }
}

const session: Session = new Session('s', [], { version: SESSION_FORMAT_VERSION, id: 's', createdAt: 5 });
const header: SessionHeader = session.header;
session.append('plugin/noted', { note: 'x' });
const said = session.append('user/message', { content: [{ type: 'text', text: 'hi' }], source: { kind: 'user' } }, { surfaceOp: 'append' });
const kind: 'user/message' = said.type;
// @ts-expect-error a surface event needs its surfaceOp
session.append('user/message', { content: [], source: { kind: 'user' } });
// @ts-expect-error a logged event takes none
session.append('turn/end', { turn: 1, reason: { kind: 'completed' } }, { surfaceOp: 'append' });
// @ts-expect-error a type that nobody declared
session.append('plugin/other', {});
// @ts-expect-error a payload of another type
session.append('plugin/noted', { note: 5 });
// @ts-expect-error an event is not changed
said.seq = 1;

function show(event: SessionEvent): string {
  switch (event.type) {
    case 'tool/call':
      return event.data.arguments;
    case 'plugin/noted':
      return event.data.note;
    case 'history/entry':
      return event.data.entry.input.id;
    case 'turn/end':
      return event.data.reason.kind === 'error' ? event.data.reason.message : '';
    default:
      return event.type;
  }
}

const messages: SessionMessage[] = session.deriveMessages();
const message: SessionMessage | null = deriveEventMessage(said);
const request: EpochHeader | undefined = session.requestHeader() ?? foldRequestHeader(session.events);
const same: boolean = headerEquals(canonicalHeader({ config: {} }), { config: { provider: 'p', model: 'm' } });
const nodes: number[] = foldSurface(session.events).nodes;
const word: string = kind;
const eligible: SurfaceEventType | undefined = isSurfaceEligibleType(word) ? word : undefined;
const booleans: boolean[] = [isJsonValue(1), isSurfaceEvent(said), same];
const closers: SessionEvent[] = interruptedTurnClosers(session.events);
const { blocks, finish } = assembleChunks([{ type: 'text-delta', index: 0, text: 'x' }]);
checkInvariants(session.events);
const balanced: boolean = toolPairing(session.events).isBalancedAfter(1);
const { replacers, sources }: EventTrace = traceEvents(session.events).trace(0);
const lines: string = writeSessionLog(header, session.events);
const read: Session = Session.fromLog(lines);
const { events, committedBytes } = readSessionLog(lines);

const store = createSessionStore({ strict: true, invariants: true, warn: (text: string) => void text });
const stop: () => void = store.on('session/event', (of: Session, event: SessionEvent) => void [of, event.seq]);
// @ts-expect-error there is no such event
store.on('session/changed', () => {});
const child: Session = store.fork(store.create('p', { meta: { cwd: '/w' } }), undefined, 'c');
const flushed: Promise<void> = store.flush(child);
const lasting = createSessionStore({ storage: createInMemoryStore(), window: 50 });
const opened: Promise<Session> = lasting.open('p', { salvage: true });
const headers: Promise<SessionHeader[]> = lasting.stored();
const over: Promise<void>[] = [lasting.remove('p'), lasting.close(child), lasting.saveTranscript('p', new HistoryState())];
const drawing: Promise<HistoryState | undefined> = lasting.transcript('p');
// @ts-expect-error not a store of this package
createSessionStore({ storage: new Map() });
const turns: SessionHistoryEntry[] = [...sessionHistory(child), ...sessionHistory(child.events, { sessionId: 'c' })];
const history: HistoryStore<{ tenant: string }> = createSessionHistoryStore<{ tenant: string }>(store, { provider: 'p', model: 'm' });
// @ts-expect-error a model is named by a text
createSessionHistoryStore(store, { model: 5 });
try {
  store.create('p');
} catch (error) {
  if (error instanceof SessionError) error.code satisfies string;
}

export {
  read, opened, headers, over, drawing,
  balanced, blocks, booleans, closers, committedBytes, eligible, events, finish, flushed, history, messages, message, nodes, replacers, request, show, snapshotJsonValue,
  sources, stop, turns,
};
