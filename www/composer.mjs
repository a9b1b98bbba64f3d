// The field where messages are written. A text that is not sent yet stays with its conversation.
import { byId } from './dom.mjs';

/** @param {{onSend: (text: string) => void, onStop: () => void, onInput: () => void}} handlers */
export function createComposer({ onSend, onStop, onInput }) {
  const form = byId('composer');
  const draft = byId('draft');
  const send = byId('send');
  const stop = byId('stop');
  const drafts = new Map();
  let session = '';
  let busy = false;

  draft.addEventListener('keydown', (event) => {
    // While an input method composes, Enter accepts what it offers.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.altKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
  draft.addEventListener('input', () => {
    update();
    onInput();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (busy || draft.value.trim() === '') return;
    const text = draft.value;
    draft.value = '';
    update();
    draft.focus();
    onSend(text);
  });
  stop.addEventListener('click', () => {
    onStop();
    draft.focus();
  });

  function update() {
    // Not `disabled`: a button that takes focus away from the keyboard while it is pressed is a trap.
    send.setAttribute('aria-disabled', String(busy || draft.value.trim() === ''));
    send.hidden = busy;
    stop.hidden = !busy;
  }

  return {
    get text() {
      return draft.value;
    },
    /** Shows the field of `sessionId`, with what was being written there. */
    open(sessionId) {
      drafts.set(session, draft.value);
      session = sessionId;
      draft.value = drafts.get(sessionId) ?? '';
      drafts.delete(sessionId);
      update();
    },
    /** While a reply comes in, the next message may be written but not sent. */
    setBusy(value) {
      if (value === busy) return;
      const hadFocus = document.activeElement === stop || document.activeElement === send;
      busy = value;
      update();
      if (hadFocus) draft.focus();
    },
    fill(text) {
      draft.value = draft.value.trim() === '' ? text : `${text}\n${draft.value}`;
      update();
      draft.focus();
      onInput();
    },
    focus: () => draft.focus(),
  };
}
