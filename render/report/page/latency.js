// Latencies over time, and how they are spread.

function latencySeries(row) {
  return run.charts.latency.find(l =>
    row.request ? l.request === row.request && l.exchange === row.kind : l.exchange === row.kind && !l.request,
  );
}

function drawLatency(view, params) {
  const rows = exchangeRows().filter(latencySeries);
  if (rows.length === 0) {
    view.append(el('p', { class: 'muted' }, 'No exchange has both sides in this capture.'));
    return;
  }
  const busiest = rows.reduce((a, b) => ((b.latency_ns?.count || 0) > (a.latency_ns?.count || 0) ? b : a));
  const row = rows.find(r => r.name === params.of) || busiest,
    l = row.latency_ns,
    series = latencySeries(row);
  view.append(
    el(
      'div',
      { class: 'controls' },
      choice(
        'Exchange',
        rows.map(r => [r.name, r.title + ' (' + count(r.latency_ns?.count) + ')']),
        row.name,
        v => go('latency', { of: v }),
      ),
    ),
    section(
      'Over time',
      latencyChart(series),
      legend(['heat', 'how many'], ['p50', 'median'], ['p99', '99th percentile'], ['max', 'slowest']),
    ),
    el(
      'div',
      { class: 'columns' },
      section('Spread', spreadChart(series)),
      section('All exchanges', latencyTable(rows, row.name)),
    ),
  );
}

function latencyTable(rows, chosen) {
  const keys = ['count', 'min', 'p50', 'p90', 'p99', 'max'];
  return table(
    [{ name: 'Exchange' }, ...keys.map(name => ({ name, number: true }))],
    rows.map(r => ({
      attributes: {
        class: 'clickable' + (r.name === chosen ? ' chosen' : ''),
        tabindex: '0',
        click: () => go('latency', { of: r.name }),
        keydown: onEnter(() => go('latency', { of: r.name })),
      },
      cells: [r.title, ...keys.map(k => (k === 'count' ? count(r.latency_ns?.[k]) : duration(r.latency_ns?.[k])))],
    })),
    { 'data-table': 'latencies' },
  );
}

// bins gives the cells of a series by bin of time: [[bucket, count], …].
function bins(series) {
  const by = new Map();
  for (const [bin, bucket, n] of series.cells) {
    if (!by.has(bin)) by.set(bin, []);
    by.get(bin).push([bucket, n]);
  }
  return by;
}

function bucketMiddle(b) {
  return Math.sqrt(run.charts.buckets_ns[b] * run.charts.buckets_ns[b + 1]);
}

// quantile of [[bucket, count], …], which are in order.
function quantile(cells, q) {
  let left = q * cells.reduce((a, c) => a + c[1], 0);
  for (const [b, n] of cells) if ((left -= n) <= 0) return bucketMiddle(b);
  return bucketMiddle(cells[cells.length - 1][0]);
}

function latencyRange(series) {
  const all = series.cells.map(c => c[1]),
    lo = all.reduce((a, b) => Math.min(a, b)),
    hi = all.reduce((a, b) => Math.max(a, b));
  return { lo, hi, min: run.charts.buckets_ns[lo], max: run.charts.buckets_ns[hi + 1] };
}

function latencyChart(series) {
  const by = bins(series),
    range = latencyRange(series),
    most = series.cells.reduce((a, c) => Math.max(a, c[2]), 1),
    bin = run.charts.bin_ns;
  const at = q => [...by].map(([i, cells]) => [i, quantile(cells, q)]);
  return chart(300, 'Latencies over time', (svg, w, h) => {
    const p = plot(svg, w, h, { min: range.min, max: range.max, log: true, format: round });
    for (const [i, b, n] of series.cells) {
      const x = p.x(i * bin),
        top = p.y(run.charts.buckets_ns[b + 1]);
      svg.append(
        shape('rect', {
          class: 'heat',
          x,
          width: Math.max(p.x(Math.min((i + 1) * bin, run.end)) - x, 1.5),
          y: top,
          height: p.y(run.charts.buckets_ns[b]) - top,
          'fill-opacity': (0.18 + (0.72 * Math.log(n + 1)) / Math.log(most + 1)).toFixed(2),
        }),
      );
    }
    for (const [q, cls] of [
      [1, 'max'],
      [0.99, 'p99'],
      [0.5, 'p50'],
    ])
      line(p, at(q), cls, true);
    pointer(
      p,
      i =>
        by.has(i) &&
        plural(
          by.get(i).reduce((a, c) => a + c[1], 0),
          'exchange',
        ) +
          ', median ≈ ' +
          duration(quantile(by.get(i), 0.5)) +
          ', p99 ≈ ' +
          duration(quantile(by.get(i), 0.99)),
      (from, to) => go('frames', { from: Math.floor(from), to: Math.ceil(to) }),
    );
  });
}

function spreadChart(series) {
  const counts = new Map(),
    range = latencyRange(series);
  for (const [, b, n] of series.cells) counts.set(b, (counts.get(b) || 0) + n);
  const all = [...counts.values()].reduce((a, b) => a + b, 0),
    max = Math.max(...counts.values());
  return chart(240, 'How often each latency occurs', (svg, w, h) => {
    const ratio = Math.log10(range.max / range.min),
      p = plot(svg, w, h, { max, format: short }, { from: 0, to: ratio, format: () => '' });
    for (let v = 10 ** Math.ceil(Math.log10(range.min)); v <= range.max * 1.0001; v *= 10) {
      svg.append(
        shape('text', { class: 'tick', x: p.x(Math.log10(v / range.min)), y: p.bottom + 17, 'text-anchor': 'middle' }, round(v)),
      );
    }
    for (let b = range.lo; b <= range.hi; b++) {
      const n = counts.get(b) || 0,
        x = p.x(Math.log10(run.charts.buckets_ns[b] / range.min)),
        to = p.x(Math.log10(run.charts.buckets_ns[b + 1] / range.min));
      if (n)
        svg.append(
          tip(
            shape('rect', { class: 'bar c2s', x, width: Math.max(to - x - 1, 1), y: p.y(n), height: p.bottom - p.y(n) }),
            round(run.charts.buckets_ns[b]) +
              ' to ' +
              round(run.charts.buckets_ns[b + 1]) +
              ': ' +
              count(n) +
              ' (' +
              ((100 * n) / all).toFixed(1) +
              ' %)',
          ),
        );
    }
  });
}
