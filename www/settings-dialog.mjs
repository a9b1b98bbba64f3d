// The settings dialog: a form over `SettingsStore`. The key's field is emptied whenever the dialog closes, so
// that the page holds the key in one place only.
import { wireClosing } from './dialogs.mjs';
import { byId } from './dom.mjs';
import { settingsProblem } from './settings.mjs';

/**
 * @param {{settings: import('./settings.mjs').SettingsStore, apply: (settings: object) => void, onSaved: () => void}} options
 *   `apply` puts settings into force before they are saved; it may throw the engine's `ValidationError`, whose
 *   path names the bound it refuses
 */
export function createSettingsDialog({ settings, apply, onSaved }) {
  const dialog = byId('settings');
  const form = byId('settings-form');
  const problem = byId('settings-problem');
  const key = byId('key');
  const field = (name) => form.elements.namedItem(name);
  wireClosing(dialog);
  form.addEventListener('change', showServerFields);
  dialog.addEventListener('close', () => {
    key.value = '';
  });
  byId('forget-key').addEventListener('click', () => {
    settings.save(settings.current, '');
    showKey();
    key.focus();
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = read();
    const wrong = wanted.problem ?? settingsProblem(wanted.settings);
    if (wrong) return refuse(wrong.field, wrong.message);
    try {
      apply(wanted.settings);
      settings.save(wanted.settings, key.value === '' ? undefined : key.value);
    } catch (error) {
      return refuseAs(error);
    }
    dialog.close();
    onSaved();
  });

  function read() {
    const wanted = {
      answering: field('answering').value,
      baseUrl: field('baseUrl').value.trim(),
      model: field('model').value.trim(),
      systemPrompt: field('systemPrompt').value,
      maxEntries: bound('maxEntries'),
      maxChars: bound('maxChars'),
      retention: field('retention').value,
    };
    for (const name of ['maxEntries', 'maxChars']) {
      // A number field reports '' for text that is no number; taken as "no bound" it would lift the budget.
      if (field(name).validity.badInput) return { problem: { field: name, message: 'Enter a whole number, or nothing for no bound.' } };
    }
    return { settings: wanted };
  }

  function bound(name) {
    const text = field(name).value.trim();
    return text === '' ? null : Number(text);
  }

  function refuse(name, message) {
    clearMarks();
    problem.textContent = message;
    const input = name ? field(name) : null;
    if (!(input instanceof HTMLElement)) return;
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-errormessage', 'settings-problem');
    input.focus();
  }

  /** The engine names a bound by its path (`history.maxEntries`); here it is a field with a label. */
  function refuseAs(error) {
    const name = error.path?.split('.').at(-1);
    const label = name && field(name)?.labels?.[0]?.textContent;
    refuse(name, label ? `${label}: ${error.message.replace(`${error.path}: `, '')}.` : error.message);
  }

  function clearMarks() {
    problem.textContent = '';
    for (const input of form.querySelectorAll('[aria-invalid]')) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-errormessage');
    }
  }

  function showServerFields() {
    byId('server-fields').hidden = field('answering').value !== 'server';
  }

  function showKey() {
    key.placeholder = settings.key === '' ? '' : 'Entered; leave empty to keep it';
    byId('forget-key').hidden = settings.key === '';
  }

  return {
    open() {
      const { current } = settings;
      for (const name of ['answering', 'baseUrl', 'model', 'systemPrompt', 'retention']) field(name).value = current[name];
      for (const name of ['maxEntries', 'maxChars']) field(name).value = current[name] ?? '';
      clearMarks();
      showKey();
      showServerFields();
      dialog.showModal();
    },
  };
}
