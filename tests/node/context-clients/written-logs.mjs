// Logs written by hand: one of each row of the tables in which APIs refuse lists.

const user = (...content) => ({ role: 'user', content });
const assistant = (...content) => ({ role: 'assistant', content });
const text = (said) => ({ type: 'text', text: said });
const call = (id, given = '{}') => ({ type: 'tool-call', id, name: 'look', arguments: given });
const result = (toolCallId, content = [text('seen')]) => ({ type: 'tool-result', toolCallId, content });
const question = { role: 'user', content: 'Why?' };

const parallel = Array.from({ length: 10 }, (_, at) => `call_${at}`);

export const WRITTEN_LOGS = {
  'a question': [question],
  'a call that was never answered': [question, assistant(text('Let me see.'), call('a')), question],
  'a call at the end of the log': [question, assistant(call('a'))],
  'a result whose call was trimmed away': [user(result('a'), text('and more'))],
  'results before, far behind and out of order': [
    user(result('b')), question, assistant(call('a'), call('b')), question, user(result('b'), text('or'), result('a')), question,
  ],
  'a result twice': [question, assistant(call('a')), user(result('a'), result('a', [text('again')])), question],
  'an id that the next turn uses again': [
    question, assistant(call('a')), user(result('a', [text('first')])), assistant(text('Done.')),
    question, assistant(call('a')), user(result('a', [text('second')])),
  ],
  'an id twice in one message': [question, assistant(call('a', '{"n":1}'), call('a', '{"n":2}')), user(result('a'), result('a'))],
  'ten calls, answered backwards': [
    question, assistant(...parallel.map((id) => call(id))), user(...parallel.toReversed().map((id) => result(id))), question,
  ],
  'falsy results': [
    question, assistant(call('a'), call('b'), call('c'), call('d')),
    user(result('a', 0), result('b', ''), result('c', false), result('d', null)), question,
  ],
  'blank texts everywhere': [
    { role: 'system', content: ' ' }, user(text('\n')), assistant(text(' '), call('a'), text('\u00a0')), user(text(''), result('a', [text(' ')])), question,
  ],
  'arguments that are none, a value, no object and no JSON': [
    question, assistant(call('a', null), call('b', { x: 1 }), call('c', '[1,2]'), call('d', '{"x":')),
    user(result('a'), result('b'), result('c'), result('d')), question,
  ],
  'three users and three assistants in a row': [question, question, question, assistant(text('A')), assistant(text('B')), { role: 'assistant', content: 'C' }, question],
  'the assistant first': [assistant(text('Hello, how can I help?')), question],
  'the assistant last, with white space behind': [question, assistant(text('Because '))],
  'system texts in front, between and behind': [
    { role: 'system', content: 'Be brief.' }, question, { role: 'system', content: 'Be kind.' }, assistant(call('a')),
    { role: 'system', content: 'The tool is slow.' }, user(result('a')), question, { role: 'system', content: 'Now answer.' },
  ],
  'ids that are too long, of wrong characters, and none': [
    question, assistant(call('x'.repeat(100)), call(`${'x'.repeat(99)}y`), call('a b|c'), call('a.b'), call('')),
    user(result('x'.repeat(100)), result(`${'x'.repeat(99)}y`), result('a b|c'), result('a.b'), result('')), question,
  ],
  'halves of emoji in texts, names, ids and results': [
    { role: 'user', content: 'cut \ud83d' },
    assistant({ type: 'tool-call', id: '\ude00', name: 'look\ud83d', arguments: '{"q":"\ud83d"}' }),
    user(result('\ude00', [text('\udc00')])), question,
  ],
  'reasoning with nothing behind it': [
    question,
    { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }], provenance: { provider: 'anthropic', model: 'm', replayState: [{ type: 'thinking', thinking: 'Hm.', signature: 'of anthropic/m' }] } },
    question,
  ],
  'a result that is larger than any budget': [question, assistant(call('a')), user(result('a', [text('👩\u200d🔬 '.repeat(20_000))]))],
};
