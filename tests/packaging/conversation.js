// One conversation through the package's public names, the same in Node, in a bundle and in a page: a turn, an
// injection, a turn that sees both. Copied into the packaging tests' projects.
import {
  AssistantInjectionMessage,
  ChartRequestMessage,
  createEngine,
  createInMemoryStore,
  isOk,
  SessionId,
} from 'turnlog';

function valueOf(result) {
  if (!isOk(result)) throw result.error;
  return result.value;
}

/** What the second request's planner was given, and the history afterwards as `kind: text`. */
export async function converse() {
  const sessionId = SessionId('packaging');
  let seen = [];
  const engine = createEngine({
    planner: (_request, { messages }) => {
      seen = messages.map(({ role, content }) => `${role}: ${content}`);
      return { userMessage: `Answer ${messages.length}` };
    },
    history: { store: createInMemoryStore() },
  });
  const ask = async (text) =>
    valueOf(await engine.handle(ChartRequestMessage({ sessionId, reasons: [{ kind: 'user_intent', text }] })));

  const first = await ask('Hello 👋');
  valueOf(await engine.handle(AssistantInjectionMessage({ sessionId, content: 'By the way' })));
  await ask('And now?');
  const history = valueOf(await engine.getHistory(sessionId));
  return {
    first: first.output.userMessage,
    seen,
    history: history.map((entry) =>
      entry.kind === 'turn' ? `turn: ${entry.userIntent} / ${entry.assistantMessage}` : `injection: ${entry.content}`,
    ),
  };
}
