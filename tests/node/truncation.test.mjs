// What is kept, against a model of the rule written from seed 001: "How truncation actually runs".
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AssistantInjectionMessage, ChartRequestMessage, SessionId, ValidationError, createEngine, createInMemoryStore, isErr, isOk } from 'turnlog';
import { plainStore } from './plain_store.mjs';

const S = SessionId('s');
const value = (result) => {
  assert.ok(isOk(result), `ok, got ${result.error?.stack}`);
  return result.value;
};
const note = (content, more) => AssistantInjectionMessage({ sessionId: S, content, ...more });
const ask = (text, more) => ChartRequestMessage({ sessionId: S, reasons: [{ kind: 'user_intent', text }], ...more });
const planner = (request) => ({ userMessage: request.answer ?? '' });
const engineOn = (store, history) => createEngine({ planner, history: { store, ...history } });
const ids = async (store) => (await store.get(S)).map((entry) => entry.input.id);

/** How many of the newest entries stay, given what each counts, oldest first. */
function kept(chars, maxEntries = Infinity, maxChars = Infinity) {
  let [count, sum] = [0, 0];
  for (const more of [...chars].reverse()) {
    if (count > 0 && (count + 1 > maxEntries || sum + more > maxChars)) break;
    count += 1;
    sum += more;
  }
  return count;
}

describe('bounds', () => {
  test('that are no positive integers are refused when the engine is made', () => {
    for (const name of ['maxEntries', 'maxChars']) {
      for (const bound of [0, -1, 1.5, NaN, Infinity, -Infinity, '5', null, true, {}, 5n]) {
        assert.throws(() => engineOn(createInMemoryStore(), { [name]: bound }), (error) => (
          error instanceof ValidationError && String(error.path).endsWith(name)
        ), `${name}: ${String(bound)}`);
      }
    }
  });
  test('may be absent, undefined, one, or very large', () => {
    for (const bound of [undefined, 1, 40_000, 2 ** 31, 2 ** 53 - 1]) engineOn(createInMemoryStore(), { maxEntries: bound, maxChars: bound });
  });
  test('and a retention that is none of the two are refused', () => {
    for (const retention of ['all', '', null, 1]) assert.throws(() => engineOn(createInMemoryStore(), { retention }), ValidationError);
  });
});

const step = fc.record({
  turn: fc.boolean(),
  text: fc.string({ unit: 'binary', maxLength: 12 }),
  answer: fc.string({ unit: 'binary', maxLength: 12 }),
  again: fc.option(fc.nat(40), { nil: undefined }),
});
const bound = (max) => fc.option(fc.integer({ min: 1, max }), { nil: undefined });

for (const [kind, makeStore, runs] of [['the in-memory store', createInMemoryStore, 300], ['a caller’s store', () => plainStore(), 150]]) {
  describe(`truncation with ${kind}`, () => {
    test('keeps after each write exactly what the model keeps', async () => {
      await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), bound(8), bound(60), async (steps, maxEntries, maxChars) => {
        const store = makeStore();
        const engine = engineOn(store, { maxEntries, maxChars });
        let model = [];
        const messages = [];
        for (const { turn, text, answer, again } of steps) {
          const message = again !== undefined && again < messages.length ? messages[again]
            : turn ? ask(text, { answer }) : note(text);
          messages.push(message);
          const isTurn = message.type === 'chart_request';
          const size = isTurn ? message.reasons[0].text.length + message.answer.length : message.content.length;
          const known = model.some(({ id }) => id === message.id);
          const result = await engine.handle(message);
          if (!isTurn && size > (maxChars ?? Infinity)) {
            assert.ok(isErr(result) && result.error.path === 'content');
          } else {
            const done = value(result);
            assert.equal(isTurn ? done.replayed : done.outcome === 'deduped', known);
            if (!known) model = [...model, { id: message.id, size }];
            model = model.slice(model.length - kept(model.map((entry) => entry.size), maxEntries, maxChars));
          }
          assert.deepEqual(await ids(store), model.map(({ id }) => id));
        }
      }), { numRuns: runs });
    });
    test('leaves a contiguous suffix within the bounds, newest always there, and doing it again changes nothing', async () => {
      const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 });
      await fc.assert(fc.asyncProperty(sizes, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 100 }), async (chars, maxEntries, maxChars) => {
        const store = makeStore();
        const open = engineOn(store);
        for (const [n, size] of chars.entries()) value(await open.handle(ask('', { id: `${n}`, answer: 'x'.repeat(size) })));
        const engine = engineOn(store, { maxEntries, maxChars });
        value(await engine.handle(ask('', { id: 'last', answer: 'x'.repeat(chars[0]) })));
        const all = [...chars.keys()].map(String).concat('last');
        const left = await ids(store);
        assert.deepEqual(left, all.slice(all.length - left.length), 'a contiguous suffix');
        assert.ok(left.length >= 1 && left.length <= maxEntries);
        const sum = (await store.get(S)).reduce((total, entry) => total + entry.output.userMessage.length, 0);
        assert.ok(left.length === 1 || sum <= maxChars, `${sum} characters`);
        assert.equal(left.length, kept([...chars, chars[0]], maxEntries, maxChars), 'and not one entry less than fits');
        value(await engine.handle(ask('', { id: 'last', answer: 'again' })));
        assert.deepEqual(await ids(store), left, 'idempotent');
      }), { numRuns: runs / 3 });
    });
    test('runs on write only: a reader with bounds sees what an engine without them left', async () => {
      const store = makeStore();
      for (let n = 0; n < 5; n += 1) value(await engineOn(store).handle(note(`${n}`)));
      const engine = engineOn(store, { maxEntries: 2 });
      assert.equal(value(await engine.getHistory(S)).length, 5);
      assert.equal((await ids(store)).length, 5);
      value(await engine.handle(note('5')));
      assert.deepEqual((await store.get(S)).map((entry) => entry.input.content), ['4', '5']);
    });
    test('counts UTF-16 code units of the derived messages, nothing else', async () => {
      const store = makeStore();
      const engine = engineOn(store, { maxChars: 8 });
      value(await engine.handle(note('é漢', { id: 'two' })));
      value(await engine.handle(note('😀', { id: 'emoji', padding: 'x'.repeat(1000) })));
      value(await engine.handle(note('\ud83d\u0000\n"', { id: 'four' })));
      assert.deepEqual(await ids(store), ['two', 'emoji', 'four'], '2 + 2 + 4 = 8');
      value(await engine.handle(ChartRequestMessage({ sessionId: S, id: 'joined', reasons: [
        { kind: 'user_intent', text: 'a' }, { kind: 'resize', text: 'x'.repeat(1000) }, { kind: 'user_intent', text: 'b' },
      ] })));
      assert.deepEqual(await ids(store), ['four', 'joined'], '"a b" counts three, so 4 + 3');
    });
    test('keeps the newest although it alone exceeds maxChars, and says overBudget until it no longer does', async () => {
      const [store, budgets] = [makeStore(), []];
      const engine = createEngine({
        planner: (request, context) => { budgets.push([context.overBudget, context.messages.length]); return planner(request); },
        history: { store, maxChars: 10 },
      });
      value(await engine.handle(ask('a', { id: 'small', answer: 'b' })));
      value(await engine.handle(ask('', { id: 'big', answer: 'x'.repeat(11) })));
      assert.deepEqual(await ids(store), ['big']);
      value(await engine.handle(ask('', { id: 'next', answer: 'x'.repeat(10) })));
      assert.deepEqual(await ids(store), ['next']);
      value(await engine.handle(ask('', { id: 'after', answer: '' })));
      assert.deepEqual(budgets, [[false, 0], [false, 2], [true, 1], [false, 1]]);
    });
    test('stops at the first entry that does not fit, although an older one would', async () => {
      const store = makeStore();
      const engine = engineOn(store, { maxChars: 10 });
      for (const [id, size] of [['a', 1], ['b', 8], ['c', 5]]) value(await engine.handle(note('x'.repeat(size), { id })));
      assert.deepEqual(await ids(store), ['c']);
    });
    test('an injection longer than maxChars is refused with path content, and nothing is written', async () => {
      const store = makeStore();
      const engine = engineOn(store, { maxChars: 10 });
      value(await engine.handle(note('x'.repeat(10), { id: 'fits' })));
      for (const content of ['x'.repeat(11), '😀'.repeat(6)]) {
        const result = await engine.handle(note(content));
        assert.ok(isErr(result) && result.error instanceof ValidationError);
        assert.equal(result.error.path, 'content');
      }
      assert.deepEqual(await ids(store), ['fits']);
    });
    test('without maxChars an injection may be of any length', async () => {
      const store = makeStore();
      value(await engineOn(store, { maxEntries: 5 }).handle(note('x'.repeat(1_000_000))));
      assert.equal((await store.get(S))[0].input.content.length, 1_000_000);
    });
    test('of one session leaves others alone', async () => {
      const store = makeStore();
      const engine = engineOn(store, { maxEntries: 1 });
      for (const sessionId of ['s', 's2', 's']) value(await engine.handle(note('x', { sessionId })));
      assert.deepEqual([(await store.get('s')).length, (await store.get('s2')).length], [1, 1]);
    });
  });

  describe(`retention keep with ${kind}`, () => {
    test('leaves the log whole and cuts what the model is sent', async () => {
      await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 20 }), bound(6), bound(50), async (sizes, maxEntries, maxChars) => {
        const store = makeStore();
        const engine = engineOn(store, { maxEntries, maxChars, retention: 'keep' });
        for (const [n, size] of sizes.entries()) value(await engine.handle(ask('', { id: `${n}`, answer: `${n} `.padEnd(size, 'x') })));
        assert.equal(value(await engine.getHistory(S)).length, sizes.length);
        const lengths = (await store.get(S)).map((entry) => entry.output.userMessage.length);
        const sent = value(await engine.getLLMContext(S)).map((message) => message.content);
        assert.deepEqual(sent, (await store.get(S)).map((entry) => entry.output.userMessage).slice(lengths.length - kept(lengths, maxEntries, maxChars)));
        assert.deepEqual(JSON.parse(new TextDecoder().decode(value(await engine.getLLMContextBytes(S)))).map((message) => message.content), sent);
      }), { numRuns: runs / 3 });
    });
    test('gives the planner the cut context', async () => {
      const seen = [];
      const store = makeStore();
      const engine = createEngine({
        planner: (_, context) => { seen.push(context.messages.map((message) => message.content)); return { userMessage: 'r' }; },
        history: { store, maxEntries: 2, retention: 'keep' },
      });
      for (const content of ['a', 'b', 'c']) value(await engine.handle(note(content)));
      value(await engine.handle(ask('q')));
      assert.deepEqual(seen, [['b', 'c']]);
      assert.equal((await ids(store)).length, 4);
    });
    test('keeps an id known however long ago it was', async () => {
      const engine = engineOn(makeStore(), { maxEntries: 1, retention: 'keep' });
      const first = ask('a', { answer: 'first' });
      value(await engine.handle(first));
      for (const content of ['b', 'c']) value(await engine.handle(note(content)));
      assert.equal(value(await engine.handle(first)).replayed, true);
    });
  });
}
