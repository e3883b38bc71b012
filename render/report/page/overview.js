// The overview: what is in the capture, on one screen.

function drawOverview(view) {
  const s = run.summary;
  view.append(
    el(
      'div',
      { class: 'tiles' },
      tile('Packets', count(s.packets), size(s.bytes)),
      tile('Span', duration(s.duration_ns || 0), s.start ? s.start.slice(0, 10) + ' ' + s.start.slice(11, 19) + ' UTC' : ''),
      tile('Connections', count(sum(s.connections)), list(s.connections)),
      tile('Frames', count(s.frames), troubleWords(s)),
      tile('Sent', count(total(s.produced, 'messages')), 'messages, ' + size(total(s.produced, 'bytes'))),
      tile('Delivered', count(total(s.consumed, 'messages')), 'messages, ' + size(total(s.consumed, 'bytes'))),
      tile('Findings', count(run.findings.length), severities(), () => go('findings')),
    ),
    section('Frames over time', activityChart(), legend(['c2s', 'client to broker'], ['s2c', 'broker to client'])),
    run.findings.length > 0 && section('What is wrong', worst()),
    el('div', { class: 'columns' }, section('Exchanges', exchangeTable()), section('Commands', commandTable())),
    section('Topics', topicTable()),
    section('The capture itself', captureTable()),
  );
}

function section(title, ...content) {
  return el('section', {}, el('h2', {}, title), ...content.filter(Boolean));
}

function tile(name, value, about, onclick) {
  const content = [
    el('span', { class: 'tile-name' }, name),
    el('span', { class: 'tile-value', 'data-fact': name }, value),
    el('span', { class: 'muted' }, about || ''),
  ];
  return onclick
    ? el('button', { type: 'button', class: 'tile', click: onclick }, content)
    : el('div', { class: 'tile' }, content);
}

function sum(tally) {
  return Object.values(tally || {}).reduce((a, b) => a + b, 0);
}

function total(rows, field) {
  return (rows || []).reduce((a, r) => a + r[field], 0);
}

function list(tally) {
  return Object.entries(tally || {})
    .map(([k, n]) => count(n) + ' ' + k)
    .join(', ');
}

function troubleWords(s) {
  return (
    [
      s.checksums?.bad && count(s.checksums.bad) + ' bad checksums',
      s.incomplete_frames && count(s.incomplete_frames) + ' incomplete',
    ]
      .filter(Boolean)
      .join(', ') || 'all read'
  );
}

function severities() {
  const n = { error: 0, warning: 0, info: 0 };
  for (const f of run.findings) n[f.severity]++;
  return run.findings.length === 0
    ? 'findings' in run.summary
      ? 'no rule found anything'
      : 'not looked for'
    : [n.error && plural(n.error, 'error'), n.warning && plural(n.warning, 'warning'), n.info && n.info + ' for information']
        .filter(Boolean)
        .join(', ');
}

function activityChart() {
  const f = run.charts.frames,
    max = Math.max(...f.c2s, 1),
    min = Math.max(...f.s2c, 1);
  return chart(150, 'Frames over time, by direction', (svg, w, h) => {
    const p = plot(svg, w, h, { max, min: -min, format: v => short(Math.abs(v)) });
    bars(p, f.c2s, 'c2s');
    bars(
      p,
      f.s2c.map(v => -v),
      's2c',
    );
    pointer(
      p,
      i => (f.c2s[i] || f.s2c[i]) && '→ ' + count(f.c2s[i] || 0) + '  ← ' + count(f.s2c[i] || 0),
      (from, to) => go('frames', { from: Math.floor(from), to: Math.ceil(to) }),
    );
  });
}

const shownWorst = 6;

function worst() {
  const rest = run.findings.length - shownWorst;
  return el(
    'div',
    {},
    run.findings
      .slice(0, shownWorst)
      .map((f, i) =>
        el(
          'button',
          { type: 'button', class: 'finding-line', click: () => go('findings', { at: i }) },
          el('span', { class: 'badge ' + f.severity }, f.severity),
          el('strong', {}, f.title),
          el('span', { class: 'muted' }, subject(f), f.count > 1 ? '  ×' + count(f.count) : ''),
        ),
      ),
    rest > 0 && button(count(rest) + ' more', () => go('findings'), { class: 'link' }),
  );
}

// What lies between the two sides of exchanges that are no requests.
const kindTitles = {
  send: 'send: SEND to its receipt',
  ack: 'ack: delivery to its ACK',
  ping: 'ping: PING to PONG',
  connect: 'connect: CONNECT to CONNECTED',
  auth: 'auth: challenge to response',
  watch: 'watch',
};

// exchangeRows are the rows of the summary: kinds, and requests by type.
function exchangeRows() {
  const rows = [];
  for (const [kind, x] of Object.entries(run.summary.exchanges || {})) {
    if (!x.by_request) rows.push({ kind, request: '', name: kind, title: kindTitles[kind] || kind, ...x });
    for (const [request, y] of Object.entries(x.by_request || {}))
      rows.push({ kind, request, name: request, title: request, ...y });
  }
  return rows;
}

const exchangeColumns = [
  { name: 'Exchange' },
  { name: 'ok', number: true },
  { name: 'other', number: true, about: 'errors, unanswered and the like' },
  { name: 'p50', number: true },
  { name: 'p99', number: true },
  { name: 'max', number: true },
];

function exchangeTable() {
  const rows = exchangeRows().map(x => {
    const { ok = 0, ...other } = x.results,
      l = x.latency_ns || {},
      n = sum(other);
    return {
      attributes: {
        class: 'clickable',
        tabindex: '0',
        click: () => go('latency', { of: x.name }),
        keydown: onEnter(() => go('latency', { of: x.name })),
      },
      cells: [
        x.title,
        count(ok),
        n ? el('span', { class: 'doubtful', title: visible(list(other)) }, count(n)) : '',
        duration(l.p50),
        duration(l.p99),
        duration(l.max),
      ],
    };
  });
  return rows.length ? table(exchangeColumns, rows, { 'data-table': 'exchanges' }) : el('p', { class: 'muted' }, 'None.');
}

function onEnter(call) {
  return e => {
    if (e.key === 'Enter') call();
  };
}

function commandTable() {
  const c = run.summary.commands || {},
    names = [...new Set([...Object.keys(c.c2s || {}), ...Object.keys(c.s2c || {})])].sort();
  return table(
    [{ name: 'Command' }, { name: '→ broker', number: true }, { name: '← broker', number: true }],
    names.map(n => ({
      attributes: {
        class: 'clickable',
        tabindex: '0',
        click: () => go('frames', { type: n }),
        keydown: onEnter(() => go('frames', { type: n })),
      },
      cells: [n, count(c.c2s?.[n]), count(c.s2c?.[n])],
    })),
    { 'data-table': 'commands' },
  );
}

const shownTopics = 100;

function topicTable() {
  const topics = new Map(),
    row = t => topics.get(t) || topics.set(t, { topic: t, produced: null, consumed: [] }).get(t);
  for (const p of run.summary.produced || []) row(p.topic).produced = p;
  for (const c of run.summary.consumed || []) row(c.topic).consumed.push(c);
  const rows = [...topics.values()].sort(
    (a, b) =>
      (b.produced?.messages || 0) + total(b.consumed, 'messages') - (a.produced?.messages || 0) - total(a.consumed, 'messages'),
  );
  if (rows.length === 0) return el('p', { class: 'muted' }, 'None.');
  return el(
    'div',
    {},
    table(
      [
        { name: 'Topic', class: 'wide' },
        { name: 'Sent', number: true },
        { name: 'Bytes', number: true },
        { name: 'Failed', number: true },
        { name: 'Subscriptions', class: 'wide' },
        { name: 'Delivered', number: true },
        { name: 'Redelivered', number: true },
        { name: 'Acked', number: true },
        { name: 'Unacked', number: true },
      ],
      rows
        .slice(0, shownTopics)
        .map(t => [
          topicName(t.topic),
          count(t.produced?.messages),
          size(t.produced?.bytes),
          count((t.produced && t.produced.errors + t.produced.unanswered) || null),
          t.consumed.map(c => c.subscription + (c.type ? ' (' + c.type + ')' : '')).join(', '),
          count(total(t.consumed, 'messages') || null),
          count(total(t.consumed, 'redelivered') || null),
          count(total(t.consumed, 'acked') || null),
          count(total(t.consumed, 'unacked') || null),
        ]),
      { 'data-table': 'topics' },
    ),
    rows.length > shownTopics && el('p', { class: 'muted' }, count(rows.length - shownTopics) + ' more topics'),
  );
}

function captureTable() {
  const s = run.summary,
    t = s.tcp || {};
  const rows = [
    [
      'Files',
      (s.files || [])
        .map(
          f =>
            f.name +
            ' (' +
            plural(f.packets, 'packet') +
            (f.packets_truncated ? ', ' + count(f.packets_truncated) + ' cut' : '') +
            ')',
        )
        .join('; '),
    ],
    [
      'TCP',
      [
        plural(s.tcp_segments || 0, 'segment'),
        size(t.bytes || 0),
        t.retransmitted && count(t.retransmitted) + ' retransmitted',
        t.out_of_order && count(t.out_of_order) + ' out of order',
      ]
        .filter(Boolean)
        .join(', '),
    ],
    ['Packets not used', list(s.packets_not_used)],
    ['Bytes missing', gapWords(s.gaps)],
    ['Bytes not read', s.skipped?.bytes && size(s.skipped.bytes) + ': ' + list(s.skipped.reasons)],
    ['TLS not opened', s.tls_not_opened?.bytes && size(s.tls_not_opened.bytes) + ': ' + list(s.tls_not_opened.reasons)],
    ['Checksums of frames', list(s.checksums)],
    ['Messages', list(s.message_states)],
    [
      'Codecs',
      Object.entries(s.codecs || {})
        .map(([d, l]) => d + ': ' + l.map(c => c.codec + ' ' + count(c.messages)).join(', '))
        .join('; '),
    ],
    ['Limits hit', list(Object.fromEntries(Object.entries(s.limits || {}).filter(([, n]) => n > 0)))],
  ];
  return facts(rows.filter(([, text]) => text));
}

function gapWords(g) {
  if (!g) return '';
  const n = g.bytes ?? sum(Object.fromEntries(Object.entries(g).map(([k, x]) => [k, x?.bytes || 0])));
  return n ? size(n) : '';
}
