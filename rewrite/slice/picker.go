package slice

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

// mostOpenings is how many stretches of packets are kept of each direction of a
// connection for the commands that open it, its producers and its consumers.
const mostOpenings = 32

// Picker says which packets are wanted. It sees the events of a run, of a second
// one too where something is wanted by name (Marked).
type Picker struct {
	KeyLogs [][]byte // that the captures hold; of those who give events, for those who write

	conns    map[int]*connection
	topics   map[string]map[*connection]bool // with a producer or a consumer of them
	found    map[string]bool                 // topics of findings
	marks    map[mark]string                 // frames that are wanted, not seen so far: why
	packets  map[uint64]string               // packets that are wanted by themselves: why
	comments map[uint64]string
}

// mark names a frame.
type mark struct {
	conn   int
	dir    decode.Direction
	offset int64
}

// connection is what is wanted of one.
type connection struct {
	tcp      *reassembly.Conn
	wanted   bool
	whole    bool
	next     [2]bool  // by Side: the next frame is wanted, too
	ranges   [2]spans // by Side
	openings [2]spans // by Side: wanted if anything is
}

// spans are ranges of packet numbers, in the order in which they came.
type spans []span

type span struct{ from, to uint64 }

// add adds a range; to the last one, if they touch.
func (s *spans) add(from, to uint64) {
	if n := len(*s); n > 0 {
		if last := &(*s)[n-1]; from <= last.to+1 && from >= last.from {
			last.to = max(last.to, to)
			return
		}
	}
	*s = append(*s, span{min(from, to), max(from, to)})
}

func (s spans) has(n uint64) bool {
	for i := range s {
		if s[i].from <= n && n <= s[i].to {
			return true
		}
	}
	return false
}

// NewPicker makes one that wants nothing so far.
func NewPicker() *Picker {
	return &Picker{conns: map[int]*connection{}, topics: map[string]map[*connection]bool{}, found: map[string]bool{}, marks: map[mark]string{}, packets: map[uint64]string{}, comments: map[uint64]string{}}
}

// Marked says whether frames are wanted that have not been seen since they were
// named: it takes another run to find them. What is no frame is never found.
func (p *Picker) Marked() bool { return len(p.marks) > 0 }

func (p *Picker) of(c *decode.Conn) *connection {
	x := p.conns[c.ID]
	if x == nil {
		x = &connection{tcp: c.TCP}
		p.conns[c.ID] = x
	}
	return x
}

// openings are the commands that open a connection, its producers and consumers.
var openings = map[pb.BaseCommand_Type]bool{
	pb.BaseCommand_CONNECT: true, pb.BaseCommand_CONNECTED: true, pb.BaseCommand_AUTH_CHALLENGE: true, pb.BaseCommand_AUTH_RESPONSE: true,
	pb.BaseCommand_PRODUCER: true, pb.BaseCommand_PRODUCER_SUCCESS: true, pb.BaseCommand_SUBSCRIBE: true, pb.BaseCommand_SUCCESS: true,
}

// See looks at an event, whether it is wanted or not.
func (p *Picker) See(e *session.Event) {
	if e.Conn == nil {
		return
	}
	c := p.of(e.Conn.Conn)
	if e.Producer != nil && e.Producer.Topic != "" {
		p.serves(c, e.Producer.Topic)
	}
	if e.Consumer != nil && e.Consumer.Topic != "" {
		p.serves(c, e.Consumer.Topic)
	}
	switch e.Kind {
	case session.FrameSeen:
		p.frame(e, e.Frame.First.Packet, e.Frame.Last.Packet, openings[pb.BaseCommand_Type(e.Frame.Type)])
	case session.BookieSeen:
		p.frame(e, e.Bookie.First.Packet, e.Bookie.Last.Packet, false)
	}
}

// serves notes that a connection has a producer or a consumer of a topic.
func (p *Picker) serves(c *connection, topic string) {
	if p.topics[topic] == nil {
		p.topics[topic] = map[*connection]bool{}
	}
	p.topics[topic][c] = true
}

// frame sees a frame that lies in packets first to last.
func (p *Picker) frame(e *session.Event, first, last uint64, opens bool) {
	c, side := p.of(e.Conn.Conn), e.Conn.SideOf(e.Direction)
	c.tcp = e.Conn.TCP
	if c.next[side] {
		c.next[side] = false
		c.ranges[side].add(first, last)
	}
	if opens && len(c.openings[side]) < mostOpenings {
		c.openings[side].add(first, last)
	}
	m := mark{e.Conn.ID, e.Direction, e.Offset}
	if why, ok := p.marks[m]; ok {
		delete(p.marks, m)
		p.want(e, first, last, why)
	}
}

// Want chooses what an event is about: a frame, both sides of an exchange, a
// packet where bytes are missing, or a connection as a whole.
func (p *Picker) Want(e *session.Event) {
	switch e.Kind {
	case session.ConnectionEnd:
		p.whole(p.of(e.Conn.Conn))
	case session.ExchangeSeen:
		p.exchange(e)
	case session.BookieSeen:
		p.want(e, e.Bookie.First.Packet, e.Bookie.Last.Packet, "")
	default:
		if e.Frame != nil {
			p.want(e, e.Frame.First.Packet, e.Frame.Last.Packet, "")
			return
		}
		p.of(e.Conn.Conn).choose()
		p.packets[e.At.Packet] = ""
	}
}

func (p *Picker) exchange(e *session.Event) {
	c := p.of(e.Conn.Conn)
	c.choose()
	for _, r := range []struct {
		there bool
		ref   *session.Ref
	}{{e.Exchange.HasRequest, &e.Exchange.Request}, {e.Exchange.HasResponse, &e.Exchange.Response}} {
		if r.there && !c.whole && !c.ranges[e.Conn.SideOf(r.ref.Direction)].has(r.ref.Packet) {
			p.marks[mark{e.Conn.ID, r.ref.Direction, r.ref.Offset}] = ""
		}
	}
}

// want chooses a frame in packets first to last, and the one behind it.
func (p *Picker) want(e *session.Event, first, last uint64, why string) {
	c, side := p.of(e.Conn.Conn), e.Conn.SideOf(e.Direction)
	c.choose()
	c.ranges[side].add(first, last)
	c.next[side] = true
	if why != "" {
		p.comments[last] = why
	}
}

func (p *Picker) whole(c *connection) {
	c.choose()
	c.whole = true
}

// choose wants a connection, or all of it where it is encrypted.
func (c *connection) choose() {
	c.wanted = true
	c.whole = c.whole || decrypt.FactsOf(c.tcp) != nil
}

// Finding chooses the evidence of a finding: by name, so that another run has to
// find its frames.
func (p *Picker) Finding(f *diagnose.Finding) {
	why := f.Rule.Name + ": " + f.Title
	for i := range f.Evidence {
		v := &f.Evidence[i]
		if v.Type != "" && v.ConnID >= 0 { // the kind of an event, or that of a frame
			p.marks[mark{v.ConnID, directionOf(v.Dir), v.Offset}] = why
		}
		p.packets[v.Packet] = why
		if c := p.conns[v.ConnID]; c != nil {
			c.choose()
		}
	}
	if c := p.conns[f.Subject.ConnID]; c != nil {
		c.choose()
	}
	p.found[f.Subject.Topic] = true
}

func directionOf(name string) decode.Direction {
	if name == decode.ServerToClient.String() {
		return decode.ServerToClient
	}
	return decode.ClientToServer
}

// Whole widens what is wanted to all packets of the connections concerned: those
// too that have a topic in common with a finding, since what others send is part
// of what makes it one.
func (p *Picker) Whole() {
	for topic := range p.found {
		for c := range p.topics[topic] {
			c.choose()
		}
	}
	for _, c := range p.conns {
		c.whole = c.whole || c.wanted
	}
}

// Connections are those of which something is wanted.
func (p *Picker) Connections() (wanted []*reassembly.Conn) {
	for _, c := range p.conns {
		if c.wanted {
			wanted = append(wanted, c.tcp)
		}
	}
	return wanted
}
