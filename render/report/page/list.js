// A list of any number of rows: only those in sight are elements.

const rowHeight = 24; // pixels, as in the style sheet
const tallest = 8e6; // pixels; browsers do not draw taller elements

class List {
  // options: columns [{name, class, number}], draw(i) gives the cells of row i,
  // open(i) is called when the user chooses it, mark(i) gives it a class.
  constructor(options) {
    this.options = options;
    this.count = 0;
    this.at = -1;
    this.head = el(
      'div',
      { class: 'list-head', role: 'row' },
      options.columns.map(c => el('span', { class: this.cellClass(c), role: 'columnheader' }, c.name)),
    );
    this.space = el('div', { class: 'list-space', role: 'rowgroup' });
    this.scroller = el(
      'div',
      {
        class: 'list',
        role: 'grid',
        tabindex: '0',
        'aria-label': options.label,
        'data-list': options.name,
        scroll: () => this.later(),
        keydown: e => this.key(e),
        click: e => this.click(e),
      },
      this.head,
      this.space,
    );
    this.node = this.scroller;
    new ResizeObserver(() => this.later()).observe(this.scroller);
  }

  cellClass(c) {
    return 'cell ' + (c.class || '') + (c.number ? ' number' : '');
  }

  // show sets how many rows there are, and which is chosen.
  show(count, at = -1) {
    this.count = count;
    this.at = at;
    const height = Math.min(count * rowHeight, tallest);
    this.space.style.height = height + 'px';
    this.scale = count * rowHeight > tallest ? (count * rowHeight) / tallest : 1;
    this.scroller.setAttribute('aria-rowcount', count);
    if (at >= 0) this.reveal(at);
    else this.scroller.scrollTop = 0;
    this.later();
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
      inSight = Math.ceil(this.scroller.clientHeight / rowHeight) + 1;
    const from = Math.max(Math.floor((top * this.scale) / rowHeight) - 4, 0),
      to = Math.min(from + inSight + 8, this.count);
    const y = this.scale === 1 ? from * rowHeight : top - ((top * this.scale) / rowHeight - from) * rowHeight;
    const rows = [];
    for (let i = from; i < to; i++) rows.push(this.row(i, y + (i - from) * rowHeight));
    this.space.replaceChildren(...rows);
    if (this.at >= 0) this.scroller.setAttribute('aria-activedescendant', this.options.name + '-' + this.at);
  }

  row(i, y) {
    const cells = this.options.draw(i);
    const row = el(
      'div',
      {
        class: 'row ' + (this.options.mark?.(i) || '') + (i === this.at ? ' chosen' : ''),
        role: 'row',
        'data-i': i,
        id: this.options.name + '-' + i,
        'aria-rowindex': i + 1,
        'aria-selected': i === this.at ? 'true' : 'false',
      },
      cells.map((c, k) => el('span', { class: this.cellClass(this.options.columns[k]), role: 'gridcell' }, c)),
    );
    row.style.transform = 'translateY(' + y + 'px)';
    return row;
  }

  reveal(i) {
    const y = (i * rowHeight) / this.scale,
      room = this.scroller.clientHeight - 2 * rowHeight;
    const top = this.scroller.scrollTop;
    if (y < top || y > top + room) this.scroller.scrollTop = Math.max(y - room / 2, 0);
  }

  choose(i) {
    this.at = Math.max(0, Math.min(i, this.count - 1));
    this.reveal(this.at);
    this.later();
    this.options.open(this.at);
  }

  click(e) {
    const row = e.target.closest('.row');
    if (row) this.choose(Number(row.dataset.i));
  }

  key(e) {
    const page = Math.max(Math.floor(this.scroller.clientHeight / rowHeight) - 2, 1);
    const to = {
      ArrowDown: this.at + 1,
      ArrowUp: this.at - 1,
      j: this.at + 1,
      k: this.at - 1,
      PageDown: this.at + page,
      PageUp: this.at - page,
      Home: 0,
      End: this.count - 1,
      Enter: this.at,
    }[e.key];
    if (to === undefined || this.count === 0 || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.choose(to);
  }
}
