// The sequence diagram: of a connection, or of a message on all its connections.

function drawSequence(view, params) {
  view.classList.add('full');
  const about = chosenFrames(params);
  const status = el('span', { class: 'muted', role: 'status', 'data-hits': true });
  const ladder = new Ladder(about.frames, about.lanes, status);
  const search = el('input', {
    type: 'search',
    'data-search': true,
    value: params.text || '',
    placeholder: 'words of a frame',
    input: soon(() => ladder.search(search.value)),
    keydown: e => {
      if (e.key === 'Enter') {
        e.preventDefault();
        ladder.next(e.shiftKey ? -1 : 1);
      }
    },
  });
  const message = el('input', {
    type: 'text',
    size: 16,
    value: params.message || '',
    placeholder: 'ledger:entry, or key',
    'data-message': true,
    keydown: e => {
      if (e.key === 'Enter') go('sequence', { message: message.value.trim() });
    },
  });
  view.append(
    el(
      'div',
      { class: 'controls' },
      choice(
        'Connection',
        connOptions('choose …'),
        params.message ? '' : about.conn,
        v => v !== '' && go('sequence', { conn: v }),
      ),
      el('label', { class: 'field' }, el('span', {}, 'or message'), message),
      el('label', { class: 'field grow' }, el('span', {}, 'Search'), search),
      status,
      el(
        'label',
        { class: 'field check' },
        el('input', {
          type: 'checkbox',
          checked: params.pings === '1',
          change: e =>
            go('sequence', {
              ...params,
              conn: params.message ? undefined : about.conn,
              pings: e.target.checked ? '1' : undefined,
            }),
        }),
        el('span', {}, 'PING and PONG'),
      ),
      el(
        'div',
        { class: 'field buttons', role: 'group', 'aria-label': 'Zoom of time' },
        el('span', {}, 'Time'),
        button('−', () => ladder.zoomBy(-1), { 'aria-label': 'Zoom out' }),
        button('even', () => ladder.zoomBy(-ladder.zoom), { 'data-zoom': true }),
        button('+', () => ladder.zoomBy(1), { 'aria-label': 'Zoom in' }),
      ),
    ),
    about.text && el('p', { class: 'muted' }, about.text),
    ladder.node,
  );
  ladder.begin(params.at === undefined ? -1 : about.frames.indexOf(Number(params.at)));
  if (params.text) ladder.search(params.text);
}

// chosenFrames gives the frames that are asked for and the lanes between which they
// go.
function chosenFrames(params) {
  if (params.message) return followed(params.message);
  const conn = params.conn !== undefined ? Number(params.conn) : busiestConnection();
  const frames = [];
  for (const i of events.rows) {
    if (events.conn[i] === conn && (params.pings === '1' || !/^P[IO]NG$/.test(typeName(i)) || events.bad[i])) frames.push(i);
  }
  const e = ends(conn),
    c = run.byConn.get(conn);
  return {
    conn,
    frames,
    lanes: [
      { title: e.client, about: c?.client_version || 'client', of: new Set([conn + 'client']) },
      { title: e.server, about: c?.server_version || 'broker', of: new Set([conn + 'server']) },
    ],
    text: frames.length ? '' : 'No frame of this connection is among the events of this page.',
  };
}

const followedFrames = 5000; // of the messages that fit

// followed gives the frames about an entry, or about the messages that have a word as
// their key, sequence id or value of a property.
function followed(word) {
  const found = new Set(/^-?\d+:\d+$/.test(word) ? events.byMessage.get(word) : framesWith(word));
  const frames = [...found].sort((a, b) => a - b).slice(0, followedFrames),
    conns = new Set(frames.map(i => events.conn[i]));
  return {
    frames,
    lanes: lanesOf(frames),
    text: frames.length
      ? word + ': ' + plural(frames.length, 'frame') + ' on ' + plural(conns.size, 'connection') + '.'
      : 'No frame of this page is about ' + word + '.',
  };
}

function framesWith(word) {
  const found = new Set(),
    sought = JSON.stringify(word).replaceAll('<', '\\u003c'),
    number = /^\d+$/.test(word) ? ':' + word : sought;
  for (let k = 0; k < events.n && found.size < followedFrames; k++) {
    const i = events.frame[k],
      line = kinds[events.kind[k]] === 'message' && i >= 0 ? lineOf(k) : '';
    if (!line.includes(sought) && !line.includes(number)) continue;
    const m = record(k);
    if (
      m.key !== word &&
      String(m.sequence_id) !== word &&
      !Object.values(m.properties || {})
        .flat()
        .includes(word)
    )
      continue;
    for (const j of [i, events.partner[i]]) if (j >= 0) found.add(j);
    for (const id of entriesOf(i, record(i))) for (const j of events.byMessage.get(id)) found.add(j);
  }
  return found;
}

function busiestConnection() {
  const frames = c => c.c2s.frames + c.s2c.frames;
  return run.connections.reduce((a, b) => (a && frames(a) >= frames(b) ? a : b), null)?.conn_id ?? -1;
}

function hostOf(end) {
  return end.replace(/:\d+$/, '');
}

// lanesOf gives those of several connections: senders, brokers, what brokers ask of
// bookies, bookies, other clients. Connections to the same server share its lane, and
// one from a host that is a server itself, as a proxy is, begins there.
function lanesOf(frames) {
  const sends = new Set(frames.filter(i => typeName(i) === 'SEND').map(i => events.conn[i]));
  const conns = [...new Set(frames.map(i => events.conn[i]))],
    servers = new Map(),
    clients = [];
  for (const conn of conns) {
    const server = ends(conn).server,
      c = run.byConn.get(conn);
    if (!servers.has(server))
      servers.set(server, {
        rank: c?.protocol === 'bookkeeper' ? 3 : 1,
        title: server,
        about: c?.server_version || c?.protocol || '',
        of: new Set(),
      });
    servers.get(server).of.add(conn + 'server');
  }
  for (const conn of conns) {
    const { client, server } = ends(conn),
      c = run.byConn.get(conn);
    const between = [...servers].find(([name]) => hostOf(name) === hostOf(client) && hostOf(client) !== hostOf(server));
    if (between) between[1].of.add(conn + 'client');
    else
      clients.push({
        rank: sends.has(conn) ? 0 : c?.protocol === 'bookkeeper' ? 2 : 4,
        title: client,
        about: connLabel(conn) + ' ' + (c?.client_version || c?.protocol || ''),
        of: new Set([conn + 'client']),
      });
  }
  return [...servers.values(), ...clients].sort((a, b) => a.rank - b.rank);
}
