// Messages and bytes over time, by topic.

function drawThroughput(view, params) {
  const unit = params.unit || 'messages',
    topics = run.charts.topics,
    perSecond = 1e9 / run.charts.bin_ns;
  const chosen = params.topic !== undefined ? topics.filter(t => t.topic === params.topic && !t.others) : topics;
  const of = (list, side) => {
    const all = [];
    for (const t of list)
      t[side][unit].forEach((v, i) => {
        all[i] = (all[i] || 0) + v;
      });
    return Array.from(all, v => v || 0);
  };
  const sent = of(chosen, 'produced'),
    got = of(chosen, 'delivered'),
    format = unit === 'bytes' ? v => size(v) + '/s' : v => short(v) + '/s';
  view.append(
    el(
      'div',
      { class: 'controls' },
      choice(
        'Count',
        [
          ['messages', 'messages'],
          ['bytes', 'bytes of payload'],
        ],
        unit,
        v => go('throughput', { ...params, unit: v }),
      ),
      params.topic !== undefined && button('All topics', () => go('throughput', { ...params, topic: undefined })),
    ),
    section(
      params.topic !== undefined ? 'Topic ' + topicName(params.topic) : plural(topics.length, 'topic') + ' together',
      rateChart(sent, got, perSecond, format),
      legend(['c2s', 'sent'], ['s2c', 'delivered']),
    ),
    section('By topic', throughputTable(topics, unit, params)),
  );
}

function rateChart(sent, got, perSecond, format) {
  const max = Math.max(...sent, 1) * perSecond,
    min = Math.max(...got, 1) * perSecond;
  return chart(220, 'Rate over time', (svg, w, h) => {
    const p = plot(svg, w, h, { max, min: -min, format: v => format(Math.abs(v)) });
    bars(
      p,
      sent.map(v => v * perSecond),
      'c2s',
    );
    bars(
      p,
      got.map(v => -v * perSecond),
      's2c',
    );
    pointer(
      p,
      i =>
        (sent[i] || got[i]) && 'sent ' + format((sent[i] || 0) * perSecond) + ', delivered ' + format((got[i] || 0) * perSecond),
      (from, to) => go('frames', { from: Math.floor(from), to: Math.ceil(to) }),
    );
  });
}

function throughputTable(topics, unit, params) {
  const all = list => list.reduce((a, b) => a + b, 0);
  const rows = topics
    .map(t => ({ t, sent: all(t.produced[unit]), got: all(t.delivered[unit]) }))
    .sort((a, b) => b.sent + b.got - a.sent - a.got);
  const text = unit === 'bytes' ? size : count;
  if (rows.length === 0) return el('p', { class: 'muted' }, 'No message was sent or delivered.');
  return table(
    [
      { name: 'Topic', class: 'wide' },
      { name: 'Sent', number: true },
      { name: '' },
      { name: 'Delivered', number: true },
      { name: '' },
    ],
    rows.map(({ t, sent, got }) => {
      const choose = () => !t.others && go('throughput', { ...params, topic: t.topic });
      return {
        attributes: {
          class: 'clickable' + (t.topic === params.topic ? ' chosen' : ''),
          tabindex: '0',
          click: choose,
          keydown: onEnter(choose),
        },
        cells: [
          t.others ? 'all others' : topicName(t.topic),
          text(sent),
          spark(t.produced[unit], 'c2s'),
          text(got),
          spark(t.delivered[unit], 's2c'),
        ],
      };
    }),
    { 'data-table': 'throughput' },
  );
}
