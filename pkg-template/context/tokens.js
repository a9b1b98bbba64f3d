// How many tokens a text is: the built-in estimate, or a caller's own way of counting.

import { core } from '../core.js';
import { refuse } from './values.js';

export function estimateTokens(text) {
  if (typeof text !== 'string') refuse('text', 'must be a string');
  return core().estimateTokens(text);
}

/** The caller's function, if there is one. */
export function counterIn(countTokens) {
  if (countTokens !== undefined && typeof countTokens !== 'function') refuse('countTokens', 'must be a function');
  return countTokens;
}
