package decode

import (
	"iter"

	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
)

// Decoder turns the events of reassembly into frames. It is used for one run.
type Decoder struct {
	limits   Limits
	forced   map[uint16]bool
	searcher searcher
	counters Counters
	buffers  buffers
	clock    int64 // highest packet time so far, ns

	frame       Frame
	bookieFrame BookieFrame
	looker      bookie.Looker
	event       Event
	yield       func(*Event, error) bool
	done        bool // the reader has gone
}

// Counters says how often limits were hit.
type Counters struct {
	HeldLimit uint64 // how often frames of a connection were handed out before their turn
}

// New makes a decoder. Connections with one of the ports are taken for Pulsar
// whatever their first bytes are.
func New(l Limits, ports []uint16) *Decoder {
	d := &Decoder{limits: l, forced: map[uint16]bool{}}
	for _, p := range ports {
		d.forced[p] = true
	}
	return d
}

// Counters says how often limits were hit.
func (d *Decoder) Counters() Counters { return d.counters }

// Events reads the events of reassembly and gives frames in order of release.
func (d *Decoder) Events(events iter.Seq2[*reassembly.Event, error]) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		d.yield = yield
		for e, err := range events {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			d.take(e)
			if d.done {
				return
			}
		}
	}
}

func (d *Decoder) take(e *reassembly.Event) {
	switch e.Kind {
	case reassembly.Opened:
		d.open(e)
		return
	case reassembly.Ended:
		d.finish(e)
		return
	}
	c := e.Conn.State.(*Conn)
	s := &c.streams[e.Side]
	switch e.Kind {
	case reassembly.Data:
		d.data(s, e.Offset, e.Data, e.At)
	case reassembly.Gap:
		d.gap(s, e.Offset+e.Bytes)
		d.put(c, queued{kind: GapSeen, side: e.Side, offset: e.Offset, bytes: e.Bytes, cause: e.Cause, acked: e.Acked,
			first: s.latest, last: s.latest})
	case reassembly.Conflict:
		d.put(c, queued{kind: ConflictSeen, side: e.Side, offset: e.Offset, bytes: e.Bytes, first: e.At, last: e.At})
	case reassembly.Sealed:
		d.put(c, queued{kind: BytesSkipped, side: e.Side, offset: e.Offset, bytes: e.Bytes, reason: e.Reason, sealed: true,
			first: e.At, last: e.At})
	}
	d.drain(c, false)
	d.clock = max(d.clock, e.At.Time)
	d.drainOld(c)
}

func (d *Decoder) open(e *reassembly.Event) {
	c := &Conn{TCP: e.Conn, ID: e.Conn.ID, asker: unknownAsker}
	c.forced = d.forced[e.Conn.Ends[0].Port] || d.forced[e.Conn.Ends[1].Port]
	c.solid = c.forced
	for side := range c.streams {
		c.streams[side].reset(c, reassembly.Side(side))
	}
	e.Conn.State = c
}

// finish hands out what a connection still holds, and its end.
func (d *Decoder) finish(e *reassembly.Event) {
	c := e.Conn.State.(*Conn)
	for side := range c.streams {
		d.end(&c.streams[side])
	}
	c.ended = true
	c.solid = c.solid || c.streams[0].suffices() || c.streams[1].suffices() || c.lone()
	c.Protocol = c.protocol()
	if f := decrypt.FactsOf(c.TCP); f != nil && c.Protocol == TLS {
		c.FirstBytes = f.FirstBytes
	}
	if !c.solid {
		c.queue.keep(func(q *queued) bool { return q.sealed || q.kind == ProxySeen })
	}
	d.drain(c, true)
	if c.Name == "" {
		c.fixRoles(0, -1)
	}
	d.event = Event{Kind: ConnectionEnd, Conn: c, At: e.At}
	d.emit()
}

func (c *Conn) protocol() Protocol {
	a, b := c.streams[0].protocol, c.streams[1].protocol
	switch {
	case c.bookie != nil:
		return BookKeeper
	case c.solid && c.streams[0].frames+c.streams[1].frames > 0:
		return Pulsar
	case a == openingHTTP || b == openingHTTP:
		return HTTP
	case a == openingTLS || b == openingTLS || decrypt.FactsOf(c.TCP) != nil:
		return TLS
	case c.TCP.Sides[0].Bytes+c.TCP.Sides[1].Bytes == 0:
		return Empty
	}
	return Unknown
}

// learn takes from a frame what the framing of later ones depends on.
func (c *Conn) learn(f *Frame) {
	if f.Type == int32(pb.BaseCommand_CONNECTED) {
		if n, ok := f.Uint(field.CommandConnectedMaxMessageSize); ok {
			c.MaxMessageSize = max(0, int64(int32(n)))
		}
	}
}

// emitFrame gives out the frame in d.frame.
func (d *Decoder) emitFrame() {
	f := &d.frame
	c := f.Conn
	c.Protocol = Pulsar
	c.Frames[f.Direction]++
	if f.Command != nil && f.Command.Sender != proto.Both && (f.Command.Sender == proto.Client) != (f.Direction == ClientToServer) {
		f.Issues = append(f.Issues, "role_conflict")
	}
	d.event = Event{Kind: FrameSeen, Conn: c, Direction: f.Direction, Offset: f.Offset, At: f.Last, Frame: f}
	d.emit()
}

func (d *Decoder) emit() {
	if !d.done && !d.yield(&d.event, nil) {
		d.done = true
	}
}
