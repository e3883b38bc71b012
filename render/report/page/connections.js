// The life of each connection.

const connColumns = [
  { name: '', class: 'w-conn' },
  { name: 'Connection', class: 'w-ends' },
  { name: 'Protocol', class: 'w-protocol' },
  { name: 'Client', class: 'w-client' },
  { name: 'Frames', number: true, class: 'w-size' },
  { name: 'Bytes', number: true, class: 'w-size' },
  { name: 'End', class: 'w-end' },
  { name: 'Life', class: 'w-rest' },
];

function drawConnections(view, params) {
  const wrong = new Map();
  for (const f of run.findings)
    for (const v of f.evidence || [])
      if (v.conn_id !== undefined)
        wrong.set(v.conn_id, [...(wrong.get(v.conn_id) || []), { time: timeOf(v.time), severity: f.severity }]);
  let shown = run.connections;
  const list = new List({
    name: 'connection',
    label: 'Connections',
    columns: connColumns,
    draw: k => connCells(shown[k], wrong),
    open: k => showConnection(shown[k].conn_id),
  });
  const search = text => {
    const sought = text.toLowerCase().split(/\s+/).filter(Boolean);
    shown = run.connections.filter(c => {
      const line = (connLabel(c.conn_id) + ' ' + JSON.stringify(c)).toLowerCase();
      return sought.every(w => line.includes(w));
    });
    list.show(shown.length);
  };
  view.classList.add('full');
  view.append(
    el(
      'div',
      { class: 'controls' },
      el(
        'label',
        { class: 'field grow' },
        el('span', {}, 'Search'),
        el('input', {
          type: 'search',
          'data-search': true,
          placeholder: 'address, version, protocol, rst',
          value: params.text || '',
          input: soon(e => search(e.target.value)),
        }),
      ),
      legend(['life', 'open'], ['rst', 'reset'], ['warning', 'finding']),
    ),
    list.node,
  );
  list.show(shown.length);
  if (params.text) search(params.text);
}

function connCells(c, wrong) {
  return [
    connLabel(c.conn_id),
    c.conn,
    c.protocol + (c.encryption?.type === 'tls' ? ' (TLS)' : ''),
    c.client_version || '',
    count(c.c2s.frames + c.s2c.frames),
    size(c.c2s.bytes + c.s2c.bytes),
    c.close === 'open' ? 'open' : c.close + ' by ' + (c.closed_by || '?'),
    lifeLine(c, wrong.get(c.conn_id) || []),
  ];
}

// lifeLine draws when a connection was open; marks are findings.
function lifeLine(c, marks) {
  const x = t => Math.max(0, Math.min(t / run.end, 1)) * 100,
    from = x(timeOf(c.start)),
    to = x(timeOf(c.end));
  const svg = shape(
    'svg',
    {
      class: 'lifeline',
      width: '100%',
      height: 14,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': since(timeOf(c.start)) + ' to ' + since(timeOf(c.end)) + ' s',
    },
    shape('rect', { class: 'life', x: from + '%', width: Math.max(to - from, 0.3) + '%', y: 4, height: 6, rx: 1 }),
    c.close !== 'open' &&
      shape('rect', { class: c.close === 'rst' ? 'rst' : 'fin', x: 'calc(' + to + '% - 2px)', width: 2, y: 1, height: 12 }),
    marks.map(m => shape('circle', { class: 'mark ' + m.severity, cx: x(m.time) + '%', cy: 7, r: 3 })),
  );
  return svg;
}

function showConnection(id) {
  const c = run.byConn.get(id);
  if (!c) return;
  const found = run.findings
    .map((f, i) => [f, i])
    .filter(([f]) => f.subject?.conn_id === id || (f.evidence || []).some(v => v.conn_id === id));
  openDetails(
    connLabel(id) + '  ' + c.conn,
    el(
      'p',
      { class: 'actions' },
      button('Sequence', () => go('sequence', { conn: id })),
      button('Frames', () => go('frames', { conn: id })),
    ),
    facts([
      ['Protocol', c.protocol],
      ['Client', c.client_version],
      ['Broker', c.server_version],
      ['Authentication', c.auth_method],
      ['From', since(timeOf(c.start)) + ' s'],
      ['To', since(timeOf(c.end)) + ' s'],
      ['End', c.close + (c.closed_by ? ' by ' + c.closed_by : '')],
      ['→ broker', plural(c.c2s.frames, 'frame') + ', ' + size(c.c2s.bytes)],
      ['← broker', plural(c.s2c.frames, 'frame') + ', ' + size(c.s2c.bytes)],
    ]),
    found.length > 0 &&
      el(
        'section',
        {},
        el('h3', {}, 'Findings'),
        found.map(([f, i]) =>
          el(
            'p',
            { class: 'found' },
            el('span', { class: 'badge ' + f.severity }, f.severity),
            ' ',
            button(f.title, () => go('findings', { at: i }), { class: 'link' }),
          ),
        ),
      ),
    el('h3', {}, 'Fields'),
    tree(c, ['kind']),
    raw(c, -1),
  );
}
