// Contexts, requests and compaction: what narrows, what waits for an engine, and lines that must not compile.
import {
  ContextError, Session, SessionId, applyCompaction, buildContext, buildRequest, createEngine, createInMemoryStore, estimateTokens,
  planCompaction, prepareRequest,
} from 'turnlog';
import type {
  BlockOrigin, CompactionPlan, CompactionRange, CompactionSummary, CompactionTarget, Context, ContextBlock, ContextBudget,
  ContextErrorCode, ContextMessage, ContextOptions, ContextReport, ContextSource, EngineSource, HistoryEntry, LLMMessage, LocalSource,
  PreparedRequest, Provider, Repair, RepairRule, RequestBody, RequestOptions, SessionEvent, SessionHistoryEntry, SessionMessage,
  SourceMessage,
} from 'turnlog';

declare const entries: readonly HistoryEntry[];
declare const wire: SessionHistoryEntry[];
declare const said: LLMMessage[];
declare const anything: ContextSource;
const session = new Session('s');
const engine = createEngine({ planner: () => ({ userMessage: '' }), history: { store: createInMemoryStore() } });
const remote: EngineSource = { engine, sessionId: SessionId('s') };

// Every kind of source, and what was made of one before.
const context: Context = buildContext([{ role: 'user', content: 'Hi', provenance: undefined }]);
const again: Context = buildContext(context.messages, null);
const kinds: Context[] = [session, entries, wire, said, session.deriveMessages(), [...entries, ...said]].map((source) => buildContext(source));
const later: Promise<Context> = buildContext(remote, { maxTokens: 5 });
const either: Context | Promise<Context> = buildContext(anything);
const local: LocalSource = [{ role: 'assistant', content: null }, { role: 'user' }];

// Blocks of an API's own, and arguments that are no text, are let in.
const source: SourceMessage = {
  role: 'user',
  content: [
    { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
    { type: 'tool-call', id: '1', name: 'f', arguments: { x: 1 } },
    { type: 'tool-result', toolCallId: '1', content: 0 },
    { type: 'text', text: 'Hi', replayState: { signature: 'x' } },
  ],
};
// @ts-expect-error there is no such role
buildContext([{ role: 'tool', content: 'Hi' }]);
// @ts-expect-error a block has a type
buildContext([{ role: 'user', content: [{ text: 'Hi' }] }]);
// @ts-expect-error no source
buildContext('Hi');
// @ts-expect-error a message is not changed
context.messages[0].role = 'user';

export function show(block: ContextBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'reasoning':
      return block.text ?? '';
    case 'tool-call':
      return block.name + block.arguments;
    case 'tool-result':
      return block.toolCallId + (Array.isArray(block.content) ? block.content.length : String(block.content));
    default: {
      const type: string = block.type;
      return type;
    }
  }
}
export const shown = (message: ContextMessage): string =>
  typeof message.content === 'string' ? message.content : message.content.map(show).join();
const derived: SessionMessage[] = session.deriveMessages();
derived satisfies readonly ContextMessage[];

const budget: ContextBudget = { maxMessages: 3, maxChars: null, maxInputTokens: 0, countTokens: (text) => text.length, dropInSteps: 25 };
const options: ContextOptions = { ...budget, maxTokens: 5, api: 'gemini', missingResults: 'drop', unknownBlocks: 'keep', openingMessage: 'Go on.' };
const asked: RequestOptions = {
  ...budget, model: 'm', provider: 'openrouter', system: 'Be brief.', tools: [{ name: 'f', description: 'd', parameters: {} }], maxTokens: 100,
  temperature: 0, topP: 1, topK: 1, frequencyPenalty: 0, presencePenalty: 0, seed: 1, stop: '\n', extra: { stream: true }, view: true,
};
// @ts-expect-error a count of tokens is a number
buildContext(session, { countTokens: async () => 5 });
// @ts-expect-error there is no such API
buildContext(session, { api: 'openai' });
// @ts-expect-error a setting of requests
buildContext(session, { temperature: 1 });
// @ts-expect-error a word that is none
buildContext(session, { unknownBlocks: 'ignore' });
// @ts-expect-error an option of contexts
buildRequest('gemini', session, { api: 'gemini' });

const provider: Provider = 'anthropic-messages';
const body: RequestBody = buildRequest(provider, session, asked);
const init: RequestInit = { method: 'POST', body };
const prepared: PreparedRequest = prepareRequest('ai-sdk', said);
const bodyLater: Promise<RequestBody> = buildRequest('gemini', remote);
const preparedLater: Promise<PreparedRequest> = prepareRequest('gemini', remote);
const report: ContextReport = prepared;
export const repaired = ({ rule, message, callId = '' }: Repair): string => (rule === 'call_id' ? callId : `${rule}${message}`);
const rule: RepairRule = 'opening';
const tokens: number | undefined = report.tokens ?? estimateTokens('Hi');

const target: CompactionTarget = { targetTokens: 1_000, countTokens: estimateTokens };
const plan: CompactionPlan | undefined = planCompaction(session, target);
const summary: CompactionSummary = { text: 'They greeted.', provider: 'p', model: 'm', maxTokens: 50 };
if (plan !== undefined) {
  const event: SessionEvent = applyCompaction(session, plan, summary);
  const { source }: { source: { kind: string } } = applyCompaction(session, { start: 5, end: 1 }, 'They greeted.').data;
  if (event.type === 'compact/summary') event.data.shadowedSeqs satisfies readonly number[];
  // @ts-expect-error a plan is not changed
  plan.start = 1;
  void source;
}
// @ts-expect-error a session, not its messages
planCompaction(said);
const range: CompactionRange = { start: 0, end: 0, tokens: 5 };

try {
  buildContext(session, options);
} catch (error) {
  if (error instanceof ContextError) error.code satisfies ContextErrorCode;
}
// @ts-expect-error there is no such code
new ContextError('unknown', 'x');

const origin: BlockOrigin = { provenance: { provider: 'p', model: 'm' } };

export { again, kinds, later, either, local, source, init, bodyLater, preparedLater, rule, tokens, range, origin };
