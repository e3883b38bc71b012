// Charts, drawn as shapes at the width they have room for.

const chartMargin = { left: 62, right: 14, top: 10, bottom: 26 };

// chart makes a place for a drawing that is drawn anew when its width changes.
// draw(svg, width) fills it.
function chart(height, label, draw, attributes) {
  const node = el('div', { class: 'chart', ...attributes });
  let drawn = 0;
  const redraw = width => {
    const svg = shape('svg', {
      width,
      height,
      viewBox: '0 0 ' + width + ' ' + height,
      role: 'img',
      'aria-label': visible(label),
    });
    draw(svg, width, height);
    node.replaceChildren(svg);
  };
  node.style.height = height + 'px';
  new ResizeObserver(() => {
    const width = Math.floor(node.clientWidth);
    if (width > 40 && Math.abs(width - drawn) > 1) {
      drawn = width;
      redraw(width);
    }
  }).observe(node);
  node.drawAt = redraw;
  return node;
}

// nice is the least of 1, 2, 5, 10, … that is not below a number.
function nice(v) {
  const power = 10 ** Math.floor(Math.log10(v));
  return [1, 2, 5, 10].map(m => m * power).find(n => n >= v * 0.999) || 10 * power;
}

function steps(max, about) {
  if (!(max > 0)) return [0];
  const step = nice(max / about),
    list = [];
  for (let v = 0; v <= max * 1.0001; v += step) list.push(v);
  return list;
}

// plot gives the scales of a drawing and draws its axes. y: {max, min, log, format}.
function plot(svg, width, height, y, x = { from: 0, to: run.end }) {
  const m = chartMargin,
    w = width - m.left - m.right,
    h = height - m.top - m.bottom;
  const p = { svg, left: m.left, top: m.top, width: w, height: h, bottom: m.top + h };
  p.x = t => m.left + ((t - x.from) / (x.to - x.from || 1)) * w;
  p.time = px => x.from + ((px - m.left) / w) * (x.to - x.from);
  const span = y.log ? Math.log10(y.max / y.min) || 1 : y.max - (y.min || 0) || 1;
  p.y = v => m.top + h - ((y.log ? Math.log10(Math.max(v, y.min) / y.min) : v - (y.min || 0)) / span) * h;
  drawY(p, y);
  drawX(p, x, w);
  return p;
}

function drawY(p, y) {
  let ticks = steps(y.max, 4);
  if (y.log) {
    ticks = [];
    for (let v = 10 ** Math.ceil(Math.log10(y.min)); v <= y.max * 1.0001; v *= 10) ticks.push(v);
    if (ticks.length < 2) ticks = [y.min, y.max];
  } else if (y.min < 0) {
    const step = nice((y.max - y.min) / 5);
    ticks = [];
    for (let n = Math.ceil(y.min / step); n <= y.max / step; n++) ticks.push(n * step);
  }
  for (const v of ticks) {
    const at = p.y(v);
    p.svg.append(
      shape('line', { class: v === 0 ? 'axis' : 'gridline', x1: p.left, x2: p.left + p.width, y1: at, y2: at }),
      shape('text', { class: 'tick', x: p.left - 6, y: at + 4, 'text-anchor': 'end' }, y.format(v)),
    );
  }
}

function drawX(p, x, w) {
  const span = x.to - x.from,
    step = nice(span / Math.max(w / 110, 1));
  for (let v = Math.ceil(x.from / step) * step; v <= x.to; v += step) {
    const at = p.x(v);
    p.svg.append(
      shape('line', { class: 'axis', x1: at, x2: at, y1: p.bottom, y2: p.bottom + 4 }),
      shape(
        'text',
        {
          class: 'tick',
          x: at,
          y: p.bottom + 17,
          'text-anchor': at > p.left + w - 24 ? 'end' : at < p.left + 12 ? 'start' : 'middle',
        },
        (x.format || round)(v),
      ),
    );
  }
  p.svg.append(shape('line', { class: 'axis', x1: p.left, x2: p.left + w, y1: p.bottom, y2: p.bottom }));
}

// line draws a line over the bins of time, from [bin, value] pairs; it breaks where
// a bin lies between without a value if gaps is set.
function line(p, points, cls, gaps) {
  const bin = run.charts.bin_ns;
  let path = '',
    last = -2;
  for (const [i, v] of points) {
    path +=
      (path && !(gaps && i !== last + 1) ? 'L' : 'M') +
      p.x(Math.min((i + 0.5) * bin, run.end)).toFixed(1) +
      ' ' +
      p.y(v).toFixed(1);
    last = i;
  }
  p.svg.append(shape('path', { class: 'line ' + cls, d: path }));
  if (points.length < 40)
    for (const [i, v] of points)
      p.svg.append(shape('circle', { class: 'dot ' + cls, r: 2, cx: p.x(Math.min((i + 0.5) * bin, run.end)), cy: p.y(v) }));
}

// bars draws a bar for each bin that has something.
function bars(p, list, cls, base = 0) {
  const bin = run.charts.bin_ns;
  list.forEach((v, i) => {
    if (!v) return;
    const x = p.x(i * bin),
      to = p.x(Math.min((i + 1) * bin, run.end)),
      a = p.y(v),
      b = p.y(base);
    p.svg.append(
      shape('rect', {
        class: 'bar ' + cls,
        x,
        width: Math.max(to - x - 0.6, 0.8),
        y: Math.min(a, b),
        height: Math.max(Math.abs(b - a), 0.8),
      }),
    );
  });
}

// pointer shows what a bin has while the pointer is over it, and calls choose with
// the times of a bin that is clicked.
function pointer(p, describe, choose) {
  const bin = run.charts.bin_ns;
  const hair = shape('line', { class: 'hair', y1: p.top, y2: p.bottom, visibility: 'hidden' });
  const label = shape('text', { class: 'hover', y: p.top + 11, visibility: 'hidden' });
  const area = shape('rect', {
    class: 'area' + (choose ? ' clickable' : ''),
    x: p.left,
    y: p.top,
    width: p.width,
    height: p.height,
  });
  const binAt = e => Math.floor(p.time(e.clientX - p.svg.getBoundingClientRect().left) / bin);
  const hide = () => [hair, label].forEach(n => n.setAttribute('visibility', 'hidden'));
  area.addEventListener('pointerleave', hide);
  area.addEventListener('pointermove', e => {
    const i = Math.max(binAt(e), 0),
      x = p.x(Math.min((i + 0.5) * bin, run.end)),
      text = describe(i);
    if (!text) return hide();
    const right = x > p.left + p.width / 2;
    label.setAttribute('x', right ? x - 6 : x + 6);
    label.setAttribute('text-anchor', right ? 'end' : 'start');
    label.textContent = visible(since(i * bin) + ' s: ' + text);
    hair.setAttribute('x1', x);
    hair.setAttribute('x2', x);
    [hair, label].forEach(n => n.setAttribute('visibility', 'visible'));
  });
  if (choose)
    area.addEventListener('click', e => {
      const i = Math.max(binAt(e), 0);
      choose(i * bin, (i + 1) * bin);
    });
  p.svg.append(hair, label, area);
}

// spark is a small chart without axes.
function spark(list, cls, width = 140, height = 22) {
  const max = Math.max(...list, 1),
    bins = Math.max(Math.ceil(run.end / run.charts.bin_ns), 1),
    w = width / bins;
  return shape(
    'svg',
    { class: 'spark', width, height, viewBox: '0 0 ' + width + ' ' + height, 'aria-hidden': 'true' },
    list.map(
      (v, i) =>
        v > 0 &&
        shape('rect', {
          class: 'bar ' + cls,
          x: i * w,
          width: Math.max(w - 0.3, 0.7),
          y: height - (v / max) * height,
          height: Math.max((v / max) * height, 1),
        }),
    ),
  );
}

function legend(...items) {
  return el(
    'ul',
    { class: 'legend' },
    items.map(([cls, text]) => el('li', {}, el('i', { class: 'swatch ' + cls }), text)),
  );
}
