// Numbers and names as people read them.

const thousands = new Intl.NumberFormat('en');

function count(n) {
  return n === undefined || n === null ? '' : thousands.format(n);
}

function plural(n, word) {
  return count(n) + ' ' + word + (n === 1 ? '' : 's');
}

function digits(v) {
  const a = Math.abs(v);
  return a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : v.toFixed(2);
}

// duration is a number of nanoseconds with a unit.
function duration(ns) {
  if (ns === undefined || ns === null || Number.isNaN(ns)) return '';
  const a = Math.abs(ns);
  if (a < 1e3) return Math.round(ns) + ' ns';
  if (a < 1e6) return digits(ns / 1e3) + ' µs';
  if (a < 1e9) return digits(ns / 1e6) + ' ms';
  if (a < 60e9) return digits(ns / 1e9) + ' s';
  const s = Math.round(a / 1e9),
    h = Math.floor(s / 3600),
    m = Math.floor(s / 60) % 60;
  return (ns < 0 ? '−' : '') + (h ? h + ' h ' + m + ' min' : m + ' min ' + (s % 60) + ' s');
}

// round is a duration without digits that say nothing, for axes.
function round(ns) {
  return ns === 0
    ? '0'
    : duration(ns)
        .replace(/(\.\d*?)0+ /, '$1 ')
        .replace('. ', ' ');
}

function size(bytes) {
  if (bytes === undefined || bytes === null) return '';
  let unit = 0,
    v = bytes;
  while (Math.abs(v) >= 1024 && unit < 4) {
    v /= 1024;
    unit++;
  }
  return (unit ? digits(v) : count(v)) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit];
}

// short is a number for an axis: 1.5k, 3M.
function short(v) {
  const a = Math.abs(v);
  const [by, unit] = a >= 1e9 ? [1e9, 'G'] : a >= 1e6 ? [1e6, 'M'] : a >= 1e3 ? [1e3, 'k'] : [1, ''];
  return String(+(v / by).toPrecision(3)) + unit;
}

// since is a time of the run, ns since its start, in seconds.
function since(ns) {
  return (ns < 0 ? '−' : '') + (Math.abs(ns) / 1e9).toFixed(6);
}

// topicName leaves out of a topic what most have in common.
function topicName(topic) {
  if (!topic) return topic === '' ? '(not captured)' : '';
  return topic.replace(/^persistent:\/\//, '').replace(/^public\/default\//, '');
}

function connLabel(id) {
  return 'c' + id;
}

// signed is an unsigned number of 64 bits that may stand for -1.
function signed(n) {
  return n === '18446744073709551615' ? '-1' : n;
}

function entryID(id) {
  if (!id) return '';
  return signed(id.ledgerId) + ':' + signed(id.entryId) + (id.batch_index >= 0 ? '[' + id.batch_index + ']' : '');
}

const arrows = { c2s: '→', s2c: '←' };

function cut(text, n) {
  return n < 1 ? '' : text.length > n ? text.slice(0, n - 1) + '…' : text;
}
