package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// holders knows which connection holds which producer name on which topic.
type holders struct {
	by    map[string][]*holder // by topic
	total int
}

// Limits of the producers that are known.
const (
	holdersOfTopic = 1000    // of one topic, the latest
	producersKept  = 100_000 // of all, the first
)

// holder is a producer that the broker has let open.
type holder struct {
	name     string
	conn     *session.Conn // nil once the connection has ended
	server   string
	connName string
	client   string // version
	id       uint64
	since    int64 // ns
	evidence Evidence
	closed   int64  // ns, when the producer was closed, 0 if it was not
	ended    ending // of the connection, once that has ended
}

func newHolders() *holders { return &holders{by: map[string][]*holder{}} }

// Frames, exchanges and kinds that holders have to see.
var (
	holderFrames    = []pb.BaseCommand_Type{pb.BaseCommand_CLOSE_PRODUCER}
	holderExchanges = []Exchanges{{[]session.ExchangeKind{session.Request}, []session.Result{session.OK}}, {Results: []session.Result{session.Failed}}}
	holderKinds     = []session.Kind{session.ConnectionEnd}
)

func (hs *holders) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if e.Producer != nil {
			hs.close(e)
		}
	case session.ExchangeSeen:
		x := e.Exchange
		if x.Kind == session.Request && x.Result == session.OK && x.Request.Type == int32(pb.BaseCommand_PRODUCER) && e.Producer != nil {
			hs.open(e)
		}
	case session.ConnectionEnd:
		hs.end(e.Conn)
	}
}

func (hs *holders) open(e *session.Event) {
	p := e.Producer
	before := len(hs.by[p.Topic])
	list := slices.DeleteFunc(hs.by[p.Topic], func(h *holder) bool { return h.name == p.Name && h.server == server(e.Conn) })
	if len(list) == holdersOfTopic {
		list = list[1:]
	}
	if hs.total += len(list) + 1 - before; hs.total > producersKept {
		hs.total--
		hs.by[p.Topic] = list
		return
	}
	hs.by[p.Topic] = append(list, &holder{name: p.Name, server: server(e.Conn), conn: e.Conn, connName: e.Conn.Name, client: clientVersion(e.Conn), id: p.ID,
		since: e.Exchange.Response.Time, evidence: frame(e.Conn, &e.Exchange.Response)})
}

func (hs *holders) close(e *session.Event) {
	for _, h := range hs.by[e.Producer.Topic] {
		if h.conn == e.Conn && h.id == e.Producer.ID {
			h.closed = e.At.Time
		}
	}
}

func (hs *holders) end(c *session.Conn) {
	for _, p := range c.Producers {
		for _, h := range hs.by[p.Topic] {
			if h.conn == c {
				h.ended, _ = endingOf(c)
				h.conn = nil
			}
		}
	}
}

// find gives who stands in the way of a producer at a server: the holder that
// the broker's text names, else the one of the same name; nil if neither is
// known. Of the two sides of a proxy the one at this server counts first.
func (hs *holders) find(p *session.Producer, text, server string) (found *holder) {
	best := 0
	for _, h := range hs.by[p.Topic] {
		rank := 0
		switch named := mentions(text, h.name); {
		case named && h.open():
			rank = 6
		case named:
			rank = 4
		case h.name == p.Name:
			rank = 2
		default:
			continue
		}
		if h.server == server {
			rank++
		}
		if rank >= best {
			best, found = rank, h
		}
	}
	return found
}

// mentions says whether a text has a name as a word of its own.
func mentions(text, name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	for name != "" {
		before, after, found := strings.Cut(text, name)
		if !found {
			return false
		}
		if strings.TrimRight(before, letters) == before && strings.TrimLeft(after, letters) == after {
			return true
		}
		text = after
	}
	return false
}

// open says whether the producer is there still.
func (h *holder) open() bool {
	if h.conn == nil || h.closed != 0 {
		return false
	}
	_, closed := endingOf(h.conn)
	return !closed
}

// count is how many producers of a topic are open at a server.
func (hs *holders) count(topic, server string) (n int) {
	for _, h := range hs.by[topic] {
		if h.server == server && h.open() {
			n++
		}
	}
	return n
}

// describe says who holds a name, since when, and whether it is alive.
func (h *holder) describe(now int64) string {
	text := fmt.Sprintf("it is held by %s on connection %s (%s) since %s (%s)", h.name, h.connName, h.client, clock(h.since), lasting(now-h.since))
	end, closed := h.ended, h.conn == nil
	if h.conn != nil {
		end, closed = endingOf(h.conn)
	}
	switch {
	case h.closed != 0:
		return text + fmt.Sprintf("; that producer was closed %s before", lasting(now-h.closed))
	case closed && end.how != "":
		return text + fmt.Sprintf("; on that, %s %s before, and the broker had not let the name go yet", end.String(), lasting(now-end.at.Time))
	case h.conn == nil:
		return text + "; the capture does not show what became of that connection"
	}
	silent := now - h.conn.Heard[0].Time
	if silent > deadAfter {
		return text + fmt.Sprintf("; nothing came from there for %s: it looks dead, and the broker keeps the name until its keep-alive ends it", lasting(silent))
	}
	return text + fmt.Sprintf("; that connection is alive, last heard of %s before", lasting(silent))
}

// deadAfter is the silence, in ns, after which a client looks dead: two
// keep-alive intervals of a broker by default.
const deadAfter = int64(60e9)
