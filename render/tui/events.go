package tui

import (
	"slices"
	"strconv"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/render"
	"pulsar-dissect/session"
	"pulsar-dissect/session/trace"
)

// Selection says which events are meant: those that fit all that is set.
type Selection struct {
	Conn   int // -1: of all
	Party  Party
	Topic  string
	Places map[Place]bool // nil: all
	Text   string         // that their line has, in small letters
	Of     *message       // nil: of any, or none
}

// fits says whether an event is meant.
func (s *Selection) fits(e *Entry) bool {
	switch {
	case s.Conn >= 0 && int(e.Conn) != s.Conn, s.Party.Role != NoParty && e.Party != s.Party, s.Topic != "" && e.Topic != s.Topic,
		s.Places != nil && !s.Places[e.Place], s.Of != nil && !s.Of.in(e):
		return false
	}
	return s.Text == "" || has(e.Command+" "+e.Text.Text+" "+e.Topic, s.Text)
}

// eventsPage lists all events.
func eventsPage() page { return newList("Events", Selection{Conn: -1}) }

// list is a page of events, in order.
type list struct {
	name   string
	chosen Selection
	cursor
	entries Entries
	first   int64    // time of the first event of the run, ns since the Unix epoch
	numbers []uint64 // of those that are meant
	looked  uint64   // up to here
	end     bool     // the last one is chosen, and stays so as more come
	height  int
}

func newList(name string, s Selection) *list { return &list{name: name, chosen: s, end: true} }

func (l *list) title() string { return l.name }

func (l *list) keys() string {
	return looked(l.chosen.Text) + "Enter bytes  t message's way  e export  f filter  / find"
}

// take looks at the events that are new.
func (l *list) take(s *Snapshot) {
	if !s.Events.SameRun(&l.entries) {
		l.numbers, l.looked = nil, 0
	}
	l.entries, l.first = s.Events, s.First
	gone, _ := slices.BinarySearch(l.numbers, l.entries.First)
	l.numbers = l.numbers[gone:]
	l.cursor.chosen -= gone
	l.top -= gone
	for n := max(l.looked, l.entries.First); n < l.entries.End; n++ {
		if l.chosen.fits(l.entries.At(n)) {
			l.numbers = append(l.numbers, n)
		}
	}
	l.looked = l.entries.End
	if l.end {
		l.cursor.chosen = len(l.numbers) - 1
	}
	l.keep(len(l.numbers), max(l.height, 1))
}

func (l *list) find(what string) {
	l.chosen.Text = strings.ToLower(what)
	l.numbers, l.looked = nil, 0
}

// current is the event that is chosen; nil if there is none.
func (l *list) current() *Entry {
	if len(l.numbers) == 0 {
		return nil
	}
	return l.entries.At(l.numbers[l.cursor.chosen])
}

func (l *list) press(key string) action {
	if l.move(key, len(l.numbers), max(l.height, 1)) {
		l.end = l.cursor.chosen == len(l.numbers)-1
		return nil
	}
	e := l.current()
	if e == nil {
		return nil
	}
	switch key {
	case "enter":
		return func(m *Model) { m.showFrame(e) }
	case "t":
		return func(m *Model) { m.follow(e) }
	case "e":
		return func(m *Model) { m.askExport(l) }
	}
	return nil
}

// wanted says what to look for to follow the message of an event: by its id, or a
// SEND, which has none yet, by its producer's sequence id.
func (e *Entry) wanted() (w trace.Want, ok bool) {
	switch {
	case e.HasMessage:
		id := e.Message
		w.ID = &id
	case e.HasSequence && e.Producer != "":
		n := e.Sequence
		w.Producer, w.Sequence = e.Producer, &n
	default:
		return w, false
	}
	return w, true
}

// places are where the events lie that are listed and are frames.
func (l *list) places() map[Place]bool {
	places := map[Place]bool{}
	for _, n := range l.numbers {
		if e := l.entries.At(n); e.Kind == session.FrameSeen || e.Kind == session.BookieSeen {
			places[e.Place] = true
		}
	}
	return places
}

// listColumns are where the columns of the list begin.
type listColumns struct{ time, conn, arrow, command, latency, text int }

// wideList is from how many columns on there is room for the longest command that
// is frequent.
const wideList = 110

func columnsOf(p *render.Painter) (c listColumns) {
	command := 16
	if p.Width() >= wideList {
		command = len("PARTITIONED_METADATA_RESPONSE")
	}
	c.time = marginWidth
	c.conn = c.time + len("86400.000000") + gap
	c.arrow = c.conn + len("c10000") + gap
	c.command = c.arrow + 1 + gap
	c.latency = c.command + command + gap
	c.text = c.latency + len("2.97 ms") + gap
	return c
}

func (l *list) draw(p *render.Painter, height int) []string {
	l.height = height - 1
	l.keep(len(l.numbers), max(l.height, 1))
	lines := []string{listHeads(p)}
	if len(l.numbers) == 0 {
		p.Begin()
		p.To(marginWidth)
		p.Put(render.Cell{Style: render.Faint, Text: l.none()})
		return append(lines, p.End())
	}
	for i := l.top; i < min(l.top+l.height, len(l.numbers)); i++ {
		lines = append(lines, l.line(p, l.entries.At(l.numbers[i]), i == l.cursor.chosen))
	}
	return lines
}

func (l *list) none() string {
	if l.entries.First > 0 {
		return "None of the latest " + render.CountText(l.entries.End-l.entries.First) + " events; older ones are not kept (--limit-tui-events)."
	}
	return "No such event so far."
}

func listHeads(p *render.Painter) string {
	at := columnsOf(p)
	p.Begin()
	for _, c := range []struct {
		at    int
		title string
	}{{at.conn - gap - len("TIME"), "TIME"}, {at.conn, "CONN"}, {at.command, "COMMAND"}, {at.latency, "LATENCY"}, {at.text, "DETAILS"}} {
		p.To(c.at)
		p.Put(render.Cell{Style: render.Heading, Text: c.title})
	}
	return p.End()
}

// arrows show who sends: the client stands left.
var arrows = [...]render.Cell{
	decode.ClientToServer: {Style: render.ToServer, Text: "→"}, decode.ServerToClient: {Style: render.ToClient, Text: "←"},
}

func (l *list) line(p *render.Painter, e *Entry, chosen bool) string {
	p.Begin()
	put := func(at int, c render.Cell) {
		if chosen {
			c.Style = render.Chosen
		}
		p.To(at)
		p.Put(c)
	}
	if chosen {
		put(0, render.Cell{Text: marker})
	}
	columns, at := columnsOf(p), l.time(e)
	put(columns.time+max(0, columns.conn-gap-columns.time-len(at)), render.Cell{Style: render.Faint, Text: at})
	put(columns.conn, render.Cell{Style: render.About, Text: render.ConnText(int(e.Conn))})
	put(columns.arrow, arrows[e.Direction])
	put(columns.command, render.Cell{Text: render.CutText(e.Command, columns.latency-columns.command-gap)})
	if e.HasLatency {
		put(columns.latency, render.Cell{Style: render.Faint, Text: render.LatencyText(e.Latency)})
	}
	put(columns.text, e.Text)
	return p.End()
}

func (l *list) time(e *Entry) string {
	if e.NoTime {
		return "packet " + strconv.FormatUint(e.Packet, 10)
	}
	return render.SecondsText(e.Time - l.first)
}
