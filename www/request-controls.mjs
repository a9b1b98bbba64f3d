// What can be tried out in the request panel: the API, a budget, and what the API is given where it would refuse the list.
import { byId, element, setChildren } from './dom.mjs';
import { APIS } from './request-words.mjs';

/** The request that is really sent, to the server of the settings. */
export const CONFIGURED = 'configured';

/** The fields with numbers, by the options of the package that they stand for. */
const NUMBERS = { maxChars: 'try-chars', maxInputTokens: 'try-tokens', dropInSteps: 'try-steps' };

/** @param {{onChange: () => void}} handlers */
export function createRequestControls({ onChange }) {
  const apis = byId('request-api');
  const opening = byId('opening-message');
  const blocks = byId('unknown-blocks');
  /** What somebody has chosen; until then it depends on who answers. */
  let chosen;

  const configured = element('option', { value: CONFIGURED }, 'As configured');
  const others = Object.entries(APIS).map(([value, name]) => element('option', { value }, name));
  apis.addEventListener('change', () => {
    chosen = apis.value;
    onChange();
  });
  for (const id of [...Object.values(NUMBERS), opening.id, blocks.id]) byId(id).addEventListener('input', onChange);

  /** Offers the APIs. @param {boolean} isConfigured whether there is a server that what is shown goes to */
  function offer(isConfigured) {
    setChildren(apis, isConfigured ? [configured, ...others] : others);
    apis.value = chosen ?? (isConfigured ? CONFIGURED : others[0].value);
    // The choice is gone with the server.
    if (apis.selectedIndex < 0) apis.selectedIndex = 0;
    // What is really sent is not for trying out.
    byId('request-budget').hidden = apis.value === CONFIGURED;
  }

  /**
   * What is tried out.
   * @returns {{options: object} | {problem: string}} `problem` where a field holds no number
   */
  function read() {
    for (const id of Object.values(NUMBERS)) byId(id).removeAttribute('aria-invalid');
    const options = { openingMessage: opening.value.trim() === '' ? null : opening.value, unknownBlocks: blocks.value };
    for (const [name, id] of Object.entries(NUMBERS)) {
      const field = byId(id);
      // A number field reports '' for text that is no number; taken as "no bound" it would lift the budget.
      if (field.validity.badInput) return refused(name, 'enter a whole number, or nothing');
      options[name] = field.value === '' ? null : Number(field.value);
    }
    return { options };
  }

  /** Marks the field of a refused option. @returns {{problem: string}} what is wrong, by the field's own name */
  function refused(name, message) {
    const field = byId(NUMBERS[name]);
    field.setAttribute('aria-invalid', 'true');
    return { problem: `${field.labels[0].textContent}: ${message}.` };
  }

  return {
    offer,
    read,
    /** @returns {string | undefined} what is wrong with the field that an error names; undefined where it names none */
    refuse({ path, message }) {
      return path in NUMBERS ? refused(path, message.replace(`${path}: `, '')).problem : undefined;
    },
    /** Shows the field that answers an error, and keeps it while it holds an answer. @param {string | undefined} code */
    ask(code) {
      byId('opening-field').hidden = code !== 'begins_with_assistant' && opening.value === '';
      byId('blocks-field').hidden = code !== 'unknown_block' && blocks.value === 'error';
    },
    get api() {
      return apis.value;
    },
  };
}
