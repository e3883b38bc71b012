package render

import (
	"pulsar-dissect/decode"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
	"pulsar-dissect/session/summary"
)

// What a side of a comparison keeps of names from the wire.
const (
	keptNames     = 1_000 // of a kind
	keptNameBytes = 256   // of each
)

// otherNames stands for names beyond keptNames.
const otherNames = "others"

// Side is one of two runs that are compared. It writes nothing.
type Side struct {
	files      []string
	summary    *summary.Summary
	ends       tally // connections by protocol and how they ended
	versions   tally // connections by what their sides state
	unstarted  uint64
	oneWay     uint64
	findings   map[findingKey]*foundAlike
	diagnosed  bool
	ruleLimits []summary.Hit
}

// NewSide makes the face that counts one of two runs. files are the names of
// its captures, l the limits of its counts.
func NewSide(files []string, l summary.Limits) *Side {
	return &Side{
		files: files, summary: summary.New(l), ends: tally{}, versions: tally{}, findings: map[findingKey]*foundAlike{},
	}
}

// Event counts an event.
func (s *Side) Event(e *session.Event) error {
	s.summary.Add(e)
	if e.Kind == session.ConnectionEnd {
		s.connection(e.Conn)
	}
	return nil
}

func (s *Side) connection(c *session.Conn) {
	s.ends[c.Protocol.String()+", "+closed(c)]++
	if c.Protocol != decode.Pulsar {
		return
	}
	for _, v := range []struct{ of, text string }{
		{"client ", c.ClientVersion}, {"broker ", c.ServerVersion},
		{"client protocol ", protocolText(c.ClientProtocol)}, {"broker protocol ", protocolText(c.ServerProtocol)},
	} {
		if v.text != "" {
			s.versions.addName(v.of + v.text)
		}
	}
	if !c.TCP.StartKnown(0) || !c.TCP.StartKnown(1) {
		s.unstarted++
	}
	if (c.TCP.Sides[0].Packets == 0) != (c.TCP.Sides[1].Packets == 0) {
		s.oneWay++
	}
}

func protocolText(version int32) string {
	if version < 0 {
		return ""
	}
	return "v" + countText(int(version))
}

// addName counts a name from the wire.
func (t tally) addName(name string) {
	name = name[:min(len(name), keptNameBytes)]
	if _, ok := t[name]; !ok && len(t) >= keptNames {
		name = otherNames
	}
	t[name]++
}

// Consumer has no use for verdicts.
func (s *Side) Consumer(*dispatch.Verdict, decode.Position) error { return nil }

// Findings takes what rules found.
func (s *Side) Findings(d *Diagnosis) error {
	s.diagnosed, s.ruleLimits = true, d.Hits
	s.summary.Stand(d.Stand)
	for _, f := range d.Found {
		key := keyOf(f)
		alike := s.findings[key]
		if alike == nil {
			alike = &foundAlike{first: f}
			s.findings[key] = alike
		}
		alike.count += uint64(f.Count)
	}
	return nil
}

// Close takes what is known at the end of the run.
func (s *Side) Close(end *End) error {
	s.summary.Finish(end.Totals)
	return nil
}

// seconds is how long the run lasts, 0 if that is not known.
func (s *Side) seconds() float64 {
	first, last, _ := s.summary.Span()
	return float64(last-first) / 1e9
}

// lost is what the capture itself lacks or spoils, by what it is.
func (s *Side) lost() tally {
	t, n := s.summary, tally{}
	for cause := range t.Gaps {
		n.add("bytes missing: "+reassembly.Cause(cause).String(), uint64(t.Gaps[cause].Bytes))
	}
	n.add("segments cut by the snap length", t.Totals.Segments.Cut)
	n.add("frames not whole", t.Incomplete.Count)
	n.add("bytes in which no frame was found", uint64(t.Skipped.Bytes))
	n.add("bytes of TLS not opened", uint64(t.Sealed.Bytes))
	n.add("bytes that came again with other content", uint64(t.Conflicts.Bytes))
	n.add("connections whose start is missing", s.unstarted)
	n.add("connections with one direction only", s.oneWay)
	for _, h := range append(t.Hits(), s.ruleLimits...) {
		if !h.Usual {
			n.add("limit "+h.Name, h.Count)
		}
	}
	return n
}
