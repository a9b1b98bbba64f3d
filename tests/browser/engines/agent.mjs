// Runs first in every page that a test's site serves. It gives the page `report`, and in a browser without
// automation it takes the harness's commands: the page asks for the next one as long as it lives.

let unsent = [];
let sending;

/** Tells the harness a JSON value; resolves when this and all before it were received. */
globalThis.report = (value) => {
  unsent.push(value);
  return (sending ??= send().finally(() => (sending = undefined)));
};

async function send() {
  while (unsent.length > 0) {
    const batch = JSON.stringify(unsent);
    unsent = [];
    await fetch('/remote/reports', { method: 'POST', body: batch });
  }
}

const RETRY_MS = 250;

const PREFIX = 'remote tab ';
const given = new URLSearchParams(location.search).get('remote-tab');
// The window's name stays when it goes on to another page of the site.
if (given) window.name = PREFIX + given;

const tab = window.name.startsWith(PREFIX) ? window.name.slice(PREFIX.length) : undefined;
const page = crypto.randomUUID();

/** Navigating ends what is being fetched, but the page may yet stay: it fetches again. */
async function insist(address, options) {
  for (;;) {
    try {
      return await fetch(address, options);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function run(call) {
  let text;
  try {
    // A module of the site: its content security policy allows no `eval`.
    text = await (await import(`/remote/calls/${call}.mjs`)).default();
  } catch (error) {
    text = JSON.stringify({ failed: { name: error.name, message: error.message } });
  }
  await insist(`/remote/outcomes?tab=${tab}&call=${call}`, { method: 'POST', body: text });
}

const commands = {
  run,
  // Without a trace in the history: a script may not close a window that has been elsewhere.
  goto: (url) => location.replace(url),
  reload: () => location.reload(),
  close: () => window.close(),
};

async function obey() {
  for (let name; name !== 'close'; ) {
    const response = await insist(`/remote/commands?tab=${tab}&page=${page}`);
    const command = await response.json();
    name = command.name;
    commands[name](command.argument);
  }
}

if (tab !== undefined) {
  if (document.readyState === 'complete') obey();
  else addEventListener('load', obey);
}
