// Two pages of one origin that append to one session at once: how many entries are lost, doubled or out of order after that.

const APPENDS = 200;
const PAGES = ['left', 'right'];

export async function twoPagesRows({ context, url }) {
  const reader = await pageAt(context, url);
  const outcomes = {};
  for (const name of await call(reader, 'names')) outcomes[name] = await outcomeOf(context, url, name);
  await reader.close();
  const values = Object.fromEntries(Object.entries(outcomes).map(([name, { lost, doubled, misordered }]) => [name, lost + doubled + misordered]));
  const what = `two pages append ${APPENDS} entries each to one session: lost, doubled or out of order`;
  const spelled = Object.entries(outcomes).map(([name, of]) => `${name}: ${wordsOf(of)}`);
  return [{ id: 'two-pages', size: 2 * APPENDS, what, unit: 'entries', values, note: `Two pages: ${spelled.join('; ')}. ${ABOUT}` }];
}

const ABOUT =
  'Each page opens the store before either writes, and waits for every append; out of order are those that stand before an earlier one of ' +
  "their page. Libraries that keep the list in the page's memory write theirs over the other's; assistant-ui says that its adapter is for one tab at a time, and all its branches count. A killed browser, damaged rows and a full " +
  'disk are in [docs/faults.json](docs/faults.json), for turnlog alone.';

const wordsOf = ({ lost, doubled, misordered, refused }) =>
  `${lost} lost, ${doubled} doubled, ${misordered} out of order${refused > 0 ? `, ${refused} refused` : ''}`;

async function pageAt(context, url) {
  const page = await context.newPage();
  await page.goto(`${url}benches/pages/two-pages.html`);
  await page.waitForFunction(() => globalThis.two !== undefined);
  return page;
}

const call = (page, name, ...given) => page.evaluate(([which, values]) => globalThis.two.calls[which](...values), [name, given]);

async function outcomeOf(context, url, name) {
  const pages = [];
  for (let count = 0; count < PAGES.length; count++) pages.push(await pageAt(context, url));
  for (const page of pages) await call(page, 'open', name);
  const refused = await Promise.all(pages.map((page, index) => call(page, 'append', PAGES[index], APPENDS)));
  for (const page of pages) {
    await call(page, 'close');
    await page.close();
  }
  const reader = await pageAt(context, url);
  const ids = await call(reader, 'ids', name);
  await reader.close();
  return { ...faultsOf(ids), refused: refused.flat().length };
}

function faultsOf(ids) {
  const distinct = new Set(ids);
  const misordered = PAGES.flatMap((page) => {
    const numbers = ids.filter((id) => id.startsWith(page)).map((id) => Number(id.slice(page.length + 1)));
    return numbers.filter((number, index) => index > 0 && number < numbers[index - 1]);
  });
  return { lost: PAGES.length * APPENDS - distinct.size, doubled: ids.length - distinct.size, misordered: misordered.length };
}
