// Numbers, sizes and times as people read them, in the page's language.

const LANGUAGE = 'en';
const number = new Intl.NumberFormat(LANGUAGE);
const oneDigit = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });
const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'full', timeStyle: 'short' });

export const count = (value) => number.format(value);
export const plural = (value, one, many) => `${number.format(value)} ${value === 1 ? one : many}`;

/** Bytes in decimal units, as browsers and file managers show them. */
export function bytes(value) {
  if (value < 1000) return `${number.format(value)}\u00a0B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let amount = value / 1000;
  let unit = 0;
  while (amount >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${oneDigit.format(amount)}\u00a0${units[unit]}`;
}

/** Whether a date can hold it: any finite number is a legal timestamp of a message. */
const isDate = (timestamp) => Math.abs(timestamp) <= 8.64e15;

/** “5 minutes ago” for what is recent, a date for what is not. */
export function ago(timestamp, now = Date.now()) {
  if (!isDate(timestamp)) return '';
  const minutes = Math.round((timestamp - now) / 60_000);
  if (minutes === 0) return 'just now';
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  if (Math.abs(hours) < 24) return relative.format(hours, 'hour');
  const days = Math.round(hours / 24);
  return Math.abs(days) < 7 ? relative.format(days, 'day') : day.format(timestamp);
}

export const time = (timestamp) => (isDate(timestamp) ? clock.format(timestamp) : '');
export const fullTime = (timestamp) => (isDate(timestamp) ? full.format(timestamp) : '');
/** As the `datetime` of a `<time>` element. */
export const machineTime = (timestamp) => (isDate(timestamp) ? new Date(timestamp).toISOString() : '');
