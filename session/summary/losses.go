package summary

import (
	"pulsar-dissect/decrypt"
	"pulsar-dissect/session"
)

// Gaps counts bytes that the capture does not have.
type Gaps struct {
	Lost
	Acked      uint64 // gaps whose bytes the peer had: the capture lost them
	AckedBytes int64
}

// Lost counts stretches of bytes.
type Lost struct {
	Noted
	Bytes int64
}

func (l *Lost) add(e *session.Event, text string) {
	l.note(e, text)
	l.Bytes += e.Bytes
}

func (s *Summary) gap(e *session.Event) {
	g := &s.Gaps[e.Cause]
	g.add(e, "")
	if e.Acked {
		g.Acked++
		g.AckedBytes += e.Bytes
	}
}

// AllGaps gives the gaps of all causes together, without examples.
func (s *Summary) AllGaps() (all Gaps) {
	for i := range s.Gaps {
		g := &s.Gaps[i]
		all.Count += g.Count
		all.Bytes += g.Bytes
		all.Acked += g.Acked
		all.AckedBytes += g.AckedBytes
	}
	return all
}

func (s *Summary) skip(e *session.Event) {
	lost, reasons := &s.Skipped, &s.skipped
	if decrypt.FactsOf(e.Conn.TCP) != nil {
		lost, reasons = &s.Sealed, &s.sealed
	}
	lost.add(e, e.Reason)
	*reasons.row(e.Reason, len(e.Reason)) += uint64(e.Bytes)
}

// SkippedReasons gives the bytes in which no frame was found, by reason.
func (s *Summary) SkippedReasons() []Named { return named(&s.skipped) }

// SealedReasons gives the bytes of TLS that could not be opened, by reason.
func (s *Summary) SealedReasons() []Named { return named(&s.sealed) }

func (s *Summary) conflict(e *session.Event) { s.Conflicts.add(e, "") }

func (s *Summary) proxy(*session.Event) { s.Proxies++ }

// TCP counts what the connections of a run had below their streams.
type TCP struct {
	Bytes          int64 // of the streams, captured
	Retransmitted  uint64
	OutOfOrder     uint64
	WrongChecksums uint64
	ZeroWindows    uint64
	EarlyBytes     int64 // that came before offset 0, left out
	Evicted        uint64
}

func (s *Summary) connection(e *session.Event) {
	c := e.Conn
	s.Connections[c.Protocol]++
	for i := range c.TCP.Sides {
		side := &c.TCP.Sides[i]
		s.TCP.Bytes += side.Bytes
		s.TCP.Retransmitted += side.Retransmitted
		s.TCP.OutOfOrder += side.OutOfOrder
		s.TCP.WrongChecksums += side.WrongChecksums
		s.TCP.ZeroWindows += side.ZeroWindows
		s.TCP.EarlyBytes += side.EarlyBytes
	}
	if c.TCP.Evicted {
		s.TCP.Evicted++
	}
}
