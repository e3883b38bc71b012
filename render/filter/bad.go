package filter

import (
	"errors"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/bookie"
	"pulsar-dissect/session"
)

// bad tells of an event of each kind whether something is wrong with it. Kinds
// without a row never are; gaps, skipped bytes and conflicts always.
var bad = map[session.Kind]func(e *session.Event) bool{
	session.FrameSeen:      func(e *session.Event) bool { return badFrame(e.Frame) },
	session.MessageSeen:    badMessage,
	session.ChunkedMessage: func(e *session.Event) bool { return !e.Chunked.Complete || badMessage(e) },
	session.BookieSeen:     func(e *session.Event) bool { return badBookie(e.Bookie) },
	session.ExchangeSeen:   func(e *session.Event) bool { return badResults[e.Exchange.Result] },
	session.GapSeen:        always,
	session.BytesSkipped:   always,
	session.ConflictSeen:   always,
	session.ConnectionEnd:  func(e *session.Event) bool { return badConnection(e.Conn) },
}

func parseBad(value string) (predicate, error) {
	if value != "true" {
		return nil, errors.New("it takes no value; --not turns it round")
	}
	return func(_ *Filter, e *session.Event) bool {
		is := bad[e.Kind]
		return is != nil && is(e)
	}, nil
}

func always(*session.Event) bool { return true }

func badFrame(f *decode.Frame) bool {
	found := f.Incomplete || f.Checksum == decode.ChecksumBad
	f.EachIssue(func(string) { found = true })
	return found
}

func badBookie(f *decode.BookieFrame) bool {
	found := f.Incomplete
	for i := range f.Stored {
		found = found || f.Stored[i].Verdict == bookie.DigestBad
	}
	f.EachIssue(func(string) { found = true })
	return found
}

func badMessage(e *session.Event) bool {
	return e.Message.State != decode.StateOK && e.Message.State != decode.StateChunk
}

// badResults leaves out deliveries that were not acknowledged, or delivered
// again: the end of a capture makes many of the former, and a redelivery may be
// what the consumer asked for.
var badResults = map[session.Result]bool{session.Failed: true, session.Unanswered: true, session.OrphanResponse: true}

func badConnection(c *session.Conn) bool {
	tcp := c.TCP
	lost := tcp.Sides[0].GapBytes + tcp.Sides[1].GapBytes + c.SkippedBytes[0] + c.SkippedBytes[1]
	return lost > 0 && c.Protocol == decode.Pulsar || tcp.Sides[0].Conflicts+tcp.Sides[1].Conflicts > 0 || tcp.Evicted
}
