package diagnose

import (
	"fmt"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

var streamDesync = &Rule{
	Name:     "stream-desync",
	Severity: Error,
	Title:    "Sizes of frames stop making sense inside a stream",
	Meaning: "Where a frame should begin there are bytes that are none: the sender wrote a wrong size, wrote two frames into each other, or " +
		"lost its place. The receiver closes the connection, or reads garbage.",
	Advice: "Look at the last frame before it, and at the sender's version: frames written by two threads at once, and buffers used again after a " +
		"wrong checksum, are known causes.",
	Blind:  "Whether the bytes were changed on the way; TCP's checksum rarely lets that through.",
	Frames: []pb.BaseCommand_Type{OddFrames},
	Kinds:  []session.Kind{session.BytesSkipped, session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &desyncWatch{r: r, bad: perConn[[2]*Evidence]{}}
		return w.see
	},
}

type desyncWatch struct {
	r   *Reporter
	bad perConn[[2]*Evidence] // by direction: the last frame with a wrong checksum
}

// lostPlace are the reasons for skipping bytes that tell of a lost place.
var lostPlace = map[string]bool{"search for the next frame": true, "no frame boundary": true}

func (w *desyncWatch) see(e *session.Event) {
	switch e.Kind {
	case session.FrameSeen:
		if e.Frame.Checksum == decode.ChecksumBad {
			v := here(e)
			w.bad.of(e.Conn)[e.Direction] = &v
		}
	case session.BytesSkipped:
		if lostPlace[e.Reason] && e.Conn.Frames[e.Direction] > 0 && captured(e.Conn) {
			w.report(e)
		}
	case session.ConnectionEnd:
		w.bad.end(e.Conn)
	}
}

func (w *desyncWatch) report(e *session.Event) {
	at := here(e)
	at.Type = "bytes"
	f := Finding{Severity: Error, Subject: about(e), Evidence: []Evidence{at}}
	f.Detail = fmt.Sprintf("From byte %d of what the %s sent, %s are no frame (%s).", e.Offset, party(e.Direction), size(e.Bytes), e.Reason)
	if bad := w.bad[e.Conn.ID]; bad != nil && bad[e.Direction] != nil {
		f.Evidence = append(f.Evidence, *bad[e.Direction])
		f.Detail += fmt.Sprintf(" Before it came a %s with a wrong checksum (packet %d).", bad[e.Direction].Type, bad[e.Direction].Packet)
	}
	w.r.Report(f)
}
