package diagnose

import (
	"cmp"
	"fmt"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/decrypt"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
)

var captureQuality = &Rule{
	Name:     "capture-quality",
	Severity: Info,
	Title:    "What this capture cannot show",
	Meaning: "The capture does not hold all that passed. Findings that depend on what is missing are left out, and counts are lower than " +
		"what was on the wire.",
	Advice: "Capture whole packets (tcpdump -s 0) of both directions on one interface, begin before the clients connect, and give the capture " +
		"a larger buffer (tcpdump -B 65536) where packets are lost.",
	Blind: "Whole connections that were not captured.",
	Kinds: []session.Kind{session.GapSeen, session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		w := &qualityWatch{r: r}
		return w.see
	},
}

// lack is one way in which a capture falls short: how often, and where first.
type lack struct {
	count, bytes int64
	evidence     []Evidence
}

func (l *lack) add(bytes int64, v Evidence) {
	l.count++
	l.bytes += bytes
	if len(l.evidence) < evidenceKept {
		l.evidence = append(l.evidence, v)
	}
}

type qualityWatch struct {
	r                        *Reporter
	gaps, cut, dropped       lack // by cause
	oneWay, headless, sealed lack // connections
	backwards                lack
	readable                 int    // connections of Pulsar
	why                      string // the first of sealed was not opened
	furthest                 int64  // ns that packet times went back at most
	segments, twice          uint64
	firstTwice               Evidence
}

func (w *qualityWatch) see(e *session.Event) {
	switch e.Kind {
	case session.RunEnd:
		w.finish()
		return
	case session.GapSeen:
		v := here(e)
		v.Type = "gap"
		w.lackOf(e.Cause).add(e.Bytes, v)
	case session.ConnectionEnd:
		w.connection(e.Conn)
	}
}

func (w *qualityWatch) lackOf(c reassembly.Cause) *lack {
	return [...]*lack{&w.gaps, &w.cut, &w.dropped}[c]
}

// connection looks at what a connection lacks. Those that may be Pulsar's
// count: frames were seen, or TLS.
func (w *qualityWatch) connection(c *session.Conn) {
	if c.Protocol != decode.Pulsar && c.Protocol != decode.TLS {
		return
	}
	t := c.TCP
	bytes := t.Sides[0].Bytes + t.Sides[1].Bytes
	start := packet(c, "connection", t.First, decode.ClientToServer)
	switch {
	case !bothWays(c):
		w.oneWay.add(bytes, start)
	case !t.StartKnown(0) || !t.StartKnown(1):
		w.headless.add(0, start)
	}
	if f := decrypt.FactsOf(t); c.Protocol == decode.TLS && f != nil && len(f.Alerts) == 0 {
		w.sealed.add(bytes, start)
		w.why = cmp.Or(w.why, f.Why)
	}
	if c.Protocol == decode.Pulsar {
		w.readable++
	}
	if t.Backwards > stepBack {
		w.furthest = max(w.furthest, t.Backwards)
		w.backwards.add(0, start)
	}
	for side := range t.Sides {
		w.copies(&t.Sides[side], start)
	}
}

func (w *qualityWatch) copies(st *reassembly.Stats, start Evidence) {
	if w.twice == 0 && st.Twice > 0 {
		w.firstTwice = start
	}
	w.segments += st.Segments
	w.twice += st.Twice
}

// stepBack is how far packet times may go back without being a step of the
// clock: captures of several queues or interfaces are out of order by less.
const stepBack = int64(time.Second)

func (w *qualityWatch) finish() {
	w.report(Warning, "Bytes are missing from the capture", &w.gaps, "%s, %s in all, are not in the capture although they were sent.", "gap")
	w.report(Warning, "Packets were cut by the snap length", &w.cut, "%s where the snap length cut packets, %s in all.", "gap")
	w.report(Warning, "Bytes were given up for lack of memory", &w.dropped, "%s where a limit of this program was hit, %s in all; raise it.", "gap")
	w.report(Warning, "One direction only", &w.oneWay, "Of %s only one direction was captured (%s): answers, latencies and permits cannot be told.", "connection")
	w.report(Info, "Connections began before the capture", &w.headless, "%s began before the capture or without their SYN: names of topics, producers and consumers may be unknown.", "connection")
	w.withoutKeys()
	w.report(Info, "The capture's clock stepped back", &w.backwards, "On %s packet times went back, by "+lasting(w.furthest)+" at most: latencies across that are wrong.", "connection")
	if w.segments > 0 && w.twice*100 >= w.segments*uint64(w.r.Thresholds.TwicePercent) {
		w.r.Report(Finding{Title: "Packets were captured twice", Subject: Subject{ConnID: -1}, Evidence: []Evidence{w.firstTwice},
			Advice: "Capture on one interface rather than on any, or on one side of a mirrored port. The copies are left out of all counts but those of TCP.",
			Detail: fmt.Sprintf("%d of %d segments with data came twice within a millisecond.", w.twice, w.segments)})
	}
}

// withoutKeys tells of TLS that could not be opened: a warning where nothing else
// could be read.
func (w *qualityWatch) withoutKeys() {
	if w.sealed.count == 0 {
		return
	}
	detail := fmt.Sprintf("%s could not be read for lack of keys (%s)", counted(w.sealed.count, "TLS connection"), size(w.sealed.bytes))
	if w.why != "" {
		detail += ": " + w.why
	}
	severity := Info
	if w.readable == 0 {
		severity = Warning
	}
	w.r.Report(Finding{
		Severity: severity, Title: "TLS without keys", Subject: Subject{ConnID: -1}, Evidence: w.sealed.evidence, Count: int(w.sealed.count), Detail: detail + ".",
		Advice: "Let the client write the secrets of its connections to a key log (SSLKEYLOGFILE; of Java an agent) from before it connects, and give that with " +
			"--tls-keylog. A key log is of use for the connections that it was written for alone.",
	})
}

// report tells of a lack. The format takes how many there are, and where it
// has a second verb the bytes.
func (w *qualityWatch) report(s Severity, title string, l *lack, format, thing string) {
	if l.count == 0 {
		return
	}
	args := []any{counted(l.count, thing)}
	if l.bytes > 0 {
		args = append(args, size(l.bytes))
	}
	w.r.Report(Finding{Severity: s, Title: title, Subject: Subject{ConnID: -1}, Evidence: l.evidence, Count: int(l.count), Detail: fmt.Sprintf(format, args...)})
}
