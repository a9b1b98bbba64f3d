// The entry and the request as schemas of two validation libraries. Fields beyond the known ones are kept, as
// the protocol demands; they are JSON, and saying so makes both libraries copy them too.

import * as v from '/node_modules/valibot/dist/index.mjs';
import * as z from '/node_modules/zod/index.js';

const zodId = z.string().min(1).max(512);
const zodObject = (fields) => z.object(fields).catchall(z.json());
const zodMessage = { id: zodId, sessionId: zodId, timestamp: z.number() };

export const zodRequest = zodObject({
  type: z.literal('chart_request'),
  ...zodMessage,
  reasons: z.array(zodObject({ kind: z.string() })),
});
export const zodEntry = z.discriminatedUnion('kind', [
  zodObject({ kind: z.literal('turn'), input: zodRequest, output: zodObject({ userMessage: z.string() }) }),
  zodObject({
    kind: z.literal('injection'),
    input: zodObject({ type: z.literal('assistant_message'), ...zodMessage, content: z.string() }),
  }),
]);

const finite = v.pipe(v.number(), v.finite());
const json = v.lazy(() =>
  v.union([v.string(), finite, v.boolean(), v.null(), v.array(json), v.record(v.string(), json)]),
);
const valibotId = v.pipe(v.string(), v.minLength(1), v.maxLength(512));
const valibotObject = (fields) => v.objectWithRest(fields, json);
const valibotMessage = { id: valibotId, sessionId: valibotId, timestamp: finite };

export const valibotRequest = valibotObject({
  type: v.literal('chart_request'),
  ...valibotMessage,
  reasons: v.array(valibotObject({ kind: v.string() })),
});
export const valibotEntry = v.variant('kind', [
  valibotObject({ kind: v.literal('turn'), input: valibotRequest, output: valibotObject({ userMessage: v.string() }) }),
  valibotObject({
    kind: v.literal('injection'),
    input: valibotObject({ type: v.literal('assistant_message'), ...valibotMessage, content: v.string() }),
  }),
]);

export const parseWithZod = (schema, value) => schema.parse(value);
export const parseWithValibot = (schema, value) => v.parse(schema, value);
