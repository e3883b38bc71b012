// What a record says on one line.

// Fields worth a place, in order; the rest follows while there is room.
const worth = [
  'topic',
  'subscription',
  'producer_name',
  'consumer_name',
  'subType',
  'producer_id',
  'consumer_id',
  'request_id',
  'sequence_id',
  'message_id',
  'messagePermits',
  'error',
  'message',
  'response',
  'client_version',
  'server_version',
];

function fieldText(name, v) {
  if (v === null || v === undefined || v === false || v === '' || name === 'auth_data') return '';
  if (name === 'topic') return topicName(v);
  if (name.endsWith('message_id') && v.ledgerId !== undefined) return name + '=' + entryID(v);
  if (Array.isArray(v))
    return v.length && v[0]?.ledgerId !== undefined
      ? v.slice(0, 3).map(entryID).join(' ') + (v.length > 3 ? ' +' + (v.length - 3) : '')
      : name + '[' + v.length + ']';
  if (typeof v === 'object') return name + '{…}';
  return (
    name.replace(/_id$/, '') + '=' + (typeof v === 'string' && /\s/.test(v) ? '"' + cut(v, 80) + '"' : cut(String(signed(v)), 80))
  );
}

function commandWords(c) {
  const names = [...worth.filter(n => n in c), ...Object.keys(c).filter(n => !worth.includes(n))];
  return names.map(n => fieldText(n, c[n])).filter(Boolean);
}

function metadataWords(m, command) {
  const words = [];
  if (m.producer_name) words.push('producer=' + cut(m.producer_name, 60));
  if (m.sequence_id !== undefined && command.sequence_id === undefined) words.push('seq=' + m.sequence_id);
  if (m.num_messages_in_batch > 1) words.push('batch of ' + m.num_messages_in_batch);
  if (m.num_chunks_from_msg > 1) words.push('chunk ' + (m.chunk_id + 1) + ' of ' + m.num_chunks_from_msg);
  if (m.compression && m.compression !== 'NONE') words.push(m.compression);
  if (m.partition_key !== undefined) words.push('key=' + cut(m.partition_key, 40));
  return words;
}

const lines = {
  frame: r => [
    ...commandWords(r.command || {}),
    ...(r.metadata ? metadataWords(r.metadata, r.command || {}) : []),
    r.checksum === 'bad' && 'checksum bad',
    r.incomplete && 'incomplete',
    ...(r.issues || []),
  ],
  bookie: r => ['ledgerId', 'entryId', 'rc'].filter(n => n in r).map(n => n + '=' + r[n]),
  gap: r => [plural(r.bytes, 'byte') + ' missing', r.cause, r.acked && 'the peer had them'],
  skipped: r => [plural(r.bytes, 'byte') + ' not read', r.reason],
  conflict: r => [plural(r.bytes, 'byte') + ' came again with other content'],
  proxy: r => ['PROXY protocol', r.source, r.destination],
  message: r => [topicName(r.topic), r.key !== undefined && 'key=' + cut(r.key, 40), size(r.size), r.state !== 'ok' && r.state],
};

function words(r) {
  return (lines[r.kind] || (() => []))(r).filter(Boolean).join('  ');
}

// answer says what became of a frame's exchange, from the frame's side.
function answer(i) {
  const x = events.exchange[i];
  if (x < 0) return '';
  const r = record(x),
    other = events.partner[i];
  if (r.result === 'unanswered') return 'unanswered' + (r.why ? ' (' + r.why + ')' : '');
  if (r.response && r.response.offset === offsetOf(i) && r.response.dir === dirOf(i) && r.latency_ns !== undefined)
    return 'after ' + duration(r.latency_ns);
  return other >= 0 && r.latency_ns !== undefined ? 'answered in ' + duration(r.latency_ns) : '';
}

function dirOf(i) {
  return events.up[i] ? 'c2s' : 's2c';
}

function offsetOf(i) {
  return JSON.parse(lineOf(i)).offset;
}
