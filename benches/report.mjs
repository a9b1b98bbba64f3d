// The measured times as one Markdown table, and as data.

const OURS = 'turnlog';

/** Rows with their ratios: the other's median ÷ ours, so that above 1 turnlog is the faster one. */
export function withRatios(rows) {
  return rows.map(({ what, times, counts, goals = {}, note }) => {
    if (counts !== undefined) return countsOf({ what, counts, note });
    const { [OURS]: ours, ...others } = times;
    const peers = Object.entries(others).map(([name, measured]) => {
      const ratio = measured.median / ours.median;
      const goal = goals[name];
      return { name, ...measured, ratio, ...(goal !== undefined && { goal, met: ratio >= goal }) };
    });
    return { what, unit: 'µs', turnlog: ours, peers, ...(note !== undefined && { note }) };
  });
}

/** Rows of how many, where fewer are better and there is no ratio. */
function countsOf({ what, counts: { [OURS]: ours, ...others }, note }) {
  const peers = Object.entries(others).map(([name, counted]) => ({ name, ...counted }));
  return { what, unit: 'count', turnlog: ours, peers, ...(note !== undefined && { note }) };
}

export function markdown({ rows, payload, environment }) {
  const lines = ['| What | turnlog | Other | Its time | Other ÷ turnlog | Goal |', '| --- | ---: | --- | ---: | ---: | ---: |'];
  for (const { what, turnlog, peers } of rows) {
    for (const [index, peer] of peers.entries()) {
      const [title, ours] = index === 0 ? [what, measured(turnlog)] : ['', ''];
      const goal = peer.goal === undefined ? '' : `≥ ${short(peer.goal)}${peer.met ? '' : ' (missed)'}`;
      const ratio = peer.ratio === undefined ? '' : short(peer.ratio);
      lines.push(`| ${title} | ${ours} | ${peer.name} | ${measured(peer)} | ${ratio} | ${goal} |`);
    }
  }
  const notes = rows.flatMap(({ note }) => (note === undefined ? [] : [`- ${note}`]));
  const timed = rows.filter(({ unit }) => unit !== 'count');
  const [most, fewest] = [Math.max, Math.min].map((of) => of(...timed.map(({ turnlog }) => turnlog.samples)));
  const samples = most === fewest ? `${most}` : `${most} (of imports, ${fewest})`;
  const share = Math.round(payload.nonAsciiShare * 100);
  return [
    ...lines,
    '',
    `Medians of ${samples} samples taken in turn, with their quartiles, in one run of ` +
      `${environment.browser} on ${environment.cpu}. ` +
      `${payload.entries.toLocaleString('en')} turns of ${payload.bytesPerEntry} bytes of JSON on average, ` +
      `${share} % of their characters not ASCII. Run it with \`make bench\`.`,
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}

function measured({ count, ...times }) {
  return count === undefined ? time(times) : count.toLocaleString('en');
}

function time({ median, low, high }) {
  const [unit, size] = median >= 1000 ? ['ms', 1000] : ['µs', 1];
  return `${short(median / size)} ${unit} (${short(low / size)}–${short(high / size)})`;
}

function short(number) {
  return number >= 100 ? number.toFixed(0) : number.toPrecision(number >= 1 ? 3 : 2);
}
