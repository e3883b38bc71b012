// The pane that shows one record with all its fields.

const shownMessages = 50; // of one frame

function pane() {
  return document.getElementById('details');
}

function closeDetails() {
  pane().hidden = true;
  document.body.classList.remove('with-details');
}

function openDetails(title, ...content) {
  const p = pane();
  p.replaceChildren(
    el(
      'div',
      { class: 'pane-head' },
      el('h2', {}, title),
      button('Close', closeDetails, { class: 'quiet', 'aria-label': 'Close details' }),
    ),
    ...content.filter(Boolean),
  );
  p.hidden = false;
  p.scrollTop = 0;
  document.body.classList.add('with-details');
}

function facts(pairs) {
  return el(
    'dl',
    { class: 'facts' },
    pairs
      .filter(p => p && p[1] !== undefined && p[1] !== null && p[1] !== '')
      .map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
  );
}

// showFrame shows an event and what else is known of it.
function showFrame(i) {
  const r = record(i),
    x = events.exchange[i];
  openDetails(
    [el('span', { class: r.dir }, arrows[r.dir] + ' '), typeName(i)],
    el(
      'p',
      { class: 'actions' },
      button('Sequence', () => go('sequence', { conn: r.conn_id, at: i })),
      button('In the list', () => go('frames', { at: i })),
      messageButtons(i, r),
    ),
    facts([
      ['Time', since(events.time[i]) + ' s'],
      ['', clockOf(events.time[i])],
      [
        'Packet',
        count(r.packet) +
          (r.first_packet !== undefined && r.first_packet !== r.packet ? ' (from ' + count(r.first_packet) + ')' : '') +
          (r.file ? ' of ' + r.file : ''),
      ],
      ['Connection', connLink(r.conn_id)],
      ['Size', r.size !== undefined && size(r.size)],
      ['Offset', count(r.offset)],
      ['Checksum', r.checksum],
      ['Payload', r.payload_size !== undefined && size(r.payload_size)],
      ['Issues', r.issues && r.issues.join('; ')],
    ]),
    x >= 0 && exchangeBox(i, x),
    messagesBox(i),
    el('h3', {}, 'Fields'),
    tree(r, ['kind', 'time', 'packet', 'conn', 'conn_id', 'dir', 'offset', 'size', 'type', 'first_packet', 'first_time']),
    raw(r, i),
  );
}

function connLink(id) {
  const c = run.byConn.get(id);
  return button(connLabel(id) + (c ? '  ' + c.conn : ''), () => showConnection(id), { class: 'link' });
}

function frameLink(i, text) {
  return i < 0 ? text : button(text, () => showFrame(i), { class: 'link' });
}

function exchangeBox(i, x) {
  const r = record(x),
    other = events.partner[i];
  const side = (name, ref) => ref && [name, frameLink(frameOf(r.conn_id, ref), ref.type + ', packet ' + count(ref.packet))];
  return el(
    'section',
    {},
    el('h3', {}, 'Exchange'),
    facts([
      ['Result', el('span', { class: 'badge ' + r.result }, r.result)],
      ['Latency', duration(r.latency_ns)],
      side('Request', r.request),
      side('Response', r.response),
      ['Why', r.why],
      ['Error', r.error && [r.error.code, r.error.text].filter(Boolean).join(': ')],
      ['Message', r.message_id && entryID(r.message_id)],
      ['Covers', r.covers && plural(r.covers.length, 'delivery').replace(/ys$/, 'ies')],
      other < 0 && r.response && r.request ? ['', 'The other side is not among the events of this page.'] : null,
    ]),
  );
}

// entriesOf are the ids of entries that a frame is about.
function entriesOf(i, r) {
  const ids = new Set();
  const note = id => id && id.ledgerId !== undefined && ids.add(id.ledgerId + ':' + id.entryId);
  [r.command?.message_id].flat().forEach(note);
  if (r.kind === 'bookie') note(r);
  if (events.exchange[i] >= 0) note(record(events.exchange[i]).message_id);
  return [...ids].filter(id => events.byMessage.has(id));
}

function messageButtons(i, r) {
  return entriesOf(i, r)
    .slice(0, 3)
    .map(id => button('Follow ' + id, () => go('sequence', { message: id, at: i })));
}

function messagesBox(i) {
  const n = events.first[i] < 0 ? 0 : events.count[i];
  if (n === 0) return null;
  const list = [];
  for (let k = events.first[i]; k < events.n && list.length < Math.min(n, shownMessages); k++)
    if (kinds[events.kind[k]] === 'message' && events.frame[k] === i) list.push(record(k));
  return el(
    'section',
    {},
    el('h3', {}, n === 1 ? 'Message' : plural(n, 'message')),
    list.map((m, k) =>
      el(
        'details',
        { open: n === 1 },
        el('summary', {}, (n > 1 ? '#' + (m.index ?? k) + '  ' : '') + words(m)),
        payload(m),
        tree(m, [
          'kind',
          'time',
          'packet',
          'conn',
          'conn_id',
          'dir',
          'offset',
          'type',
          'payload_text',
          'payload_b64',
          'payload_cut',
        ]),
      ),
    ),
    n > list.length && el('p', { class: 'muted' }, count(n - list.length) + ' more'),
  );
}

function payload(m) {
  const text = m.payload_text ?? m.payload_b64;
  if (text === undefined) return null;
  return el(
    'pre',
    { class: 'payload' },
    text,
    m.payload_cut && el('span', { class: 'muted' }, ' … cut'),
    m.payload_b64 !== undefined && el('span', { class: 'muted' }, ' (base64)'),
  );
}

// tree shows the fields of a record, nested.
function tree(v, without = []) {
  return el(
    'ul',
    { class: 'tree' },
    Object.entries(v)
      .filter(([k]) => !without.includes(k))
      .map(([k, x]) => branch(k, x)),
  );
}

function branch(name, v) {
  if (v === null || typeof v !== 'object')
    return el('li', {}, el('span', { class: 'name' }, name), el('span', { class: 'value ' + typeof v }, String(v)));
  const n = Object.keys(v).length;
  if (n === 0)
    return el(
      'li',
      {},
      el('span', { class: 'name' }, name),
      el('span', { class: 'value muted' }, Array.isArray(v) ? '[]' : '{}'),
    );
  const box = el(
    'details',
    { open: n <= 12 },
    el(
      'summary',
      {},
      el('span', { class: 'name' }, name),
      el('span', { class: 'muted' }, Array.isArray(v) ? plural(n, 'item') : ''),
    ),
  );
  let filled = false;
  const grow = () => {
    if (!filled && box.open) {
      filled = true;
      box.append(tree(v));
    }
  };
  box.addEventListener('toggle', grow);
  grow();
  return el('li', {}, box);
}

// raw shows a record as the JSON output has it.
function raw(r, i) {
  const box = el('details', {}, el('summary', {}, 'JSON record'));
  box.addEventListener('toggle', () => {
    if (box.open && box.children.length === 1)
      box.append(el('pre', { class: 'payload' }, i >= 0 ? lineOf(i) : JSON.stringify(r, null, 1)));
  });
  return box;
}
