// Numbers as people read them.

const compact = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});
const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const NONE = '–';

const digits = value => String(Number(value < 1000 ? value.toPrecision(3) : value.toFixed(0)));
const isNone = value => value === null || value === undefined || Number.isNaN(value);

export const count = value => isNone(value) ? NONE : value < 100_000 ? whole.format(value) : compact.format(value);
export const rate = value => isNone(value) ? NONE : value > 0 && value < 10 ? value.toFixed(1) : count(value);
export const share = value => isNone(value) ? NONE
    : value === 0 ? '0 %' : value < 0.001 ? '< 0.1 %' : (100 * value).toFixed(value < 0.1 ? 1 : 0) + ' %';

export function time(micros) {
  if (isNone(micros)) return NONE;
  if (micros < 1000) return Math.round(micros) + ' µs';
  return micros < 1e6 ? digits(micros / 1e3) + ' ms' : digits(micros / 1e6) + ' s';
}

export function bytes(value) {
  if (isNone(value)) return NONE;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1024; unit++; }
  return (unit === 0 ? Math.round(value) : digits(value)) + ' ' + units[unit];
}

export const bytesPerSecond = value => isNone(value) ? NONE : bytes(value) + '/s';

export function span(seconds) {
  if (seconds < 120) return Math.round(seconds) + ' s';
  if (seconds < 7200) return Math.round(seconds / 60) + ' min';
  return seconds < 172800 ? Math.round(seconds / 3600) + ' h' : Math.round(seconds / 86400) + ' days';
}

// The log has the rest.
export const brief = text => text.length > 300 ? text.slice(0, 300) + '…' : text;

// Days as people count them.
export function left(days) {
  if (days < 1) return Math.floor(days * 24) + (Math.floor(days * 24) === 1 ? ' hour' : ' hours');
  return Math.floor(days) + (Math.floor(days) === 1 ? ' day' : ' days');
}

const clock = new Intl.DateTimeFormat('en-GB', {timeStyle: 'medium'});
const day = new Intl.DateTimeFormat('sv-SE', {dateStyle: 'short'});

// The time of day, and the date of another day than today.
export function moment(millis, now) {
  const time = clock.format(millis);
  return day.format(millis) === day.format(now) ? time : day.format(millis) + ' ' + time;
}
