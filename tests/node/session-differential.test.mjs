// The session against the npm package of the same design, on the rules that both have: what JSON holds, the surface, its
// replacements and sources, and the old formats. Whatever the program, both take the same events and refuse the others for
// the same reason, but for the differences that the session's document lists in section 18.
//
// `make test-differential` runs ten times as many programs. A failure names its seed, which the environment variable
// TURNLOG_SESSION_SEED runs again, and the shortest program that fails.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Session, foldSurface, isJsonValue, snapshotJsonValue } from 'turnlog';
import { damaged, stepOf } from '../session/differential/programs.mjs';
import { reference, refusal } from '../session/differential/reference.mjs';
import { Dice } from '../dice.mjs';
import { anyValue } from '../session/differential/values.mjs';

const { TURNLOG_SESSION_PROGRAMS: programs = '2000', TURNLOG_SESSION_SEED: seed } = process.env;
const options = { numRuns: Number(programs), ...(seed !== undefined && { seed: Number(seed) }) };

const word = fc.nat(2 ** 31 - 1);
const steps = fc.array(fc.tuple(fc.nat(99), word, word, word), { maxLength: 24, size: 'max' });

/** How often what happened, for the report. */
class Counts {
  #counts = new Map();

  add(what, count = 1) {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  report(context) {
    const lines = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    context.diagnostic(lines.map(([what, count]) => `${what}: ${count}`).join(', '));
  }
}

/** `{value}` of a call, or what it was refused with. */
function outcome(call) {
  try {
    return { value: call() };
  } catch (error) {
    return { refused: refusal(error) };
  }
}

/** Fails with what `of` makes, unless both outcomes are the same. */
function mustBeSame(ours, theirs, of) {
  if (isDeepStrictEqual(ours, theirs)) return;
  assert.deepEqual(ours, theirs, inspect({ ours, theirs, of: of() }, { depth: 8 }));
}

/** Runs a property `numRuns` times, and reports what was counted meanwhile. */
function forAll(context, arbitraries, property) {
  const counts = new Counts();
  fc.assert(fc.property(...arbitraries, (...values) => property(counts, ...values)), options);
  counts.report(context);
}

const withoutContent = ({ content, ...block }) => block;
const timeless = (event) => JSON.stringify({ ...event, time: 0 });
const listed = (number, what) => `listed no. ${number} (${what})`;

/** Two sessions to which the same is done. */
class Pair {
  ours = new Session('s');
  theirs = reference.create('s');
  /** Whether all payloads are such that both make messages of them. */
  isShaped = true;

  constructor(counts) {
    this.counts = counts;
  }

  append(step) {
    const { type, data, intent, isShaped } = stepOf(step, { events: this.theirs.events, nodes: this.theirs.surface.nodes });
    const theirs = outcome(() => this.theirs.append(type, data(this.theirs), intent()));
    if (theirs.refused !== undefined && this.#isTheirToolRule(type, theirs.refused, data, intent)) return;
    const ours = outcome(() => this.ours.append(type, data(this.ours), intent()));
    mustBeSame(ours.refused, theirs.refused, () => ({ type, data: data(), intent: intent() }));
    this.counts.add(theirs.refused === undefined ? 'accepted' : `refused ${theirs.refused.code}`);
    if (theirs.refused !== undefined) return;
    assert.equal(timeless(ours.value), timeless(theirs.value));
    this.isShaped &&= isShaped;
    if (typeof theirs.value.surfaceOp === 'object') this.counts.add('replaced');
  }

  /**
   * No. 11: there a result may only replace one result, and change its content only. All that both check comes before that
   * rule, so we must take the same event, which is asked of a fold, so that neither session has it.
   */
  #isTheirToolRule(type, { code }, data, intent) {
    if (type !== 'tool/result' || !['theirs:tool_rule', 'theirs:type_error'].includes(code)) return false;
    const { surfaceOp, sourceEventSeqs } = intent();
    const { events, seq } = this.ours;
    const fold = foldSurface([...events, { type, seq, time: 0, data: snapshotJsonValue(data()), surfaceOp, sourceEventSeqs }]);
    assert.equal(fold.replacements.at(-1).seq, seq);
    this.counts.add(listed(11, 'a result that replaces'));
    return true;
  }

  compareState() {
    const { ours, theirs } = this;
    assert.equal(ours.seq, theirs.seq);
    assert.deepEqual(ours.surface.nodes, theirs.surface.nodes);
    assert.equal(ours.surface.replaceGeneration, theirs.surface.replaceGeneration);
  }

  compareLogs() {
    const { ours, theirs } = this;
    assert.deepEqual(ours.events.map(timeless), theirs.events.map(timeless));
    assert.deepEqual(foldSurface(ours.events), reference.foldSurface(theirs.events));
    if (!this.isShaped) return this.counts.add(listed(3, 'payloads of neither, no messages compared'));
    // No. 4: there a message is the stored one, with its id and source. And a rewritten result (no. 11) has its new content
    // in that message alone, or it would differ from the old one in more than that.
    const messages = (session) => session.deriveMessages().map(({ role, content }) => ({ role, content: content.map(withoutContent) }));
    assert.deepEqual(messages(ours), messages(theirs));
    assert.deepEqual(ours.requestHeader(), theirs.requestHeader());
    this.counts.add('programs with messages compared');
  }
}

/** The log of a program that the package took; what it refused is left out. */
function logOf(program) {
  const session = reference.create('s');
  for (const step of program) {
    const { type, data, intent, isShaped } = stepOf(step, { events: session.events, nodes: session.surface.nodes });
    if (isShaped) outcome(() => session.append(type, data(session), intent()));
  }
  return session.events;
}

describe('the session and the npm package', () => {
  test('take and refuse the same appends, and are the same afterwards', (context) => {
    forAll(context, [steps], (counts, program) => {
      const pair = new Pair(counts);
      for (const step of program) {
        pair.append(step);
        pair.compareState();
      }
      pair.compareLogs();
      counts.add('programs');
      counts.add('steps', program.length);
    });
  });

  test('take and refuse the same seeds', (context) => {
    forAll(context, [steps, word], (counts, program, damage) => {
      const events = logOf(program);
      const make = () => damaged(events, new Dice(damage), { isRaw: false });
      const theirs = outcome(() => reference.create('s', make()));
      const ours = outcome(() => new Session('s', make()));
      counts.add('programs');
      const difference = seedDifference(make(), ours.refused, theirs.refused);
      if (difference !== undefined) return counts.add(difference);
      mustBeSame(ours.refused, theirs.refused, make);
      counts.add(theirs.refused === undefined ? 'accepted' : `refused ${theirs.refused.code}`);
      if (theirs.refused !== undefined) return;
      const { length } = ours.value.events;
      // No. 7: there the end of a seed is an event.
      assert.equal(theirs.value.seq, events.at(-1)?.type === 'session/end-seed' ? length : length + 1);
      assert.equal(JSON.stringify(ours.value.events), JSON.stringify(theirs.value.events.slice(0, length)));
      assert.deepEqual(ours.value.surface.nodes, theirs.value.surface.nodes);
      assert.equal(ours.value.surface.replaceGeneration, theirs.value.surface.replaceGeneration);
    });
  });

  test('fold the same surface from any list of events', (context) => {
    forAll(context, [steps, word], (counts, program, damage) => {
      const events = logOf(program);
      const make = () => damaged(events, new Dice(damage), { isRaw: true });
      counts.add('programs');
      const theirs = outcome(() => reference.foldSurface(make()));
      if (['theirs:tool_rule', 'theirs:type_error'].includes(theirs.refused?.code)) return compareUpToToolRule(counts, make());
      const ours = outcome(() => foldSurface(make()));
      // As text: it keeps a -0 that is a seq or a source, which no log has.
      mustBeSame(JSON.stringify(ours), JSON.stringify(theirs), make);
      counts.add(theirs.refused === undefined ? 'accepted' : `refused ${theirs.refused.code}`);
    });
  });

  test('find the same values to be JSON, and keep the same of them', (context) => {
    forAll(context, [word], (counts, number) => {
      const make = () => anyValue(new Dice(number), 50);
      const theirs = outcome(() => JSON.stringify(reference.snapshotJsonValue(make())));
      const ours = outcome(() => JSON.stringify(snapshotJsonValue(make())));
      mustBeSame(ours, theirs, make);
      mustBeSame(outcome(() => isJsonValue(make())), outcome(() => reference.isJsonValue(make())), make);
      counts.add('values');
      counts.add(theirs.refused !== undefined ? 'thrown' : theirs.value === undefined ? 'refused' : 'accepted');
    });
  });
});

/** Which of the listed differences two answers to a seed show, if they are any. */
function seedDifference(list, ours, theirs) {
  if (ours?.code === theirs?.code && ours?.index === theirs?.index) return undefined;
  const shape = ['theirs:shape', 'seed_header', 'seed_prov'];
  if (shape.includes(ours?.code) || shape.includes(theirs?.code)) return listed(12, 'shapes in a seed');
  const at = ours?.index ?? theirs?.index;
  const culprit = list[at];
  // Section 3.3: the package throws what reading `null` throws.
  if (culprit === null) {
    assert.deepEqual([ours, theirs], [{ code: 'seed_envelope', index: at }, { code: 'theirs:type_error' }]);
    return 'listed in 3.3 (null in a seed)';
  }
  if (ours?.code === 'seed_envelope' && (culprit.time < 0 || culprit.ignorable === true)) return listed(13, 'a time before 1970, `ignorable`');
  if (theirs?.code === 'theirs:tool_rule' || (theirs?.code === 'theirs:type_error' && list[theirs.index].type === 'tool/result')) {
    return listed(11, 'a result that replaces');
  }
  return undefined;
}

/** Up to the event that breaks the package's own rule, both fold the same; ours takes that one too. */
function compareUpToToolRule(counts, list) {
  let length = 0;
  while (outcome(() => reference.foldSurface(list.slice(0, length + 1))).refused === undefined) length++;
  assert.equal(list[length].type, 'tool/result');
  assert.deepEqual(foldSurface(list.slice(0, length)), reference.foldSurface(list.slice(0, length)));
  assert.equal(foldSurface(list.slice(0, length + 1)).replacements.at(-1).seq, length);
  counts.add(listed(11, 'a result that replaces'));
}
