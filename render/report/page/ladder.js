// The drawing of a sequence: lanes, and an arrow for each frame. Only what is in sight is
// drawn.

const ladderGap = 30,
  pauseHeight = 26,
  tallestGap = 240,
  gutter = 118; // pixels
const letter = 6.75; // pixels, the width of one
const pauseFrom = 100e6; // ns

class Ladder {
  constructor(frames, lanes, status) {
    Object.assign(this, { frames, lanes, status, zoom: 0, at: -1, hits: [], found: new Set() });
    this.head = el('div', { class: 'lanes' });
    this.canvas = el('div', { class: 'ladder-canvas' });
    this.space = el('div', { class: 'ladder-space' }, this.canvas);
    this.scroller = el(
      'div',
      {
        class: 'ladder',
        tabindex: '0',
        role: 'group',
        'aria-label': 'Sequence diagram',
        scroll: () => this.later(),
        keydown: e => this.key(e),
        click: e => this.click(e),
      },
      this.space,
    );
    this.node = el('div', { class: 'ladder-box' }, this.head, this.scroller);
    new ResizeObserver(() => this.later()).observe(this.scroller);
  }

  begin(at) {
    this.at = at;
    this.layOut();
    if (at >= 0) {
      this.reveal(at);
      showFrame(this.frames[at]);
    }
    this.later();
  }

  // layOut gives each frame its height. Even: one row each; zoomed: by time, between
  // bounds. Long silence is told either way.
  layOut() {
    const n = this.frames.length,
      least = Math.min(ladderGap, tallest / Math.max(n, 1));
    this.y = new Float64Array(n + 1);
    this.pause = new Float64Array(n);
    const steps = Array.from({ length: Math.min(n - 1, 2000) }, (_, k) => this.step(k + 1))
      .filter(v => v > 0)
      .sort((a, b) => a - b);
    const scale = this.zoom ? (least / (steps[Math.floor(steps.length / 2)] || 1e6)) * 2 ** (this.zoom - 1) : 0;
    let y = 30;
    for (let k = 0; k < n; k++) {
      const dt = k ? this.step(k) : 0,
        wished = Math.max(dt * scale, least);
      if (k) y += Math.min(wished, tallestGap);
      if ((dt >= pauseFrom && wished >= tallestGap) || (dt >= pauseFrom && !this.zoom)) {
        this.pause[k] = dt;
        y += pauseHeight;
      }
      this.y[k] = y;
    }
    this.space.style.height = y + 60 + 'px';
  }

  step(k) {
    return events.time[this.frames[k]] - events.time[this.frames[k - 1]];
  }

  zoomBy(n) {
    const k = this.at >= 0 ? this.at : this.firstInSight(),
      offset = this.y[k] - this.scroller.scrollTop;
    this.zoom = Math.max(0, Math.min(this.zoom + n, 12));
    this.layOut();
    this.scroller.scrollTop = this.y[k] - offset;
    this.later();
    const label = document.querySelector('[data-zoom]');
    if (label) label.textContent = this.zoom ? '×' + 2 ** (this.zoom - 1) : 'even';
  }

  // firstInSight is the first frame at or below the top of what is in sight.
  firstInSight(top = this.scroller.scrollTop) {
    let lo = 0,
      hi = this.frames.length;
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (this.y[middle] < top) lo = middle + 1;
      else hi = middle;
    }
    return Math.min(lo, Math.max(this.frames.length - 1, 0));
  }

  laneX(k) {
    const room = this.width - gutter,
      n = this.lanes.length,
      edge = Math.min(room / (2 * Math.max(n, 1)), this.width < 700 ? 40 : 150);
    return n < 2 ? gutter + room / 2 : gutter + edge + (k * (room - 2 * edge)) / (n - 1);
  }

  laneOf(conn, end) {
    return this.lanes.findIndex(l => l.of.has(conn + end));
  }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const top = this.scroller.scrollTop,
      height = this.scroller.clientHeight;
    this.width = this.scroller.clientWidth;
    this.drawHead();
    const svg = shape('svg', { width: this.width, height });
    this.lanes.forEach((_, k) =>
      svg.append(shape('line', { class: 'lane', x1: this.laneX(k), x2: this.laneX(k), y1: 0, y2: height })),
    );
    this.drawPair(svg, top);
    for (let k = this.firstInSight(top - 40); k < this.frames.length && this.y[k] < top + height + 40; k++)
      svg.append(this.arrow(k, this.y[k] - top));
    this.canvas.style.top = top + 'px';
    this.canvas.replaceChildren(svg);
  }

  drawHead() {
    const svg = shape('svg', { width: this.width, height: 40 });
    const between = this.lanes.length > 1 ? this.laneX(1) - this.laneX(0) : this.width - gutter;
    const room = k => Math.max(Math.floor(Math.min(between, 2 * (this.width - this.laneX(k))) / 7.4), 8);
    svg.append(shape('text', { class: 'tick', x: 8, y: 28 }, 'seconds'));
    this.lanes.forEach((l, k) =>
      svg.append(
        tip(
          shape('text', { class: 'lane-title', x: this.laneX(k), y: 16, 'text-anchor': 'middle' }, cut(l.title, room(k))),
          visible(l.title),
        ),
        shape('text', { class: 'tick', x: this.laneX(k), y: 32, 'text-anchor': 'middle' }, cut(l.about, room(k))),
      ),
    );
    this.head.replaceChildren(svg);
  }

  arrow(k, y) {
    const i = this.frames[k],
      conn = events.conn[i],
      client = this.laneX(this.laneOf(conn, 'client')),
      server = this.laneX(this.laneOf(conn, 'server'));
    const [from, to] = events.up[i] ? [client, server] : [server, client],
      sign = to > from ? 1 : -1,
      r = record(i);
    const g = shape(
      'g',
      {
        class:
          'arrow ' +
          dirOf(i) +
          (events.bad[i] ? ' bad' : '') +
          (k === this.at ? ' chosen' : '') +
          (this.found.has(k) ? ' hit' : ''),
        'data-k': k,
      },
      shape('rect', { class: 'band', x: 0, y: y - 20, width: this.width, height: 27 }),
      shape('text', { class: 'stamp', x: 8, y: y + 4 }, since(events.time[i])),
    );
    if (this.pause[k])
      g.append(shape('text', { class: 'pause', x: 8, y: y - 26 }, '⋮ ' + duration(this.pause[k]) + ' of silence'));
    const wire = r.kind === 'frame' || r.kind === 'bookie';
    g.append(shape('line', { class: wire ? 'shaft' : 'shaft lost', x1: from, x2: to - sign * 6, y1: y, y2: y }));
    if (wire) g.append(shape('path', { class: 'tip', d: 'M' + to + ' ' + y + 'l' + -sign * 9 + ' -4v8z' }));
    const name = typeName(i),
      note = answer(i),
      letters = Math.floor((Math.abs(to - from) - 24) / letter),
      fits = name.length + note.length + 3 < letters;
    g.append(
      shape(
        'text',
        { class: 'label', x: Math.min(from, to) + 12, y: y - 5 },
        shape('tspan', { class: 'type' }, cut(name, letters)),
        cut('  ' + words(r), Math.max(letters - name.length - (fits ? note.length + 2 : 0), 0)),
      ),
    );
    if (note && fits)
      g.append(shape('text', { class: 'note-text', x: Math.max(from, to) - 12, y: y - 5, 'text-anchor': 'end' }, note));
    return g;
  }

  // drawPair ties the chosen frame to the other one of its exchange.
  drawPair(svg, top) {
    if (this.at < 0) return;
    const i = this.frames[this.at],
      other = this.frames.indexOf(events.partner[i]);
    if (other < 0) return;
    const first = Math.min(this.at, other),
      conn = events.conn[i],
      asker = events.up[this.frames[first]] ? 'client' : 'server';
    const x = this.laneX(this.laneOf(conn, asker)),
      a = this.y[first] - top,
      b = this.y[Math.max(this.at, other)] - top;
    svg.append(
      shape('rect', {
        class: 'pair',
        x: x - 4,
        width: 8,
        y: Math.max(a, -20),
        height: Math.max(Math.min(b, this.scroller.clientHeight + 20) - Math.max(a, -20), 0),
        rx: 4,
      }),
    );
  }

  reveal(k) {
    const top = this.scroller.scrollTop,
      height = this.scroller.clientHeight;
    if (this.y[k] < top + 40 || this.y[k] > top + height - 40) this.scroller.scrollTop = this.y[k] - height / 2;
  }

  choose(k, open = true) {
    if (this.frames.length === 0) return;
    this.at = Math.max(0, Math.min(k, this.frames.length - 1));
    this.reveal(this.at);
    this.later();
    if (open) showFrame(this.frames[this.at]);
  }

  click(e) {
    const g = e.target.closest('.arrow');
    if (g) this.choose(Number(g.dataset.k));
  }

  search(text) {
    const sought = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.hits = sought.length ? [...this.frames.keys()].filter(k => holds(this.frames[k], sought)) : [];
    this.found = new Set(this.hits);
    this.status.textContent = sought.length ? plural(this.hits.length, 'hit') : '';
    if (this.hits.length) this.reveal(this.hits[0]);
    this.later();
  }

  // next chooses the next hit of the search, or the one before.
  next(by) {
    if (this.hits.length === 0) return;
    const after = this.hits.findIndex(k => k > this.at),
      n = this.hits.length;
    const hit =
      by > 0
        ? after < 0
          ? 0
          : after
        : ((this.hits.indexOf(this.at) >= 0 ? this.hits.indexOf(this.at) : after < 0 ? n : after) - 1 + n) % n;
    this.status.textContent = count(hit + 1) + ' of ' + plural(n, 'hit');
    this.choose(this.hits[hit]);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(Math.floor(this.scroller.clientHeight / ladderGap) - 2, 1),
      move = k => this.choose(k, !document.getElementById('details').hidden);
    const act = {
      ArrowDown: () => move(this.at + 1),
      ArrowUp: () => move(this.at - 1),
      j: () => move(this.at + 1),
      k: () => move(this.at - 1),
      PageDown: () => move(this.at + page),
      PageUp: () => move(this.at - page),
      Home: () => move(0),
      End: () => move(this.frames.length - 1),
      Enter: () => this.choose(this.at),
      '+': () => this.zoomBy(1),
      '=': () => this.zoomBy(1),
      '-': () => this.zoomBy(-1),
      n: () => this.next(1),
      p: () => this.next(-1),
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }
}
