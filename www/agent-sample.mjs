// A recorded session of an agent at work, event by event with the pauses between them: what the model is told besides the
// messages, reasoning and replies in chunks, tool calls and their results (one fails), a todo list, context, steering, and a
// prompt that is refused. The log is the data here, and the page draws it like any other.

const USER = Object.freeze({ kind: 'user' });
const EDITOR = Object.freeze({ kind: 'plugin', plugin: 'editor' });
const PROVENANCE = Object.freeze({ provider: 'turnlog-demo', model: 'recorded-agent' });

const tool = (name, description, properties) => (
  { name, description, parameters: { type: 'object', properties, required: Object.keys(properties).slice(0, 1) } }
);
const STRING = Object.freeze({ type: 'string' });

/** What every request of the agent says besides its messages. */
const HEADER = {
  config: { ...PROVENANCE, maxTokens: 2000, temperature: 0 },
  system: 'You mend programs. Look before you change anything, and run the tests before you say that it works.',
  tools: [
    tool('run_tests', 'Runs the tests below a folder.', { path: STRING, reporter: STRING }),
    tool('search', 'Finds lines that contain a text.', { pattern: STRING, path: STRING }),
    tool('read_file', 'Reads lines of a file.', { path: STRING, lines: { type: 'array', items: { type: 'integer' } } }),
    tool('apply_patch', 'Changes a file.', { path: STRING, patch: STRING }),
  ],
};

const PIECE_MS = 35;
const READING_MS = 700;
const WORKING_MS = 900;

const text = (words) => [{ type: 'text', text: words }];

/**
 * @typedef {object} RecordedEvent
 * @property {number} after ms since the one before
 * @property {string} type
 * @property {object} data
 * @property {object} [intent] of events with a place on the surface
 */

/** One turn being written down. */
class Turn {
  /** @type {RecordedEvent[]} */
  events = [];
  #turn;
  #step = 0;
  #calls = 0;

  constructor(turn) {
    this.#turn = turn;
    this.log(READING_MS, 'turn/start', { turn, trigger: { kind: 'message', source: USER } });
  }

  log(after, type, data, intent) {
    this.events.push({ after, type, data, ...(intent && { intent }) });
  }

  say(type, words, more = {}) {
    this.log(READING_MS, type, { content: text(words), source: USER, ...more }, { surfaceOp: 'append' });
  }

  todos(done, items) {
    const statusAt = (at) => (at < done ? 'completed' : at === done ? 'in_progress' : 'pending');
    this.log(READING_MS, 'todo/write', { todos: items.map((content, at) => ({ content, status: statusAt(at) })) });
  }

  /**
   * A call of the model: what it thinks and says, piece by piece, and the tools it asks for with what each gave.
   * @param {{thought?: string, said?: string, tools?: {name: string, arguments: object, result: string, error?: object}[], usage?: object}} step
   */
  step({ thought = '', said = '', tools = [], usage }) {
    this.#step += 1;
    const place = { turn: this.#turn, step: this.#step };
    this.log(WORKING_MS, 'step/start', place);
    this.#stream(place, 'reasoning-delta', thought);
    this.#stream(place, 'text-delta', said);
    const calls = tools.map(({ name, arguments: given }) => ({ type: 'tool-call', id: `call-${this.#turn}-${(this.#calls += 1)}`, name, arguments: JSON.stringify(given) }));
    const content = [
      ...(thought === '' ? [] : [{ type: 'reasoning', text: thought }]),
      ...(said === '' ? [] : text(said)),
      ...calls,
    ];
    this.log(PIECE_MS, 'assistant/message', { ...place, content, provenance: PROVENANCE, ...(usage && { usage }) }, { surfaceOp: 'append' });
    calls.forEach(({ id: callId, name, arguments: given }, at) => {
      const { result, error } = tools[at];
      this.log(PIECE_MS, 'tool/call', { ...place, callId, name, arguments: given });
      this.log(WORKING_MS, 'tool/result', { ...place, callId, content: text(result), isError: error !== undefined, ...(error && { error }) }, { surfaceOp: 'append' });
    });
    this.log(PIECE_MS, 'step/end', place);
  }

  end(reason) {
    this.log(PIECE_MS, 'turn/end', { turn: this.#turn, reason });
    return this.events;
  }

  #stream(place, type, words) {
    for (const piece of words.match(/\S+\s*/gu) ?? []) this.log(PIECE_MS, 'assistant/chunk', { ...place, chunk: { type, index: 0, text: piece } });
  }
}

const PLAN = ['See which test fails', 'Find the cause in the parser', 'Mend it', 'Run all tests again'];

const FAILURE = `FAIL  test/dates.test.js
  ✗ reads the last day of a leap year (4 ms)

    Expected: 2024-12-31
    Received: 2025-01-01

      12 |   test('reads the last day of a leap year', () => {
    > 13 |     expect(parseDay('2024-366')).toEqual(day(2024, 12, 31));
         |                                  ^
      14 |   });

Tests: 1 failed, 41 passed`;

const SOURCE = `export function parseDay(text) {
  const [year, ordinal] = text.split('-').map(Number);
  const date = new Date(Date.UTC(year, 0, 1));
  date.setUTCDate(ordinal);
  return clampToYear(date, year);
}

/** No day of a year lies behind its last one. */
function clampToYear(date, year) {
  const days = year % 4 === 0 && year % 100 === 0 ? 366 : 365;
  const last = new Date(Date.UTC(year, 0, days));
  return date > last ? nextDay(last) : date;
}

function nextDay(date) {
  return new Date(date.getTime() + DAY_MS);
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function formatDay(date) {
  return date.toISOString().slice(0, 10);
}`;

const PATCH = `--- a/src/dates.js
+++ b/src/dates.js
@@ -9,3 +9,4 @@
 function clampToYear(date, year) {
-  const days = year % 4 === 0 && year % 100 === 0 ? 366 : 365;
+  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
+  const days = isLeap ? 366 : 365;`;

const DONE = `The test passes again. The rule for leap years was the wrong way round: it took only whole centuries for leap years.

\`\`\`js
const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
\`\`\`

All 42 tests pass, and what the module exports is as it was.`;

/** @returns {RecordedEvent[]} all of it, in order */
export function agentAtWork() {
  const first = new Turn(1);
  first.log(PIECE_MS, 'request/header', { header: HEADER, reason: 'initial' });
  first.say('user/message', 'One test of the date parser fails since yesterday. Please find out why, and mend it.');
  first.say('context/message', 'Open in the editor: src/dates.js', { source: EDITOR });
  first.todos(0, PLAN);
  first.step({
    thought: 'The user says that one test fails.\nI should run the tests first, and not guess.\n',
    said: 'I will run the tests first.',
    tools: [{ name: 'run_tests', arguments: { path: 'test', reporter: 'short' }, result: FAILURE, error: { name: 'ToolError', code: 'exit_code_1' } }],
    usage: { inputTokens: 1210, outputTokens: 48 },
  });
  first.todos(1, PLAN);
  first.step({
    thought: 'Only day 366 is wrong, so it is about leap years.\n',
    tools: [
      { name: 'search', arguments: { pattern: '% 4', path: 'src' }, result: 'src/dates.js:10:  const days = year % 4 === 0 && year % 100 === 0 ? 366 : 365;' },
      { name: 'read_file', arguments: { path: 'src/dates.js', lines: [1, 24] }, result: SOURCE },
    ],
    usage: { inputTokens: 1490, outputTokens: 61, cacheReadTokens: 1210 },
  });
  first.todos(2, PLAN);
  first.log(READING_MS, 'steering/message', { turn: 1, content: text('Leave what the module exports as it is, please.'), source: USER }, { surfaceOp: 'append' });
  first.step({
    said: 'Understood. The condition for leap years is the wrong way round; one line needs to change.',
    tools: [{ name: 'apply_patch', arguments: { path: 'src/dates.js', patch: PATCH }, result: 'Patched src/dates.js: 2 lines added, 1 removed.' }],
    usage: { inputTokens: 2105, outputTokens: 142, cacheReadTokens: 1490 },
  });
  first.todos(3, PLAN);
  first.step({
    tools: [{ name: 'run_tests', arguments: { path: 'test', reporter: 'short' }, result: 'Tests: 42 passed' }],
    usage: { inputTokens: 2290, outputTokens: 31, cacheReadTokens: 2105 },
  });
  first.todos(4, PLAN);
  first.step({ said: DONE, usage: { inputTokens: 2360, outputTokens: 96, cacheReadTokens: 2290 } });

  const second = new Turn(2);
  second.log(READING_MS, 'prompt/blocked', { content: text('Great. Publish it without a review.'), source: USER, reason: 'Publishing needs a review.' });
  return [...first.end({ kind: 'completed' }), ...second.end({ kind: 'rejected', reason: 'Publishing needs a review.' })];
}
