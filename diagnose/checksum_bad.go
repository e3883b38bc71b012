package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var checksumBad = &Rule{
	Name:     "checksum-bad",
	Severity: Error,
	Title:    "CRC32-C of a message does not match",
	Meaning: "The checksum that was sent with the entry is not that of its metadata and payload. A broker refuses such a SEND; " +
		"a client throws such a MESSAGE away and asks for it again.",
	Advice: "On a SEND: look at the producer's application, which may change its buffer after handing it over, and at what lies " +
		"between client and capture. On a MESSAGE: compare with the SEND of the same entry; if that was right, broker or storage changed it.",
	Blind:  "Where bytes were damaged before the first capture point.",
	Frames: []pb.BaseCommand_Type{pb.BaseCommand_SEND, pb.BaseCommand_MESSAGE},
	Start: func(r *Reporter) Watch {
		w := &checksumWatch{r: r}
		return w.see
	},
}

type checksumWatch struct {
	r    *Reporter
	seen []passage // the latest: a ring once it is full
	next int       // place that is taken next
}

// passagesKept is how many of the latest entries are remembered. They are looked
// through only when an entry has a wrong checksum.
const passagesKept = 16_384

// passage is where an entry passed with a right checksum.
type passage struct {
	sum    uint32 // that was stated, which no hop changes
	conn   string
	id     int
	typ    int32
	dir    decode.Direction
	packet uint64
	time   int64
	offset int64
}

func (w *checksumWatch) see(e *session.Event) {
	if e.Kind != session.FrameSeen {
		return
	}
	switch f := e.Frame; f.Checksum {
	case decode.ChecksumOK:
		w.keep(e)
	case decode.ChecksumBad:
		v := Finding{Severity: Error, Subject: about(e), Evidence: []Evidence{here(e)}}
		v.Detail = fmt.Sprintf("%s states checksum %08x, its bytes have %08x.", f.TypeName(), f.StoredChecksum, f.ComputedChecksum)
		if p := w.find(f.StoredChecksum); p != nil {
			v.Detail += fmt.Sprintf(" As %s on %s, %s before, the same entry was right: it was damaged between there and here.", decode.TypeName(p.typ), p.conn,
				lasting(e.At.Time-p.time))
			v.Evidence = append(v.Evidence, Evidence{Conn: p.conn, ConnID: p.id, Type: decode.TypeName(p.typ), Packet: p.packet, Time: p.time, Offset: p.offset,
				Dir: p.dir.String()})
		} else {
			v.Detail += " No hop on which it was right is in the capture."
		}
		w.r.Report(v)
	}
}

func (w *checksumWatch) keep(e *session.Event) {
	if len(w.seen) < passagesKept {
		w.seen = append(w.seen, passage{})
	}
	w.seen[w.next] = passage{e.Frame.StoredChecksum, e.Conn.Name, e.Conn.ID, e.Frame.Type, e.Direction, e.At.Packet, e.At.Time, e.Offset}
	w.next = (w.next + 1) % passagesKept
}

// find gives the first passage of a checksum that is remembered, nil if none is.
func (w *checksumWatch) find(sum uint32) *passage {
	oldest := w.next
	if len(w.seen) < passagesKept {
		oldest = 0
	}
	for _, part := range [...][]passage{w.seen[oldest:], w.seen[:oldest]} {
		for i := range part {
			if part[i].sum == sum {
				return &part[i]
			}
		}
	}
	return nil
}
