// The judged rows as one Markdown table.

const HEAD = '| What | turnlog | Beside it | Its value | ÷ turnlog | Goal |';

export function markdown({ rows, payload, machine }) {
  const notes = rows.flatMap(({ note }) => (note === undefined ? [] : [`- ${note}`]));
  return [
    HEAD,
    '| --- | ---: | --- | ---: | ---: | --- |',
    ...rows.flatMap(linesOf),
    '',
    about({ rows, payload, machine }),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}

/** A line for each of the others: the best peer first and bold, the limits last. */
function linesOf(row) {
  const { what, spread, unit, goal, holds, peers, limits } = row;
  const said = goal === null ? '' : `${goal}${holds ? '' : ' (missed)'}`;
  const others = [
    ...peers.map(({ name, ratio, ...value }, index) => [index === 0 ? `**${name}**` : name, written(value, unit), ratio === null ? '' : short(ratio)]),
    ...limits.map(({ name, timesAbove, ...value }) => [`limit: ${name}`, written(value, unit), timesAbove === null ? '' : `1 ÷ ${short(timesAbove)}`]),
  ];
  const [first = ['', '', ''], ...more] = others;
  const cells = [[what, written(spread, unit), ...first, said], ...more.map((other) => ['', '', ...other, ''])];
  return cells.map((line) => `| ${line.join(' | ')} |`);
}

function about({ rows, payload, machine }) {
  const samples = [...new Set(rows.flatMap(({ spread }) => spread.samples ?? []))].toSorted((a, b) => b - a);
  const many = samples.length > 1 ? `${samples[0]} samples (of slow rows, down to ${samples.at(-1)})` : `${samples[0] ?? 1} samples`;
  return (
    `Medians of ${many} taken in turn, with their quartiles, in one run of ${machine.browser} on ${machine.cpu}. ` +
    'Less is better in every row; the best peer is bold, and a limit is the least that any program could do. ' +
    `Entries are turns of ${payload.bytesPerEntry.toLocaleString('en')} bytes of JSON on average (400 characters of a user, 1,200 of an ` +
    `assistant), ${Math.round(payload.nonAsciiShare * 100)} % of their characters not ASCII; event logs have 28 events a turn, 20 of them ` +
    'chunks. Run it with `make bench`; `docs/bench.json` has the same as data.'
  );
}

function written({ value, low, high }, unit) {
  if (value === null) return '–';
  if (unit !== 'µs') return `${value.toLocaleString('en')} ${unit}`;
  const [name, size] = value >= 1000 ? ['ms', 1000] : ['µs', 1];
  return `${short(value / size)} ${name} (${short(low / size)}–${short(high / size)})`;
}

function short(number) {
  return number >= 100 ? number.toFixed(0) : number.toPrecision(number >= 1 ? 3 : 2);
}
