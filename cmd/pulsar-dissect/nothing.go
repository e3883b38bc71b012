package main

import (
	"fmt"
	"strings"
	"time"

	"pulsar-dissect/decode"
	"pulsar-dissect/render"
	"pulsar-dissect/render/filter"
	"pulsar-dissect/session"
)

// seen is what a run came across, whatever was shown of it: where that is
// nothing, it tells why.
type seen struct {
	filter      *filter.Filter
	captured    string                  // how what was captured can be looked at again; empty: it cannot
	connections [decode.Unknown + 1]int // that --conn lets through, by Protocol
	frames      uint64                  // of Pulsar, whatever the filters say
	from, to    int64                   // times of events, ns since the Unix epoch
}

// lookAgain says which command tells of what was captured. Live packets are
// kept only where -w names one file.
func (o *options) lookAgain() string {
	switch {
	case !o.live:
		return " ('pulsar-dissect analyze' says what was)"
	case o.written != "":
		return " ('pulsar-dissect analyze " + o.written + "' says what was)"
	}
	return ""
}

// look looks at an event.
func (s *seen) look(e *session.Event) {
	if s.from == 0 {
		s.from = e.At.Time
	}
	s.from, s.to = min(s.from, e.At.Time), max(s.to, e.At.Time)
	if e.Kind == session.FrameSeen {
		s.frames++
	}
	if s.filter.Empty() {
		if e.Kind == session.ConnectionEnd {
			s.connections[e.Conn.Protocol]++
		}
		return
	}
	s.filter.Notice(e)
	if e.Kind == session.ConnectionEnd && s.filter.MeansConn(e) {
		s.connections[e.Conn.Protocol]++
	}
}

// why says why nothing was shown, if nothing was.
func (s *seen) why() render.Nothing {
	if s.connections[decode.Pulsar] == 0 {
		if text := s.notPulsar(); text != "" {
			return render.Nothing{Why: text}
		}
	}
	if flag, typed, ok := s.filter.Unmet(); ok {
		return render.Nothing{Why: "nothing here fits " + typed + s.hint(flag)}
	}
	return render.Nothing{Filtered: !s.filter.Empty()}
}

// judgedNothing says whether there was nothing that --fail-on could judge, and
// tells so: a script must not take that for a capture in which all is well.
func (s *seen) judgedNothing(on severity, c *console) bool {
	if !on.set || s.frames > 0 {
		return false
	}
	why := s.why().Why
	if why == "" {
		why = "no frame of Pulsar could be read"
	}
	c.tell("--fail-on had nothing to judge: " + why)
	return true
}

// others are what connections may be instead of Pulsar, and what helps.
var others = []struct {
	protocol   decode.Protocol
	name, help string
}{
	{decode.TLS, "TLS that could not be opened", "give the keys with --tls-keylog or --tls-key"},
	{decode.BookKeeper, "with a bookie", ""},
	{decode.HTTP, "HTTP", ""},
	{decode.Unknown, "of a protocol that is not known", "--port PORT takes it for Pulsar"},
	{decode.Empty, "without data", ""},
}

// notPulsar says what connections are, where none is Pulsar; empty where none
// is meant.
func (s *seen) notPulsar() string {
	var what, helps []string
	total := 0
	for _, o := range others {
		if n := s.connections[o.protocol]; n > 0 {
			total += n
			what = append(what, fmt.Sprintf("%d %s", n, o.name))
			if o.help != "" {
				helps = append(helps, o.help)
			}
		}
	}
	switch {
	case total == 0 && s.to == 0:
		return "no TCP connection was captured" + s.captured
	case total == 0:
		return ""
	}
	text := "no Pulsar in this capture; of its TCP connections "
	if !s.filter.Empty() {
		text = "no Pulsar here; of the TCP connections "
	}
	text += strings.Join(what, ", ")
	if len(helps) > 0 {
		text += ": " + strings.Join(helps, ", ")
	}
	return text
}

// lists are the commands that list what a filter may name.
var lists = map[string]string{
	"type": "stats --by command", "topic": "stats --by topic", "conn": "analyze -o compact", "producer": "stats --by producer",
	"consumer": "stats --by consumer", "request-id": "pairs",
}

func (s *seen) hint(flag string) string {
	if flag == "since" || flag == "until" {
		return fmt.Sprintf(" (the capture goes from %s to %s)", moment(s.from), moment(s.to))
	}
	if lists[flag] == "" {
		return ""
	}
	return " ('pulsar-dissect " + lists[flag] + "' lists what there is)"
}

func moment(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000Z") }
