// Views, the address of each, and keys.

// needs: the events have to be read first.
const views = [
  { id: 'overview', title: 'Overview', draw: drawOverview, prints: true },
  { id: 'findings', title: 'Findings', draw: drawFindings, prints: true, needs: true, count: () => run.findings.length },
  { id: 'sequence', title: 'Sequence', draw: drawSequence, needs: true },
  { id: 'latency', title: 'Latency', draw: drawLatency, prints: true },
  { id: 'permits', title: 'Permits', draw: drawPermits, prints: true, count: () => run.charts.permits.length },
  { id: 'throughput', title: 'Throughput', draw: drawThroughput, prints: true },
  { id: 'connections', title: 'Connections', draw: drawConnections, count: () => run.connections.length },
  { id: 'frames', title: 'Frames', draw: drawFrames, needs: true, count: () => events.rows?.length },
];

// go shows a view: its name and what it is to show are the page's address.
function go(id, params = {}) {
  const hash = addressOf(id, params);
  if (location.hash === hash) route();
  else location.hash = hash;
}

// remember changes the address without drawing anew.
function remember(id, params) {
  history.replaceState(null, '', addressOf(id, params));
}

function addressOf(id, params) {
  const given = Object.entries(params).filter(([, v]) => v !== undefined && v !== '');
  return '#' + id + (given.length ? '?' + new URLSearchParams(given) : '');
}

function route() {
  const [id, query] = location.hash.slice(1).split('?');
  const view = views.find(v => v.id === id) || views[0];
  const main = document.getElementById('view');
  main.className = '';
  main.replaceChildren();
  main.dataset.view = view.id;
  main.scrollTop = 0;
  if (view.needs && !events.rows) main.append(el('p', { class: 'muted' }, 'Reading the events of this page …'));
  else view.draw(main, Object.fromEntries(new URLSearchParams(query || '')));
  markTab();
}

// markTab tells in the list of views which one is shown.
function markTab() {
  for (const a of document.querySelectorAll('#tabs a')) {
    if (a.dataset.view === document.getElementById('view').dataset.view) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
}

function drawTop() {
  const s = run.summary,
    names = (s.files || []).map(f => f.name.replace(/^.*[\\/]/, ''));
  document.getElementById('title').textContent = visible(
    cut(names.slice(0, 3).join(', ') + (names.length > 3 ? ' and ' + (names.length - 3) + ' more' : ''), 120) || 'Capture',
  );
  document.getElementById('facts').textContent = visible(
    [
      plural(s.packets || 0, 'packet'),
      plural(sum(s.connections), 'connection'),
      duration(s.duration_ns || 0),
      'pulsar-dissect ' + run.charts.version,
    ].join(' · '),
  );
  document
    .getElementById('tabs')
    .replaceChildren(
      ...views.map((v, i) =>
        el(
          'a',
          { href: '#' + v.id, 'data-view': v.id, title: 'Key ' + (i + 1) },
          v.title,
          v.count?.() > 0 && el('span', { class: 'count' }, count(v.count())),
        ),
      ),
    );
  markTab();
}

// leftOut tells what the page does not have.
function leftOut() {
  const k = run.charts.kept,
    parts = [];
  const less = (name, what) =>
    k[name] && k[name].shown < k[name].of && parts.push(count(k[name].shown) + ' of ' + count(k[name].of) + ' ' + what);
  less('events', 'events are in lists and diagrams (--max-events), the first ones');
  less('connections', 'connections');
  less('consumers', 'verdicts on consumers');
  less('topics', 'topics have a chart of their own');
  less('permits', 'consumers have a chart');
  if (parts.length === 0) return;
  const note = document.getElementById('note');
  note.textContent =
    parts.join('; ') + '. Counts and charts are of everything. Filters (--conn, --topic, --since) choose what is shown.';
  note.hidden = false;
}

const keyHelp = [
  ['1 – ' + 8, 'views'],
  ['/', 'search'],
  ['↑ ↓, j k, Page, Home, End', 'move in a list or diagram'],
  ['Enter', 'details'],
  ['+ −', 'zoom of a sequence'],
  ['n p', 'next and previous hit in a sequence'],
  ['Esc', 'close details'],
  ['?', 'this'],
];

function help() {
  const dialog = document.getElementById('keys');
  dialog.replaceChildren(
    el('h2', {}, 'Keys'),
    el(
      'dl',
      { class: 'facts' },
      keyHelp.map(([k, what]) => [el('dt', {}, k), el('dd', {}, what)]),
    ),
    button('Close', () => dialog.close()),
  );
  dialog.showModal();
}

function keys(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === 'Escape') return closeDetails();
  if (e.target.closest('input, select, textarea, dialog')) return;
  if (e.key === '/') {
    const search = document.querySelector('[data-search]');
    if (search) {
      e.preventDefault();
      search.focus();
    }
  }
  if (e.key === '?') help();
  const view = views[Number(e.key) - 1];
  if (view) go(view.id);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}

// printAll draws all views that can be printed one below the other.
function printAll() {
  const main = document.getElementById('view'),
    width = 960;
  closeDetails();
  main.className = 'printed';
  main.replaceChildren(
    ...views
      .filter(v => v.prints)
      .map(v => {
        const part = el('section', { class: 'print-view' }, el('h1', {}, v.title));
        v.draw(part, {});
        for (const c of part.querySelectorAll('.chart')) c.drawAt(c.closest('.panels, .columns') ? width / 2 - 30 : width);
        return part;
      }),
  );
}

// fail tells that something does not work.
function fail(error) {
  const note = document.getElementById('note');
  note.textContent = visible(
    'Something in this page does not work: ' +
      (error?.message || error) +
      '. Where there are very many events, a report with fewer of them may (--max-events).',
  );
  note.hidden = false;
}

async function start() {
  const root = document.documentElement;
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  document.getElementById('theme').addEventListener('click', () => setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark'));
  document.getElementById('help').addEventListener('click', help);
  document.querySelector('.skip').addEventListener('click', e => {
    e.preventDefault(); // the address is that of the view
    document.getElementById('view').focus();
  });
  document.addEventListener('keydown', keys);
  addEventListener('error', e => fail(e.error || e.message));
  addEventListener('unhandledrejection', e => fail(e.reason));
  addEventListener('beforeprint', printAll);
  addEventListener('afterprint', route);
  readRecords();
  drawTop();
  leftOut();
  addEventListener('hashchange', route);
  route();
  root.dataset.open = Math.round(performance.now());
  await new Promise(done => addEventListener('DOMContentLoaded', done)); // the events stand behind this script
  await readEvents();
  drawTop();
  if (views.find(v => v.id === document.getElementById('view').dataset.view).needs) route();
  root.dataset.ready = Math.round(performance.now());
}
