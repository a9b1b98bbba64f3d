// What is done to a request, and why there is none, in words: one sentence for each rule and code of the package.

/** The APIs by the names that the package has for them. */
export const APIS = {
  'openai-chat': 'OpenAI, chat completions',
  'openai-responses': 'OpenAI, responses',
  'anthropic-messages': 'Anthropic, messages',
  gemini: 'Gemini',
  'ai-sdk': 'AI SDK, the list of messages',
};

/** Why something was changed, by its rule. */
const RULES = new Map(Object.entries({
  missing_result: 'A tool call has no result: one that says “interrupted” was added, since every call has to be answered.',
  orphan_result: 'A tool result answers no call, or one that is answered already, and was left out.',
  result_order: 'A tool result was moved right behind its call, among the others in the order of their calls.',
  blank_text: 'A text of white space alone says nothing, and was left out; so was a message that had no more than that.',
  arguments: 'The arguments of a tool call were missing or not in the form that the API takes, and were brought into it.',
  same_role: 'Two neighbouring messages of one side were joined into one: many APIs want the sides to take turns.',
  opening: 'The opening message was put in front, since the API takes no list that begins with the assistant.',
  system: 'A system message stood between others, and was moved to where the API has its system text.',
  call_id: 'The id of a tool call was used before, or has a form that the API does not take: call and result got another one.',
  reasoning: 'Reasoning that the model asked has not produced itself, or that nothing follows, was left out.',
  lone_surrogate: 'Half of a character was replaced by U+FFFD (�), since it cannot be sent.',
  unknown_block: 'A block of a type that is not known was left out, as chosen above.',
  misplaced: 'A tool call or reasoning stood outside of the assistant’s messages, and was left out.',
  trailing_space: 'White space at the end of the last message was cut off, since the API takes none there from the assistant.',
}));

/** Why there is no request, by the error's code. */
const ERRORS = new Map(Object.entries({
  ends_on_assistant: 'The API takes no list that ends on the assistant: it waits for something the user says.',
  begins_with_assistant: 'The API takes no list that begins with the assistant. Enter an opening message: it goes in front, as the user’s.',
  unknown_block: 'A block is of a type that is not known. Choose what becomes of such blocks.',
  empty: 'There is nothing to send.',
}));

/** @param {string} rule as a report has it; words that are new to this page are legal */
export function ruleText(rule) {
  return RULES.get(rule) ?? 'Changed by a rule that this page does not know.';
}

/** @param {import('/pkg/index.js').TurnlogError} error */
export function errorText({ code, message, path }) {
  const known = ERRORS.get(code);
  if (known === undefined) return `${message} (${code})`;
  return `${known} (${code}${path === undefined ? '' : ` at ${path}`})`;
}
