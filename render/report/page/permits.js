// Permits of each consumer over time.

const permitsShown = 60; // charts at once

function drawPermits(view, params) {
  const all = run.charts.permits,
    text = (params.text || '').toLowerCase();
  const box = el('div', { class: 'panels' });
  const dry = params.dry === '1';
  const shown = all.filter(
    p => (!text || JSON.stringify(p).toLowerCase().includes(text)) && (!dry || p.points.some(q => q[1] <= 0)),
  );
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
          value: params.text || '',
          placeholder: 'topic, subscription, consumer',
          change: e => go('permits', { ...params, text: e.target.value }),
        }),
      ),
      el(
        'label',
        { class: 'field check' },
        el('input', {
          type: 'checkbox',
          checked: dry,
          change: e => go('permits', { ...params, dry: e.target.checked ? '1' : undefined }),
        }),
        el('span', {}, 'only those that ran out'),
      ),
      el('span', { class: 'muted' }, plural(shown.length, 'consumer')),
    ),
    legend(['s2c', 'permits outstanding'], ['none', 'none left']),
    box,
  );
  let from = 0;
  const more = button('', () => grow());
  const grow = () => {
    for (const p of shown.slice(from, from + permitsShown)) box.append(permitsPanel(p));
    from += permitsShown;
    more.hidden = from >= shown.length;
    more.textContent = 'Show more of ' + count(shown.length);
  };
  view.append(more);
  grow();
  if (all.length === 0) box.append(el('p', { class: 'muted' }, 'No consumer was seen to get permits.'));
}

function verdictOf(p) {
  const of = run.consumers.filter(c => c.conn_id === p.conn_id && c.consumer_id === p.consumer_id);
  return of.find(c => c.topic === p.topic && c.subscription === p.subscription) || of[0];
}

function permitsPanel(p) {
  const v = verdictOf(p),
    state = v && (v.state === 'closed' ? v.state_before || v.state : v.state);
  const closed =
    v?.state === 'closed' ? timeOf(v.time) : run.byConn.has(p.conn_id) ? timeOf(run.byConn.get(p.conn_id).end) : run.end;
  return el(
    'article',
    { class: 'card' },
    el(
      'header',
      {},
      el('h3', {}, p.consumer_name || 'consumer ' + p.consumer_id),
      state && el('span', { class: 'badge ' + state }, state.replaceAll('_', ' ')),
      v?.state === 'closed' &&
        el('span', { class: 'muted' }, 'closed at ' + since(closed) + ' s' + (v.closed_by ? ' by the ' + v.closed_by : '')),
    ),
    el(
      'p',
      { class: 'subject' },
      [topicName(p.topic), p.subscription && 'subscription ' + p.subscription, v?.type].filter(Boolean).join(', '),
      ' ',
      connLink(p.conn_id),
    ),
    v &&
      el(
        'p',
        { class: 'muted' },
        [
          count(v.delivered) + ' delivered',
          count(v.acked) + ' acked',
          v.unacked ? count(v.unacked) + ' not acked' : '',
          v.redelivered ? count(v.redelivered) + ' again' : '',
        ]
          .filter(Boolean)
          .join(', '),
      ),
    permitsChart(p, closed),
  );
}

// permitsChart draws the permits of a consumer until it closed, ns since the start.
function permitsChart(p, closed) {
  const bin = run.charts.bin_ns,
    max = Math.max(...p.points.map(q => q[2]), 1),
    min = Math.min(...p.points.map(q => q[1]), 0),
    by = new Map(p.points.map(q => [q[0], q]));
  return chart(130, 'Permits over time', (svg, w, h) => {
    const s = plot(svg, w, h, { max, min, format: short });
    const x = i => s.x(Math.min(i * bin, run.end));
    let path = '';
    p.points.forEach(([i, low, high, last], k) => {
      const next = k + 1 < p.points.length ? p.points[k + 1][0] : Math.max(closed / bin, i + 0.5);
      path += (path ? 'L' : 'M') + [high, low, last].map(v => x(i) + ' ' + s.y(v)).join('L') + 'L' + x(next) + ' ' + s.y(last);
      if (last <= 0)
        svg.append(shape('rect', { class: 'none', x: x(i), width: Math.max(x(next) - x(i), 1), y: s.top, height: s.height }));
    });
    svg.append(shape('path', { class: 'line s2c', d: path }));
    pointer(
      s,
      i => {
        while (i >= 0 && !by.has(i)) i--;
        return (
          i >= 0 &&
          (by.get(i)[1] === by.get(i)[2] ? count(by.get(i)[3]) : count(by.get(i)[1]) + ' to ' + count(by.get(i)[2])) + ' permits'
        );
      },
      (from, to) => go('frames', { conn: p.conn_id, from: Math.floor(from), to: Math.ceil(to) }),
    );
  });
}
