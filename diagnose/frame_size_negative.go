package diagnose

import (
	"encoding/binary"
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

var frameSizeNegative = &Rule{
	Name:     "frame-size-negative",
	Severity: Error,
	Title:    "Frame size of 2^31 or more",
	Meaning: "Sizes are 4 bytes, and peers read them as signed: from 2^31 on they are negative. The receiver closes the connection, and a careless " +
		"one allocates gigabytes or crashes.",
	Advice: "Fix the sender: the size is computed wrongly, or written in the wrong order of bytes (it is big-endian).",
	Blind:  "Sizes further on in a stream whose frames were lost before.",
	Lint:   true,
	Kinds:  []session.Kind{session.BytesSkipped, session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &sizeWatch{r: r, seen: perConn[[2]bool]{}}
		return w.see
	},
}

type sizeWatch struct {
	r    *Reporter
	seen perConn[[2]bool] // by direction: bytes were skipped before
}

func (w *sizeWatch) see(e *session.Event) {
	if e.Kind == session.ConnectionEnd {
		w.seen.end(e.Conn)
		return
	}
	seen := &w.seen.of(e.Conn)[e.Direction]
	first := !*seen
	*seen = true
	side := sender(e.Conn, e.Direction)
	if !first || !e.Conn.TCP.StartKnown(side) || !captured(e.Conn) || e.Conn.Protocol != decode.Pulsar {
		return
	}
	if name, n := negativeSize(e.Conn.FirstBytes[side]); name != "" {
		at := here(e)
		at.Type = "bytes"
		w.r.Warn(about(e), fmt.Sprintf("At byte %d of what the %s sent, the %s size of a frame is %d (%#08x).", e.Offset,
			offender(e.Conn, e.Direction), name, n, n), at)
	}
}

// sender is the side of the connection that sends in a direction.
func sender(c *session.Conn, d decode.Direction) reassembly.Side {
	if d == decode.ClientToServer {
		return c.Client
	}
	return c.Client.Other()
}

// negativeSize looks for a size that is negative to peers at the start of what
// should be a frame, and gives it with its name.
func negativeSize(b []byte) (name string, n uint32) {
	const negative = 1 << 31
	for i, name := range []string{"total", "command"} {
		if len(b) >= 4*i+4 {
			if n := binary.BigEndian.Uint32(b[4*i:]); n >= negative {
				return name, n
			}
		}
	}
	return "", 0
}
