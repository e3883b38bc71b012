// Findings, each with what proves it.

function subject(f) {
  const s = f.subject || {};
  return [
    s.topic !== undefined && 'topic ' + topicName(s.topic),
    s.subscription && 'subscription ' + s.subscription,
    s.producer && 'producer ' + s.producer.replace(/^producer /, ''),
    s.consumer && 'consumer ' + s.consumer.replace(/^consumer /, ''),
    s.message_id && 'message ' + s.message_id,
    s.conn_id !== undefined && connLabel(s.conn_id),
  ]
    .filter(Boolean)
    .join(', ');
}

function drawFindings(view, params) {
  const least = params.severity || '',
    text = (params.text || '').toLowerCase();
  const box = el('div', { class: 'findings' });
  const counts = { error: 0, warning: 0, info: 0 };
  for (const f of run.findings) counts[f.severity]++;
  view.append(
    el(
      'div',
      { class: 'controls' },
      choice(
        'Severity',
        [['', 'all (' + run.findings.length + ')'], ...Object.entries(counts).map(([k, n]) => [k, k + ' (' + n + ')'])],
        least,
        v => go('findings', { severity: v }),
      ),
      el(
        'label',
        { class: 'field grow' },
        el('span', {}, 'Search'),
        el('input', {
          type: 'search',
          'data-search': true,
          value: params.text || '',
          placeholder: 'rule, topic, words',
          input: soon(e => showFindings(box, least, e.target.value.toLowerCase())),
        }),
      ),
    ),
    box,
  );
  showFindings(box, least, text, params.at);
}

function showFindings(box, least, text, at) {
  const shown = run.findings
    .map((f, i) => [f, i])
    .filter(([f]) => (!least || f.severity === least) && (!text || JSON.stringify(f).toLowerCase().includes(text)));
  box.replaceChildren(...shown.map(([f, i]) => findingCard(f, i)));
  if (shown.length === 0) box.append(el('p', { class: 'muted' }, run.findings.length ? 'None of these.' : severities() + '.'));
  if (at !== undefined) document.getElementById('finding-' + at)?.scrollIntoView({ block: 'start' });
}

function findingCard(f, i) {
  return el(
    'article',
    { class: 'card ' + f.severity, id: 'finding-' + i },
    el(
      'header',
      {},
      el('span', { class: 'badge ' + f.severity }, f.severity),
      el('h3', {}, f.title),
      f.count > 1 && el('span', { class: 'muted' }, '×' + count(f.count)),
      el('code', { class: 'rule' }, f.rule),
    ),
    el('p', { class: 'subject' }, subject(f)),
    f.detail && el('p', {}, f.detail),
    f.advice && el('p', { class: 'advice' }, el('strong', {}, 'To do: '), f.advice),
    evidence(f),
    raw(f, -1),
  );
}

function evidence(f) {
  if (!f.evidence?.length) return null;
  return table(
    [
      { name: 'Evidence' },
      { name: 'Time', number: true },
      { name: 'Packet', number: true },
      { name: 'Connection' },
      { name: '' },
    ],
    f.evidence.map(v => {
      const at = v.conn_id === undefined || !v.dir ? -1 : frameOf(v.conn_id, v);
      return [
        at >= 0 ? frameLink(at, arrows[v.dir] + ' ' + v.type) : v.type ? (arrows[v.dir] || '') + ' ' + v.type : 'packet',
        since(timeOf(v.time)),
        count(v.packet),
        v.conn_id !== undefined ? connLink(v.conn_id) : '',
        at >= 0
          ? button('Sequence', () => go('sequence', { conn: v.conn_id, at }), { class: 'link' })
          : v.type && el('span', { class: 'muted' }, 'beyond the events of this page'),
      ];
    }),
    { class: 'evidence' },
  );
}
