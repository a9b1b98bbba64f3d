// What a request asks for beside its messages: kinds of values that the core would leave out, or copy into a body as they are.

import { refuse } from './values.js';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === 'string';
const TEXT = [isText, 'must be a string'];
const NUMBER = [(value) => typeof value === 'number', 'must be a number'];

const KINDS = {
  model: TEXT,
  provider: TEXT,
  system: TEXT,
  tools: [Array.isArray, 'must be an array'],
  maxTokens: [(value) => Number.isSafeInteger(value) && value > 0, 'must be a positive integer'],
  temperature: NUMBER,
  topP: NUMBER,
  topK: NUMBER,
  frequencyPenalty: NUMBER,
  presencePenalty: NUMBER,
  seed: NUMBER,
  stop: [(value) => isText(value) || (Array.isArray(value) && value.every(isText)), 'must be a string or an array of strings'],
  extra: [isObject, 'must be an object'],
};

/** Throws for the first option that is said and of another kind. */
export function checkRequest(options) {
  for (const [name, [is, what]] of Object.entries(KINDS)) {
    const value = options[name] ?? undefined;
    if (value !== undefined && !is(value)) refuse(name, what);
  }
  options.tools?.forEach((tool, index) => {
    if (!isText(tool?.name)) refuse(`tools[${index}].name`, 'must be a string');
  });
}
