package metrics

import (
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
	"pulsar-dissect/session/summary"
)

// counts are plain numbers that only grow.
type counts struct {
	frames       [2][]traffic // by Direction and number of the command; the last is of all that the schema does not have
	badChecksums uint64       // of frames
	exchanges    [session.Watch + 1]exchanges
	gaps         [reassembly.MemoryLimit + 1]traffic // by Cause
	skipped      uint64                              // bytes
	ended        [decode.Unknown + 1]uint64          // connections by Protocol
	tcp          tcp                                 // of connections that have ended
	findings     []findings
	topics       topics
	latest       int64 // time of the latest event, ns since the Unix epoch
}

// traffic is how many there were, and their bytes.
type traffic struct{ count, bytes uint64 }

// exchanges counts those of a kind.
type exchanges struct {
	results [session.Repeat + 1]uint64
	latency histogram
}

// tcp is what was seen below the streams.
type tcp struct{ wrongChecksums, retransmitted uint64 }

func (t *tcp) add(c *session.Conn) {
	for i := range c.TCP.Sides {
		t.wrongChecksums += c.TCP.Sides[i].WrongChecksums
		t.retransmitted += c.TCP.Sides[i].Retransmitted
	}
}

// findings counts those of a rule and severity.
type findings struct {
	rule     string
	severity diagnose.Severity
	count    uint64
}

// unknownType is the place of commands that the schema does not have.
var unknownType = int(proto.Commands[len(proto.Commands)-1].Number) + 1

func newCounts(l Limits) counts {
	n := counts{topics: newTopics(l)}
	for d := range n.frames {
		n.frames[d] = make([]traffic, unknownType+1)
	}
	return n
}

// clone copies what further events would change.
func (n *counts) clone() counts {
	c := *n
	for d := range c.frames {
		c.frames[d] = slices.Clone(c.frames[d])
	}
	c.findings = slices.Clone(c.findings)
	c.topics = c.topics.clone()
	return c
}

// counters are what each kind of event counts; kinds without a row count nothing.
var counters = [256]func(*counts, *session.Event){
	session.FrameSeen:      (*counts).frame,
	session.ExchangeSeen:   (*counts).exchange,
	session.PermitsChanged: (*counts).permits,
	session.GapSeen:        (*counts).gap,
	session.BytesSkipped:   func(n *counts, e *session.Event) { n.skipped += uint64(e.Bytes) },
	session.ConnectionEnd:  (*counts).connectionEnd,
}

func (n *counts) add(e *session.Event) {
	n.latest = max(n.latest, e.At.Time)
	if count := counters[e.Kind]; count != nil {
		count(n, e)
	}
}

func (n *counts) frame(e *session.Event) {
	f, place := e.Frame, unknownType
	if f.Command != nil {
		place = int(f.Type)
	}
	t := &n.frames[f.Direction][place]
	t.count++
	t.bytes += uint64(f.Size)
	if f.Checksum == decode.ChecksumBad {
		n.badChecksums++
	}
	switch {
	case f.Is(int32(pb.BaseCommand_SEND)):
		r := n.topics.of(e.Topic())
		r.sends++
		r.sent += summary.Messages(f)
	case f.Is(int32(pb.BaseCommand_MESSAGE)):
		n.topics.of(e.Topic()).deliveries++
	}
}

// permits counts the messages of a MESSAGE: it takes a permit for each.
func (n *counts) permits(e *session.Event) {
	if !e.Permits.Flow {
		n.topics.of(e.Topic()).delivered += uint64(e.Permits.N)
	}
}

func (n *counts) exchange(e *session.Event) {
	x := e.Exchange
	of := &n.exchanges[x.Kind]
	of.results[x.Result]++
	if x.Kind == session.Ack && x.Result == session.OK {
		n.topics.of(e.Topic()).acknowledged += uint64(x.Messages)
	}
	for i := range x.Covers {
		of.latency.add(x.Covers[i].Latency)
	}
	if ns, ok := x.Latency(); ok && !x.Cumulative {
		of.latency.add(ns)
	}
}

func (n *counts) gap(e *session.Event) {
	g := &n.gaps[e.Cause]
	g.count++
	g.bytes += uint64(e.Bytes)
}

func (n *counts) connectionEnd(e *session.Event) {
	n.ended[e.Conn.Protocol]++
	n.tcp.add(e.Conn)
}

func (n *counts) found(f *diagnose.Finding) {
	i := slices.IndexFunc(n.findings, func(r findings) bool { return r.rule == f.Rule.Name && r.severity == f.Severity })
	if i < 0 {
		i = len(n.findings)
		n.findings = append(n.findings, findings{rule: f.Rule.Name, severity: f.Severity})
	}
	n.findings[i].count++
}
