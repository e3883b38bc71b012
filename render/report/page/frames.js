// The list of frames, and of what else was on the wire.

const frameColumns = [
  { name: 'Packet', number: true, class: 'w-packet' },
  { name: 'Time, s', number: true, class: 'w-time' },
  { name: 'Conn', class: 'w-conn' },
  { name: '', class: 'w-dir' },
  { name: 'Type', class: 'w-type' },
  { name: 'Size', number: true, class: 'w-size' },
  { name: 'What', class: 'w-rest' },
  { name: 'Exchange', class: 'w-answer' },
];

function drawFrames(view, params) {
  let shown = filterFrames(params);
  const how = el('span', { class: 'muted', role: 'status', 'data-count': true });
  const frames = new List({
    name: 'frame',
    label: 'Frames',
    columns: frameColumns,
    draw: k => frameCells(shown[k]),
    mark: k => dirOf(shown[k]) + (events.bad[shown[k]] ? ' bad' : ''),
    open: k => showFrame(shown[k]),
  });
  const update = changed => {
    params = { ...params, ...changed };
    delete params.at;
    remember('frames', params);
    shown = filterFrames(params);
    frames.show(shown.length);
    tell();
  };
  const tell = () =>
    how.replaceChildren(
      shown.length === events.rows.length
        ? plural(shown.length, 'row')
        : count(shown.length) + ' of ' + plural(events.rows.length, 'row'),
    );
  view.classList.add('full');
  view.append(frameControls(params, update, how), frames.node);
  const at = params.at === undefined ? -1 : shown.indexOf(Number(params.at));
  frames.show(shown.length, at);
  if (at >= 0) showFrame(shown[at]);
  tell();
}

function frameControls(params, update, how) {
  const types = [...new Set(Array.from(events.rows, typeName))].sort();
  const ranged = params.from !== undefined;
  return el(
    'div',
    { class: 'controls' },
    el(
      'label',
      { class: 'field grow' },
      el('span', {}, 'Search'),
      el('input', {
        type: 'search',
        'data-search': true,
        value: params.text || '',
        placeholder: 'words anywhere in the record, all of them',
        input: soon(e => update({ text: e.target.value })),
      }),
    ),
    choice('Type', [['', 'all'], ...types.map(t => [t, t])], params.type || '', v => update({ type: v })),
    choice('Connection', connOptions('all'), params.conn ?? '', v => update({ conn: v })),
    choice(
      'Direction',
      [
        ['', 'both'],
        ['c2s', '→ to broker'],
        ['s2c', '← to client'],
      ],
      params.dir || '',
      v => update({ dir: v }),
    ),
    el(
      'label',
      { class: 'field check' },
      el('input', { type: 'checkbox', checked: params.bad === '1', change: e => update({ bad: e.target.checked ? '1' : '' }) }),
      el('span', {}, 'only what went wrong'),
    ),
    ranged &&
      button(since(Number(params.from)) + ' – ' + since(Number(params.to)) + ' s ✕', () =>
        go('frames', { ...params, from: undefined, to: undefined }),
      ),
    how,
  );
}

const listedConnections = 2000;

function connOptions(none) {
  return [['', none], ...run.connections.slice(0, listedConnections).map(c => [c.conn_id, connLabel(c.conn_id) + '  ' + c.conn])];
}

function frameCells(i) {
  const r = record(i);
  return [
    count(r.packet),
    since(events.time[i]),
    connLabel(r.conn_id),
    arrows[r.dir] || '',
    typeName(i),
    count(r.size),
    words(r),
    answer(i),
  ];
}

// filterFrames gives the rows that meet all of what is asked for.
function filterFrames(p) {
  const type = p.type ? events.types.indexOf(p.type) : -1,
    conn = p.conn === undefined || p.conn === '' ? -1 : Number(p.conn);
  const sought = (p.text || '').toLowerCase().split(/\s+/).filter(Boolean);
  const from = p.from === undefined ? -Infinity : Number(p.from),
    to = p.to === undefined ? Infinity : Number(p.to);
  const up = p.dir === 'c2s' ? 1 : p.dir === 's2c' ? 0 : -1;
  const hits = [];
  for (const i of events.rows) {
    if (
      (p.type && events.type[i] !== type) ||
      (conn >= 0 && events.conn[i] !== conn) ||
      (up >= 0 && events.up[i] !== up) ||
      (p.bad === '1' && !events.bad[i])
    )
      continue;
    if (events.time[i] < from || events.time[i] >= to) continue;
    if (sought.length && !holds(i, sought)) continue;
    hits.push(i);
  }
  return hits;
}

// holds says whether a frame, or one of its messages, has all words.
function holds(i, sought) {
  let text = lineOf(i).toLowerCase();
  for (let k = events.first[i], n = 0; k >= 0 && k < events.n && n < events.count[i]; k++) {
    if (events.frame[k] !== i) continue;
    if (kinds[events.kind[k]] === 'message') {
      n++;
      text += lineOf(k).toLowerCase();
    }
  }
  return sought.every(w => text.includes(w));
}
