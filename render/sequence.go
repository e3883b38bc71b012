package render

import (
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/session"
)

// step is what a sequence diagram shows: an arrow from one side of a connection
// to the other, or a remark on both.
type step struct {
	conn    *session.Conn
	dir     decode.Direction
	arrow   bool
	end     bool // of the connection
	time    int64
	unknown bool // the time
	packet  uint64
	offset  int64
	command string // of an arrow
	details string // of an arrow, or the remark
	look    style
	latency int64 // since what it answers, ns
	answers bool
}

// sequence makes steps of events. The latest arrow waits for the exchange that
// tells what it answers.
type sequence struct {
	wire wire.Options
	last step
	held bool
	take func(*step) error
}

func newSequence(o *Options, take func(*step) error) *sequence {
	return &sequence{wire: wire.Options{ShowSecrets: o.ShowSecrets, MaxText: maxName}, take: take}
}

// sequenceEvents are the kinds of events that are steps.
var sequenceEvents = [256]func(*sequence, *session.Event) error{
	session.FrameSeen:     (*sequence).frame,
	session.BookieSeen:    (*sequence).bookie,
	session.ExchangeSeen:  (*sequence).exchange,
	session.GapSeen:       (*sequence).gap,
	session.BytesSkipped:  (*sequence).skipped,
	session.ConflictSeen:  (*sequence).conflict,
	session.ProxySeen:     (*sequence).proxy,
	session.ConnectionEnd: (*sequence).ended,
}

// event takes an event.
func (q *sequence) event(e *session.Event) error {
	if show := sequenceEvents[e.Kind]; show != nil {
		return show(q, e)
	}
	return nil
}

// release hands the latest arrow on.
func (q *sequence) release() error {
	if !q.held {
		return nil
	}
	q.held = false
	return q.take(&q.last)
}

func stepOf(e *session.Event) step {
	return step{conn: e.Conn, dir: e.Direction, time: e.At.Time, unknown: e.At.TimeUnknown, packet: e.At.Packet, offset: e.Offset}
}

func (q *sequence) frame(e *session.Event) error {
	return q.arrow(e, e.Frame.TypeName(), appendWarnings(nil, e.Frame), describe(nil, e, &q.wire))
}

func (q *sequence) bookie(e *session.Event) error {
	return q.arrow(e, e.Bookie.Op.String(), appendBookieWarnings(nil, e.Bookie), describeBookie(nil, e.Bookie))
}

// arrow holds an arrow, behind the one before.
func (q *sequence) arrow(e *session.Event, command string, warnings, details []byte) error {
	err := q.release()
	q.last, q.held = stepOf(e), true
	q.last.arrow, q.last.command, q.last.look = true, command, sides[e.Direction]
	q.last.details = string(details)
	if len(warnings) > 0 {
		q.last.look = wrong
		q.last.details = string(warnings) + " " + q.last.details
	}
	return err
}

// exchange tells the latest arrow what it answers; what was never answered is a
// remark.
func (q *sequence) exchange(e *session.Event) error {
	x := e.Exchange
	if x.Result == session.Unanswered {
		return q.remark(e, wrong, decode.TypeName(x.Request.Type)+" in packet "+strconv.FormatUint(x.Request.Packet, 10)+" never answered: "+reason(x.Why))
	}
	s := &q.last
	if !q.held || !x.HasResponse || s.conn.ID != e.Conn.ID || s.offset != x.Response.Offset || s.dir != x.Response.Direction {
		return nil
	}
	if ns, ok := x.Latency(); ok && (!s.answers || ns > s.latency) {
		s.latency, s.answers = ns, true
	}
	if x.Result == session.Failed {
		s.look = wrong
	}
	return nil
}

func (q *sequence) remark(e *session.Event, look style, words string) error {
	if err := q.release(); err != nil {
		return err
	}
	s := stepOf(e)
	s.look, s.details = look, words
	return q.take(&s)
}

func (q *sequence) gap(e *session.Event) error {
	return q.remark(e, wrong, plural(uint64(e.Bytes), "byte")+" missing: "+gapCauses[e.Cause])
}

func (q *sequence) skipped(e *session.Event) error {
	return q.remark(e, wrong, plural(uint64(e.Bytes), "byte")+" skipped: "+e.Reason)
}

func (q *sequence) conflict(e *session.Event) error {
	return q.remark(e, wrong, plural(uint64(e.Bytes), "byte")+" came again with other content")
}

func (q *sequence) proxy(e *session.Event) error {
	return q.remark(e, good, "PROXY protocol: client "+e.Proxy.Source.String())
}

func (q *sequence) ended(e *session.Event) error {
	if err := q.release(); err != nil {
		return err
	}
	last := &e.Conn.TCP.Last
	s := step{conn: e.Conn, end: true, time: last.Time, unknown: last.TimeUnknown, packet: last.Packet, look: faint, details: endWords(e.Conn)}
	return q.take(&s)
}

// endpoints are the addresses of client and server.
func endpoints(c *session.Conn) (client, server string) {
	return c.TCP.Ends[c.Client].String(), c.TCP.Ends[c.Client.Other()].String()
}
