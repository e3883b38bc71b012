package render

import (
	"encoding/json"
	"io"

	"pulsar-dissect/session"
	"pulsar-dissect/session/trace"
)

// Trace is the face "trace": what happened to messages, step by step, with the
// time since the step before. It writes all at the end.
type Trace struct {
	w       io.Writer
	options Options
	trace   *trace.Trace
}

// NewTrace makes the face "trace".
func NewTrace(w io.Writer, o Options, want trace.Want) *Trace {
	return &Trace{w: w, options: o, trace: trace.New(want, o.Limits.Trace)}
}

// Event looks at an event.
func (t *Trace) Event(e *session.Event) error {
	t.trace.Add(e)
	return nil
}

// Close writes the stories.
func (t *Trace) Close(end *End) error {
	steps := t.trace.Steps()
	switch {
	case t.options.Format == JSONLines:
		return t.records(steps)
	case len(steps) == 0:
		return writeNothing(t.w, newLine(&t.options), end, "no such message was seen")
	}
	return t.sheet(steps, firstTime(end)).print(t.w, &t.options)
}

// since is the time from the step before in the same story, ns; 0 for its
// first.
func since(steps []trace.Step, i int) int64 {
	if i == 0 || steps[i-1].Story != steps[i].Story {
		return 0
	}
	return steps[i].Time - steps[i-1].Time
}

func (t *Trace) sheet(steps []trace.Step, first int64) *sheet {
	s := &sheet{kind: "step", title: "STEPS", first: true, columns: []sheetColumn{
		{title: "MESSAGE", name: "message", right: true, spare: 1}, {title: "TIME", name: "time", right: true}, {title: "SINCE", name: "since", right: true},
		{title: "PACKET", name: "packet", right: true, spare: 2}, {title: "STEP"}, {title: "ID", name: "id"},
		{title: "TOPIC", name: "topic", least: 12, names: true}, {title: "WHO", name: "who", least: 12, names: true},
		{title: "TOOK", name: "took", right: true, spare: 4}, {title: "REDELIVERY", name: "redelivery_count", right: true, spare: 3},
		{title: "NOTE", name: "note", least: 10}, {title: "CONNECTION", name: "conn", least: 20, names: true, spare: 5},
	}}
	clock := stamps{wall: t.options.WallClock}
	clock.begin(first)
	for i := range steps {
		s.rows = append(s.rows, stepCells(&clock, &steps[i], since(steps, i)))
	}
	s.dropBlank(0)
	s.note = "Times are " + clock.caption() + "."
	if t.trace.LetGo > 0 {
		s.note += " Not everything is here: there was too much of it."
	}
	return s
}

func stepCells(clock *stamps, x *trace.Step, since int64) []styled {
	cells := []styled{{faint, countText(x.Story + 1)}, {faint, string(clock.append(nil, x.Time, false))}, {}, {faint, countText(x.Packet)},
		{subject, x.What}, {}, {plain, string(appendTopic(nil, x.Topic))}, {plain, shown(x.Who)}, {}, {}, {plain, shown(x.Detail)}, {faint, x.Conn}}
	if since != 0 {
		cells[2].text = latencyText(since)
	}
	if x.HasID {
		cells[5].text = x.ID.String()
	}
	if x.Latency != 0 {
		cells[8].text = latencyText(x.Latency)
	}
	if x.Again > 0 {
		cells[9] = styled{doubtful, countText(uint64(x.Again))}
	}
	return cells
}

type stepRecord struct {
	Kind    string        `json:"kind"`
	Time    instant       `json:"time"`
	Packet  uint64        `json:"packet"`
	Conn    string        `json:"conn"`
	ConnID  int           `json:"conn_id"`
	Message int           `json:"message"`
	Step    string        `json:"step"`
	Since   int64         `json:"since_ns"`
	Topic   wireText      `json:"topic,omitempty"`
	Who     wireText      `json:"who,omitempty"`
	ID      *stepIDRecord `json:"entry,omitempty"`
	Again   uint32        `json:"redelivery_count,omitempty"`
	Latency int64         `json:"latency_ns,omitempty"`
	Note    wireText      `json:"note,omitempty"`
}

type stepIDRecord struct {
	Ledger uint64 `json:"ledgerId"`
	Entry  uint64 `json:"entryId"`
}

func (t *Trace) records(steps []trace.Step) error {
	for i := range steps {
		x := &steps[i]
		r := stepRecord{Kind: "step", Time: instant(x.Time), Packet: x.Packet, Conn: x.Conn, ConnID: x.ConnID, Message: x.Story + 1, Step: x.What,
			Since: since(steps, i), Topic: wireText(x.Topic), Who: wireText(x.Who), Again: x.Again, Latency: x.Latency, Note: wireText(x.Detail)}
		if x.HasID {
			r.ID = &stepIDRecord{x.ID.Ledger, x.ID.Entry}
		}
		b, err := json.Marshal(&r)
		if err != nil {
			return err
		}
		if _, err := t.w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}
