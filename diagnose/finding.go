package diagnose

import (
	"strconv"

	"pulsar-dissect/session"
)

// Severity of a finding.
type Severity uint8

// The severities.
const (
	Info    Severity = iota // worth knowing
	Warning                 // something is wrong, or will be
	Error                   // something has failed
)

// String is the name that the JSON output uses.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// Subject is what a finding is about. Fields that do not apply are empty.
type Subject struct {
	Conn         string // client-server
	ConnID       int    // number of the connection, -1 for none
	Topic        string
	Subscription string
	Producer     string // name, or id where no name is known
	Consumer     string
	MessageID    string // ledger:entry
}

// Evidence is a frame, or another event, that proves a finding.
type Evidence struct {
	Conn   string
	ConnID int
	Type   string // of the frame, or the kind of the event
	Packet uint64
	File   int   // index of the file that the packet is in; below 0 where it is not known
	Time   int64 // ns since the Unix epoch
	Offset int64 // in its direction's stream
	Dir    string
}

// Finding is one thing that a rule found.
type Finding struct {
	Rule     *Rule
	Severity Severity
	Title    string // a few words; the rule's own where empty
	Detail   string // what happened, in one or two sentences, with numbers
	Advice   string // what to do; the rule's own where empty
	Subject  Subject
	Evidence []Evidence
	Count    int // how often it was found; what was found first is told

	SoFar bool // it is told while nothing comes, as it stands then (Engine.Idle)
	Again bool // it was told so before, as severe
}

// about makes the subject of the event at hand.
func about(e *session.Event) Subject {
	s := Subject{Conn: e.Conn.Name, ConnID: e.Conn.ID}
	if e.Producer != nil {
		s.Topic, s.Producer = e.Producer.Topic, producerName(e.Producer)
	}
	if e.Consumer != nil {
		s.Topic, s.Subscription, s.Consumer = e.Consumer.Topic, e.Consumer.Subscription, consumerName(e.Consumer)
	}
	return s
}

func producerName(p *session.Producer) string {
	if p.Name != "" {
		return p.Name
	}
	return "producer " + strconv.FormatUint(p.ID, 10)
}

func consumerName(c *session.Consumer) string {
	if c.Name != "" {
		return c.Name
	}
	return "consumer " + strconv.FormatUint(c.ID, 10)
}

// here is the event at hand as evidence: its frame, or its place.
func here(e *session.Event) Evidence {
	v := Evidence{Conn: e.Conn.Name, ConnID: e.Conn.ID, Packet: e.At.Packet, Time: e.At.Time, Offset: e.Offset, Dir: e.Direction.String()}
	if e.Frame != nil {
		v.Type = e.Frame.TypeName()
	}
	return v
}

// thisFrame is the frame at hand by reference.
func thisFrame(e *session.Event) session.Ref {
	return session.Ref{Type: e.Frame.Type, Direction: e.Direction, Packet: e.At.Packet, Time: e.At.Time, TimeUnknown: e.At.TimeUnknown, Offset: e.Offset}
}

// frame is a frame known by reference as evidence.
func frame(c *session.Conn, r *session.Ref) Evidence {
	return Evidence{Conn: c.Name, ConnID: c.ID, Type: session.TypeName(r), Packet: r.Packet, Time: r.Time, Offset: r.Offset, Dir: r.Direction.String()}
}

// sides are the frames of an exchange as evidence.
func sides(c *session.Conn, x *session.Exchange) (out []Evidence) {
	if x.HasRequest {
		out = append(out, frame(c, &x.Request))
	}
	if x.HasResponse {
		out = append(out, frame(c, &x.Response))
	}
	return out
}
