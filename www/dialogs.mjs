// The two small dialogs: adding an assistant message by hand, and confirming a deletion. The element
// `<dialog>` itself keeps focus inside, closes on Escape and gives focus back to where it came from.
import { byId } from './dom.mjs';
import { plural } from './format.mjs';

/** Lets every button marked `data-close` close `dialog`. */
export function wireClosing(dialog) {
  for (const button of dialog.querySelectorAll('[data-close]')) button.addEventListener('click', () => dialog.close());
}

/** @param {{onAdd: (text: string) => Promise<string>}} handlers `onAdd` resolves to what is wrong, '' when it is stored */
export function createInjectionDialog({ onAdd }) {
  const dialog = byId('injection');
  const text = byId('injection-text');
  const problem = byId('injection-problem');
  const say = (message) => {
    problem.textContent = message;
    text.setAttribute('aria-invalid', String(message !== ''));
  };
  wireClosing(dialog);
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('injection-form').requestSubmit();
  });
  byId('injection-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    if (text.value.trim() === '') {
      say('Write what the assistant is to have said.');
      text.focus();
      return;
    }
    const wrong = await onAdd(text.value);
    say(wrong);
    if (wrong === '') {
      text.value = '';
      dialog.close();
    } else {
      text.focus();
    }
  });
  return {
    open() {
      say('');
      dialog.showModal();
      text.focus();
    },
  };
}

/** @param {{onDelete: (sessionId: string) => Promise<void>}} handlers */
export function createDeletionDialog({ onDelete }) {
  const dialog = byId('deletion');
  let session;
  wireClosing(dialog);
  byId('deletion-form').addEventListener('submit', (event) => {
    event.preventDefault();
    dialog.close();
    onDelete(session.id);
  });
  return {
    open(asked) {
      session = asked;
      byId('deletion-about').textContent = `“${asked.title || 'Untitled'}”, ${asked.about ?? plural(asked.entries, 'entry', 'entries')}. It is removed from this browser and cannot be brought back.`;
      dialog.showModal();
    },
  };
}
