package otlp

import (
	"crypto/sha256"
	"encoding/binary"

	"pulsar-dissect/session"
)

// maker makes ids of what they stand for.
type maker struct{ buf []byte }

// entryTrace is the trace of an entry: the same wherever it is seen. One of a
// topic that is not stored has no place, and is told by its frame.
func (m *maker) entryTrace(topic string, id session.MessageID) traceID {
	b := append(append(m.buf[:0], "entry "...), topic...)
	return m.trace(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, id.Ledger), id.Entry))
}

// frameTrace is the trace of what begins with a frame.
func (m *maker) frameTrace(c *session.Conn, at *session.Ref) traceID {
	return m.trace(place(append(m.buf[:0], "frame "...), c, at))
}

// span is the id of a span of a trace, by what it is and the frames that it is
// about.
func (m *maker) span(t traceContext, name string, c *session.Conn, frames ...*session.Ref) (id spanID) {
	b := append(append(append(m.buf[:0], t.trace[:]...), t.parent[:]...), name...)
	for _, f := range frames {
		b = place(b, c, f)
	}
	sum := sha256.Sum256(b)
	m.buf = b
	copy(id[:], sum[:])
	return id
}

func (m *maker) trace(b []byte) (id traceID) {
	sum := sha256.Sum256(b)
	m.buf = b
	copy(id[:], sum[:])
	return id
}

// place appends what tells a frame from all others.
func place(b []byte, c *session.Conn, at *session.Ref) []byte {
	b = append(append(b, c.Name...), byte(at.Direction))
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, uint64(at.Time)), uint64(at.Offset))
}
