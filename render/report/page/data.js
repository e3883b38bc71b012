// The data of the page: blocks of JSON, one record a line, as the JSON output has
// them. The lines of events stay text until somebody looks at one; a few columns of
// each are kept in arrays.

const run = {
  start: 0, // seconds since the Unix epoch, whole
  startFraction: 0, // ns
  end: 0, // ns since the start
  charts: null,
  summary: {},
  connections: [],
  byConn: new Map(), // conn_id: record
  consumers: [],
  findings: [],
};

const kinds = ['frame', 'message', 'exchange', 'permits', 'chunked_message', 'gap', 'skipped', 'conflict', 'proxy', 'bookie'];
const rowKinds = new Set(['frame', 'bookie', 'gap', 'skipped', 'conflict', 'proxy']);

function blockText(id) {
  return document.getElementById(id).textContent;
}

// parse reads JSON and keeps whole numbers exact that a double is too small for: as
// text.
function parse(text) {
  if (/\d{16}/.test(text)) {
    text = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, m => (/^-?\d{16,}$/.test(m) ? '"' + m + '"' : m));
  }
  return JSON.parse(text);
}

// timeOf is the time of a record in ns since the start of the run.
function timeOf(text) {
  return (Date.parse(text.slice(0, 19) + 'Z') / 1000 - run.start) * 1e9 + Number(text.slice(20, 29)) - run.startFraction;
}

function clockOf(ns) {
  const all = run.startFraction + ns,
    s = Math.floor(all / 1e9);
  const date = new Date((run.start + s) * 1000).toISOString();
  return date.slice(0, 10) + ' ' + date.slice(11, 19) + '.' + String(Math.round(all - s * 1e9)).padStart(9, '0') + ' UTC';
}

// readRecords takes what there is besides events.
function readRecords() {
  run.charts = parse(blockText('charts'));
  run.start = Date.parse(run.charts.start.slice(0, 19) + 'Z') / 1000;
  run.startFraction = Number(run.charts.start.slice(20, 29));
  const into = {
    connection: r => {
      run.connections.push(r);
      run.byConn.set(r.conn_id, r);
    },
    consumer: r => run.consumers.push(r),
    finding: r => run.findings.push(r),
    summary: r => {
      run.summary = r;
    },
  };
  for (const r of parse(blockText('records'))) into[r.kind]?.(r);
  run.connections.sort((a, b) => a.conn_id - b.conn_id);
  run.end = Math.max(timeOf(run.charts.last), run.summary.end ? timeOf(run.summary.end) : 0, 1);
}

const events = {
  n: 0,
  text: '',
  from: null,
  to: null, // of each line in the text
  kind: null,
  conn: null,
  time: null,
  packet: null,
  type: null,
  up: null,
  bad: null,
  frame: null, // the frame that a record is about
  exchange: null, // of a frame: the exchange that it is part of
  partner: null, // of a frame: the one it answers, or that answers it
  first: null,
  count: null, // of a frame: its messages
  types: [], // names
  rows: null, // those that stand for something on the wire
  byMessage: new Map(), // ledger:entry to the frames about it
  places: new Map(), // connection and direction to a map from offset to frame
};

function allocate(n) {
  const e = events;
  e.n = n;
  [e.from, e.to] = [new Uint32Array(n), new Uint32Array(n)];
  [e.kind, e.up, e.bad] = [new Uint8Array(n), new Uint8Array(n), new Uint8Array(n)];
  [e.time, e.packet] = [new Float64Array(n), new Float64Array(n)];
  [e.conn, e.frame, e.exchange, e.partner, e.first, e.count] = Array.from({ length: 6 }, () => new Int32Array(n).fill(-1));
  e.type = new Uint16Array(n);
}

// splitEvents finds the lines.
function splitEvents() {
  const text = (events.text = blockText('events'));
  const ends = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  allocate(Math.max(ends.length - 1, 0));
  for (let i = 0; i < events.n; i++) {
    events.from[i] = ends[i] + 1;
    events.to[i] = ends[i + 1] - (text[ends[i + 1] - 1] === ',' ? 1 : 0);
  }
}

function lineOf(i) {
  return events.text.slice(events.from[i], events.to[i]);
}

function record(i) {
  return parse(lineOf(i));
}

// readEvents fills the arrays, a piece at a time, so that the page stays alive.
async function readEvents() {
  splitEvents();
  const names = new Map();
  let pause = performance.now() + 40;
  for (let i = 0; i < events.n; i++) {
    index(i, JSON.parse(lineOf(i)), names);
    if ((i & 255) === 0 && performance.now() > pause) {
      await new Promise(done => setTimeout(done));
      pause = performance.now() + 40;
    }
  }
  events.types = [...names.keys()];
  const rows = [];
  for (let i = 0; i < events.n; i++) if (rowKinds.has(kinds[events.kind[i]])) rows.push(i);
  events.rows = Int32Array.from(rows);
}

function typeOf(r) {
  return r.type || (r.op && 'BK ' + r.op) || r.exchange || r.kind;
}

function index(i, r, names) {
  const e = events,
    name = typeOf(r);
  if (!names.has(name)) names.set(name, names.size);
  e.type[i] = names.get(name);
  e.kind[i] = kinds.indexOf(r.kind);
  e.conn[i] = r.conn_id;
  e.time[i] = timeOf(r.time);
  e.packet[i] = r.packet;
  e.up[i] = r.dir === 'c2s' ? 1 : 0;
  indexers[r.kind]?.(i, r);
}

// placesOf is the map of the frames of a direction, by their offset.
function placesOf(conn, dir) {
  const key = 2 * conn + (dir === 'c2s' ? 1 : 0);
  let places = events.places.get(key);
  if (!places) events.places.set(key, (places = new Map()));
  return places;
}

function frameOf(conn, ref) {
  return placesOf(conn, ref.dir).get(ref.offset) ?? -1;
}

function about(id, frame) {
  if (frame < 0) return;
  const list = events.byMessage.get(id);
  if (!list) events.byMessage.set(id, [frame]);
  else if (!list.includes(frame)) list.push(frame);
}

function indexFrame(i, r) {
  events.frame[i] = i;
  placesOf(r.conn_id, r.dir).set(r.offset, i);
  if (r.issues || r.checksum === 'bad' || r.incomplete || /ERROR/.test(r.type)) events.bad[i] = 1;
  const id = r.command?.message_id;
  if (r.type === 'MESSAGE' && id) about(id.ledgerId + ':' + id.entryId, i);
  if (r.ledgerId !== undefined && r.entryId !== undefined) about(r.ledgerId + ':' + r.entryId, i);
}

function indexMessage(i, r) {
  const frame = (events.frame[i] = frameOf(r.conn_id, r));
  if (frame < 0) return;
  if (events.first[frame] < 0) {
    events.first[frame] = i;
    events.count[frame] = 0;
  }
  events.count[frame]++;
}

function indexExchange(i, r) {
  const request = r.request ? frameOf(r.conn_id, r.request) : -1,
    response = r.response ? frameOf(r.conn_id, r.response) : -1;
  events.frame[i] = response >= 0 ? response : request;
  if (request >= 0 && (events.exchange[request] < 0 || r.result === 'ok')) {
    events.exchange[request] = i;
    events.partner[request] = response;
  }
  if (response >= 0 && events.exchange[response] < 0) {
    events.exchange[response] = i;
    events.partner[response] = request;
  }
  if (r.result === 'error' || r.result === 'unanswered') for (const f of [request, response]) if (f >= 0) events.bad[f] = 1;
  const id = r.message_id ? r.message_id.ledgerId + ':' + r.message_id.entryId : r.exchange === 'ack' ? r.key.id : '';
  if (id) for (const f of [request, response]) about(id, f);
  for (const c of r.covers || []) about(c.id, response);
}

const indexers = {
  frame: indexFrame,
  bookie: indexFrame,
  message: indexMessage,
  chunked_message: (i, r) => {
    events.frame[i] = frameOf(r.conn_id, r);
  },
  permits: (i, r) => {
    events.frame[i] = frameOf(r.conn_id, r);
  },
  exchange: indexExchange,
  gap: i => {
    events.bad[i] = 1;
  },
  skipped: i => {
    events.bad[i] = 1;
  },
  conflict: i => {
    events.bad[i] = 1;
  },
};

function typeName(i) {
  return events.types[events.type[i]];
}

// server and client are the ends of a connection by its name.
function ends(conn) {
  const name = typeof conn === 'string' ? conn : run.byConn.get(conn)?.conn || '';
  const m = /^(\[[^\]]*\]:\d+|[^-]*)-(.*)$/.exec(name);
  return m ? { client: m[1], server: m[2] } : { client: 'client of ' + connLabel(conn), server: 'server of ' + connLabel(conn) };
}
