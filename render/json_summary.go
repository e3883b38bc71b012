package render

import (
	"bytes"
	"encoding/json"

	"pulsar-dissect/capture"
	"pulsar-dissect/capture/link"
	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire/jsontext"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session/summary"
)

// appendSummary appends the record of kind summary, with its line end: the last
// line of a run. It is made once, so that it can be described by its types.
// d is nil where no rules were run.
func (j *JSON) appendSummary(dst []byte, s *summary.Summary, d *Diagnosis) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	r := newSummaryRecord(s)
	r.diagnosis(d)
	if err := e.Encode(r); err != nil {
		panic(err) // cannot be: the types below all have a JSON form
	}
	return append(dst, b.Bytes()...)
}

// wireText is text from the wire: what is not UTF-8 becomes hexadecimal, as in
// every other record.
type wireText string

// MarshalJSON implements json.Marshaler.
func (t wireText) MarshalJSON() ([]byte, error) { return jsontext.AppendText(nil, string(t)), nil }

// instant is a time in ns since the Unix epoch.
type instant int64

// MarshalJSON implements json.Marshaler.
func (i instant) MarshalJSON() ([]byte, error) {
	var c clock
	return c.append(nil, int64(i)), nil
}

// tally is counts by name; in JSON the names are sorted.
type tally map[string]uint64

func (t tally) add(name string, n uint64) {
	if n > 0 {
		t[name] += n
	}
}

type summaryRecord struct {
	Kind        string                      `json:"kind"`
	Time        *instant                    `json:"time,omitempty"`
	Start       *instant                    `json:"start,omitempty"`
	End         *instant                    `json:"end,omitempty"`
	Duration    *int64                      `json:"duration_ns,omitempty"`
	Files       []fileRecord                `json:"files"`
	Packets     uint64                      `json:"packets"`
	Bytes       uint64                      `json:"bytes"`
	Segments    uint64                      `json:"tcp_segments"`
	NotUsed     tally                       `json:"packets_not_used"`
	Tunnels     tally                       `json:"tunnels"`
	Fragments   fragmentsRecord             `json:"fragments"`
	TCP         tcpRecord                   `json:"tcp"`
	Connections tally                       `json:"connections"`
	Proxies     uint64                      `json:"proxy_prefaces"`
	Frames      uint64                      `json:"frames"`
	Incomplete  uint64                      `json:"incomplete_frames"`
	Resyncs     uint64                      `json:"resyncs"`
	Commands    map[string]tally            `json:"commands"`
	Unknown     unknownRecord               `json:"unknown"`
	Checksums   tally                       `json:"checksums"`
	Produced    []producedRecord            `json:"produced"`
	Consumed    []consumedRecord            `json:"consumed"`
	Codecs      map[string][]codecRecord    `json:"codecs"`
	Messages    tally                       `json:"message_states"`
	Chunked     chunkedRecord               `json:"chunked_messages"`
	Txns        tally                       `json:"transactions,omitempty"`
	Exchanges   map[string]*exchangesRecord `json:"exchanges"`
	BrokerDelay *brokerDelayRecord          `json:"broker_delay,omitempty"`
	Errors      []troubleRecord             `json:"errors"`
	Unanswered  []troubleRecord             `json:"unanswered"`
	Orphans     tally                       `json:"orphan_responses"`
	Gaps        gapsRecord                  `json:"gaps"`
	Skipped     lostRecord                  `json:"skipped"`
	Sealed      lostRecord                  `json:"tls_not_opened"`
	TLS         *tlsRecord                  `json:"tls,omitempty"`
	Conflicts   lostRecord                  `json:"conflicts"`
	Issues      []issueRecord               `json:"issues"`
	Details     []issueRecord               `json:"issue_details"`
	Limits      tally                       `json:"limits"`
	Findings    tally                       `json:"findings,omitzero"`
}

func newSummaryRecord(s *summary.Summary) *summaryRecord {
	t := &s.Totals
	r := &summaryRecord{
		Kind: "summary", Packets: s.Packets(), Segments: t.Segments.Packets[segment.OK], Proxies: s.Proxies,
		Frames: s.Frames, Incomplete: s.Incomplete.Count, Resyncs: s.Resyncs.Count,
		Fragments: fragmentsOf(&t.Segments.Fragments), TCP: tcpOf(s), Gaps: gapsOf(s),
		Conflicts: lostRecord{Count: s.Conflicts.Count, Bytes: s.Conflicts.Bytes},
		Skipped:   lostRecord{Count: s.Skipped.Count, Bytes: s.Skipped.Bytes, Reasons: tallyOf(s.SkippedReasons())},
		Sealed:    lostRecord{Count: s.Sealed.Count, Bytes: s.Sealed.Bytes, Reasons: tallyOf(s.SealedReasons())},
		TLS:       tlsOf(&t.Decrypt),
		Chunked:   chunkedRecord{s.Chunked.Complete, s.Chunked.Incomplete.Count},
	}
	r.span(s)
	r.files(s)
	r.packets(&t.Segments)
	r.commands(s)
	r.topics(s)
	r.exchanges(s)
	r.issues(s)
	return r
}

func (r *summaryRecord) span(s *summary.Summary) {
	first, last, ok := s.Span()
	if !ok {
		return
	}
	start, end, ns := instant(first), instant(last), last-first
	r.Time, r.Start, r.End, r.Duration = &end, &start, &end, &ns
}

func (r *summaryRecord) diagnosis(d *Diagnosis) {
	if d == nil {
		return
	}
	r.Findings = tally{}
	for _, f := range d.Found {
		r.Findings.add(f.Rule.Name, 1)
	}
	for _, h := range d.Hits {
		r.Limits[h.Name] = h.Count
	}
}

type fileRecord struct {
	Name        wireText      `json:"name"`
	Broken      bool          `json:"broken,omitempty"` // it could not be read, or not to its end
	Packets     uint64        `json:"packets"`
	Bytes       uint64        `json:"bytes"`
	WireBytes   uint64        `json:"wire_bytes"`
	Start       *instant      `json:"start,omitempty"`
	End         *instant      `json:"end,omitempty"`
	NoTime      uint64        `json:"packets_without_time"`
	Truncated   uint64        `json:"packets_truncated"`
	StepsBack   uint64        `json:"times_back"`
	LargestStep int64         `json:"times_back_largest_ns"`
	Reorder     string        `json:"advised_reorder,omitempty"`
	Links       []linkRecord  `json:"links"`
	Interfaces  []statsRecord `json:"interfaces,omitempty"`
}

type linkRecord struct {
	Type      uint32 `json:"type"`
	Name      string `json:"name"`
	Supported bool   `json:"supported"`
	Packets   uint64 `json:"packets"`
}

type statsRecord struct {
	Section   int      `json:"section"`
	Interface uint32   `json:"interface"`
	Name      wireText `json:"name,omitempty"`
	Received  uint64   `json:"received"`
	Dropped   uint64   `json:"dropped"`
	OSDropped uint64   `json:"os_dropped"`
}

func (r *summaryRecord) files(s *summary.Summary) {
	for i := range s.Totals.Capture.Files {
		f := &s.Totals.Capture.Files[i]
		r.Bytes += f.Bytes
		r.Files = append(r.Files, fileOf(f))
	}
}

func fileOf(f *capture.FileStats) fileRecord {
	r := fileRecord{
		Name: wireText(f.Name), Broken: f.Broken, Packets: f.Packets, Bytes: f.Bytes, WireBytes: f.WireBytes,
		NoTime: f.NoTime, Truncated: f.Truncated, StepsBack: f.StepsBack, LargestStep: f.LargestStepBack,
	}
	if f.Packets > f.NoTime {
		start, end := instant(f.First), instant(f.Last)
		r.Start, r.End = &start, &end
	}
	if d := summary.Reorder(f); d > 0 {
		r.Reorder = d.String()
	}
	for _, l := range f.Links {
		r.Links = append(r.Links, linkRecord{uint32(l.Link), link.Name(l.Link), link.Supported(l.Link), l.Packets})
	}
	for _, i := range f.Interfaces {
		r.Interfaces = append(r.Interfaces, statsRecord{i.Section, i.Interface, wireText(i.Name), i.Received, i.Dropped, i.OSDropped})
	}
	return r
}

type fragmentsRecord struct {
	Received  uint64 `json:"received"`
	Assembled uint64 `json:"assembled"`
	Cut       uint64 `json:"cut"`
	Dropped   uint64 `json:"dropped"`
	Expired   uint64 `json:"expired"`
	Evicted   uint64 `json:"evicted"`
	Pending   int    `json:"pending"`
}

func fragmentsOf(f *segment.FragmentStats) fragmentsRecord {
	return fragmentsRecord{f.Received, f.Assembled, f.Cut, f.Dropped, f.Expired, f.Evicted, f.Pending}
}

type tcpRecord struct {
	Bytes          int64  `json:"bytes"`
	CutSegments    uint64 `json:"cut_segments"`
	Retransmitted  uint64 `json:"retransmitted"`
	OutOfOrder     uint64 `json:"out_of_order"`
	WrongChecksums uint64 `json:"wrong_checksums"`
	ZeroWindows    uint64 `json:"zero_windows"`
	EarlyBytes     int64  `json:"early_bytes"`
	Evicted        uint64 `json:"evicted_connections"`
}

func tcpOf(s *summary.Summary) tcpRecord {
	t := &s.TCP
	return tcpRecord{t.Bytes, s.Totals.Segments.Cut, t.Retransmitted, t.OutOfOrder, t.WrongChecksums, t.ZeroWindows, t.EarlyBytes, t.Evicted}
}

func (r *summaryRecord) packets(s *segment.Stats) {
	r.NotUsed, r.Tunnels = tally{}, tally{}
	for why := segment.OK + 1; why < segment.Reasons; why++ {
		r.NotUsed.add(why.String(), s.Packets[why])
	}
	for kind, n := range s.Tunnels {
		r.Tunnels.add(link.Kind(kind).String(), n)
	}
}

type unknownRecord struct {
	Commands   uint64 `json:"commands"`
	Fields     uint64 `json:"fields"`
	EnumValues uint64 `json:"enum_values"`
}

func (r *summaryRecord) commands(s *summary.Summary) {
	r.Connections, r.Checksums = tally{}, tally{}
	for p, n := range s.Connections {
		r.Connections.add(decode.Protocol(p).String(), n)
	}
	for c := decode.ChecksumOK; c <= decode.ChecksumAbsent; c++ {
		r.Checksums[c.String()] = s.Checksums[c]
	}
	r.Commands = map[string]tally{}
	rows, others := s.Commands()
	for d := decode.ClientToServer; d <= decode.ServerToClient; d++ {
		t := tally{}
		for i := range rows {
			t.add(rows[i].Name, rows[i].Count[d])
		}
		t.add("others", others[d])
		r.Commands[d.String()] = t
	}
	r.Unknown.Commands = s.UnknownCommands()
}

func tallyOf(rows []summary.Named) tally {
	t := tally{}
	for _, row := range rows {
		t.add(row.Name, row.Count)
	}
	return t
}

type gapsRecord struct {
	Count      uint64 `json:"count"`
	Bytes      int64  `json:"bytes"`
	Acked      uint64 `json:"acked"`
	AckedBytes int64  `json:"acked_bytes"`
	Causes     tally  `json:"by_cause"`
}

func gapsOf(s *summary.Summary) gapsRecord {
	all := s.AllGaps()
	r := gapsRecord{all.Count, all.Bytes, all.Acked, all.AckedBytes, tally{}}
	for c := range s.Gaps {
		r.Causes.add(reassembly.Cause(c).String(), s.Gaps[c].Count)
	}
	return r
}

type lostRecord struct {
	Count   uint64 `json:"count"`
	Bytes   int64  `json:"bytes"`
	Reasons tally  `json:"bytes_by_reason,omitempty"`
}

type tlsRecord struct {
	Connections uint64 `json:"connections"`
	Opened      uint64 `json:"opened"`
	Records     uint64 `json:"records_opened"`
	PlainBytes  int64  `json:"plain_bytes"`
	SealedBytes int64  `json:"sealed_bytes"`
}

func tlsOf(c *decrypt.Counters) *tlsRecord {
	if c.Connections == 0 {
		return nil
	}
	return &tlsRecord{c.Connections, c.Opened, c.Records, c.PlainBytes, c.SealedBytes}
}

type chunkedRecord struct {
	Complete   uint64 `json:"complete"`
	Incomplete uint64 `json:"incomplete"`
}

type issueRecord struct {
	Issue    wireText        `json:"issue"`
	Count    uint64          `json:"count"`
	Examples []exampleRecord `json:"examples,omitempty"`
}

func (r *summaryRecord) issues(s *summary.Summary) {
	rows, others := s.Issues()
	r.Issues, r.Details, r.Limits = []issueRecord{}, []issueRecord{}, tally{}
	for i := range rows {
		r.Issues = append(r.Issues, issueRecord{wireText(rows[i].Code), rows[i].Count, examplesOf(&rows[i].Noted)})
		r.Unknown.count(rows[i].Code, rows[i].Count)
	}
	if others > 0 {
		r.Issues = append(r.Issues, issueRecord{Issue: "others", Count: others})
	}
	details, more := s.IssueDetails()
	for _, d := range details {
		r.Details = append(r.Details, issueRecord{Issue: wireText(d.Name), Count: d.Count})
	}
	if more > 0 {
		r.Details = append(r.Details, issueRecord{Issue: "others", Count: more})
	}
	for _, h := range s.Hits() {
		r.Limits[h.Name] = h.Count
	}
}

func (u *unknownRecord) count(code string, n uint64) {
	switch code {
	case "unknown_field":
		u.Fields = n
	case "unknown_enum":
		u.EnumValues = n
	}
}

type exampleRecord struct {
	Conn   string   `json:"conn"`
	ConnID int      `json:"conn_id"`
	Dir    string   `json:"dir"`
	Packet uint64   `json:"packet"`
	Offset int64    `json:"offset"`
	Topic  wireText `json:"topic,omitempty"`
	Text   wireText `json:"text,omitempty"`
}

func examplesOf(n *summary.Noted) (rows []exampleRecord) {
	for _, x := range n.Examples() {
		rows = append(rows, exampleRecord{x.Conn, x.ConnID, x.Direction.String(), x.Packet, x.Offset, wireText(x.Topic), wireText(x.Text)})
	}
	return rows
}
