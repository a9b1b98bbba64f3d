// The panel "Next request": the messages, and the very body that an API would be sent of them, with what was changed for it.
//
// Nothing is drawn while the panel is closed. The list follows each key; the body is made when there is a pause, or after a
// second without one, since it costs what the conversation is long.
import { TurnlogError, prepareRequest } from '/pkg/index.js';
import { byId } from './dom.mjs';
import { createRequestBody } from './request-body-view.mjs';
import { CONFIGURED, createRequestControls } from './request-controls.mjs';
import { createRequestReport } from './request-report-view.mjs';
import { NO_MODEL } from './request-subjects.mjs';
import { createRequestView } from './request-view.mjs';
import { errorText } from './request-words.mjs';

const PAUSE_MS = 150;
const LONGEST_MS = 1000;

export function createRequestPanel() {
  const pane = byId('request-pane');
  const section = byId('request-body');
  const controls = createRequestControls({ onChange: () => draw() });
  const list = createRequestView();
  const report = createRequestReport();
  const body = createRequestBody();
  /** @type {(() => import('./request-subjects.mjs').Subject | undefined) | undefined} */
  let ask;
  let subject;
  let timer;
  let since;

  /** @param {() => import('./request-subjects.mjs').Subject | undefined} next asked only while the panel is open; undefined for what cannot be sent */
  function show(next) {
    ask = next;
    draw();
  }

  function draw() {
    if (pane.hidden || ask === undefined) return;
    subject = ask();
    list.render(subject);
    section.hidden = subject === undefined;
    if (subject === undefined) return;
    controls.offer(subject.configured !== undefined);
    section.setAttribute('aria-busy', 'true');
    since ??= performance.now();
    clearTimeout(timer);
    timer = setTimeout(drawBody, Math.min(PAUSE_MS, since + LONGEST_MS - performance.now()));
  }

  function drawBody() {
    since = undefined;
    section.setAttribute('aria-busy', 'false');
    if (pane.hidden || subject === undefined) return;
    const tried = controls.read();
    const { prepared, problem, code, note } = tried.problem === undefined ? prepare(tried.options) : tried;
    byId('request-problem').textContent = problem ?? '';
    controls.ask(code);
    byId('request-about').textContent = note ?? '';
    body.show(prepared?.body);
    if (prepared === undefined) report.clear();
    else report.render(prepared, controls.api === CONFIGURED ? {} : tried.options, subject.places);
  }

  /** The request, or why there is none. Errors that are not the package's are this page's own, and are thrown on. */
  function prepare(options) {
    try {
      if (controls.api === CONFIGURED) return { prepared: subject.configured(), note: `What is sent to ${subject.host}.` };
      const asked = subject.options();
      const note = `Nothing of this is sent${asked.model === NO_MODEL ? '; no model is set, and its name is made up' : ''}.`;
      return { prepared: prepareRequest(controls.api, subject.source, { ...options, ...asked }), note };
    } catch (error) {
      if (!(error instanceof TurnlogError)) throw error;
      return { problem: controls.refuse(error) ?? errorText(error), code: error.code };
    }
  }

  return { show, draw };
}
