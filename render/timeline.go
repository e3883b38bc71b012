package render

import (
	"io"
	"strconv"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/session"
)

// Timeline is a line for every frame, in order, and for everything that the
// capture lacks.
type Timeline struct {
	rows     lineup
	options  *Options
	wire     wire.Options
	grid     *grid
	line     line
	stamps   stamps
	labelled map[int]bool // open connections whose label has been told
	held     heldFrame    // the latest frame: the exchange that it ends comes behind it
	row      []byte       // the next row, with what is told above it
	scratch  []byte
	warned   bool // it was told what lateMark means
}

// heldFrame is a line that is not written yet.
type heldFrame struct {
	there    bool
	at       cells
	offset   int64
	command  string
	warning  []byte
	details  []byte
	result   []byte
	failed   bool
	latency  int64
	answered bool
	value    []byte // of its first message, by schema; empty: none
	misfit   bool   // value tells why the payload does not fit the schema
	values   int    // messages behind the first
	tree     []string
}

// cells are the parts that all lines about a connection begin with.
type cells struct {
	time   []byte
	ns     int64 // since the Unix epoch
	packet uint64
	conn   int
	dir    decode.Direction
}

// The columns of a timeline.
const (
	timelineTime = iota
	timelinePacket
	timelineConn
	timelineDir
	timelineCommand
	timelineLatency
	timelineDetails
)

// Names of commands are long: terminals that are not wide have less room for
// them.
const (
	narrowWidth = 110
	wideWidth   = 160
)

// NewTimeline makes the face "timeline".
func NewTimeline(w io.Writer, o Options) *Timeline {
	command := 29 // PARTITIONED_METADATA_RESPONSE, the longest that is frequent
	if o.Width > 0 && o.Width < narrowWidth {
		command = 16
	}
	return &Timeline{
		rows: lineup{w: w, live: o.Live}, options: &o, wire: wire.Options{ShowSecrets: o.ShowSecrets, MaxText: maxName}, line: newLine(&o),
		stamps: stamps{wall: o.WallClock, start: o.Start}, labelled: map[int]bool{},
		grid: newGrid(&o, []column{
			timelineTime:    {title: "TIME", width: timeWidth(&o), right: true},
			timelinePacket:  {title: "PACKET", width: 7, right: true},
			timelineConn:    {title: "CONN", width: 4},
			timelineDir:     {width: 1},
			timelineCommand: {title: "COMMAND", width: command},
			timelineLatency: {title: "LATENCY", width: 8, right: true},
			timelineDetails: {title: "DETAILS"},
		}),
	}
}

// timeWidth is the room for times: up to a day of seconds, or a time of day.
func timeWidth(o *Options) int {
	if o.WallClock {
		return len("15:04:05.000000")
	}
	return len("86400.000000")
}

// timelineEvents are the kinds of events that have a line; permits
// have none.
var timelineEvents = [256]func(*Timeline, *session.Event) error{
	session.FrameSeen:      (*Timeline).frame,
	session.MessageSeen:    (*Timeline).value,
	session.ExchangeSeen:   (*Timeline).exchange,
	session.ChunkedMessage: asides(chunkedWords),
	session.GapSeen:        asides(gapWords),
	session.BytesSkipped:   asides(skippedWords),
	session.ConflictSeen:   asides(conflictWords),
	session.ProxySeen:      asides(proxyWords),
	session.BookieSeen:     (*Timeline).bookie,
	session.ConnectionEnd:  (*Timeline).ended,
}

// Event writes the line of an event.
func (t *Timeline) Event(e *session.Event) error {
	show := timelineEvents[e.Kind]
	if show == nil {
		return nil
	}
	if !t.stamps.begun && (e.Kind != session.ExchangeSeen || e.Exchange.Result == session.Unanswered) { // else it only adds to a line
		if err := t.begin(e); err != nil {
			return err
		}
	}
	return show(t, e)
}

// begin writes what stands above the lines.
func (t *Timeline) begin(e *session.Event) error {
	t.stamps.begin(e.Conn.TCP.First.Time)
	if t.grid.terse {
		return nil
	}
	text := appendWrapped(nil, &t.line, faint, "", "Times are "+t.stamps.caption()+".")
	_, err := t.rows.w.Write(append(text, t.heads()...))
	return err
}

func (t *Timeline) heads() []byte {
	titles := newLine(t.options)
	return t.grid.head(&titles)
}

// Waiting says whether the latest frame is not written yet.
func (t *Timeline) Waiting() bool { return t.held.there }

// Idle writes the latest frame: no exchange that it ends is at hand.
func (t *Timeline) Idle(int64) error { return t.release() }

// Close writes the last line.
func (t *Timeline) Close(end *End) error {
	if err := t.release(); err != nil {
		return err
	}
	if t.stamps.begun {
		return t.rows.close()
	}
	return writeNothing(t.rows.w, t.line, end, "no frame was seen")
}

// write writes the line that is made, at its place in time, below what is told
// above it.
func (t *Timeline) write(ns int64) error {
	t.row = append(t.row, t.line.end()...)
	err := t.rows.add(ns, t.row)
	t.row = t.row[:0]
	return err
}

// frame holds the line of a frame, since its latency comes with the exchange.
func (t *Timeline) frame(e *session.Event) error {
	if err := t.introduce(e); err != nil {
		return err
	}
	f, h := e.Frame, &t.held
	h.there, h.answered, h.failed, h.result = true, false, false, h.result[:0]
	t.begins(&h.at, e)
	h.offset = e.Offset
	h.command = f.TypeName()
	h.warning = appendWarnings(h.warning[:0], f)
	t.describe(e)
	return nil
}

// begins fills in what lines begin with.
func (t *Timeline) begins(c *cells, e *session.Event) {
	t.stamp(c, e.At.Time, e.At.TimeUnknown)
	c.packet, c.conn, c.dir = e.At.Packet, e.Conn.ID, e.Direction
}

// lateMark stands before the time of a line that belongs above the one before.
const lateMark = '^'

func (t *Timeline) stamp(c *cells, ns int64, unknown bool) {
	c.ns, c.time = ns, c.time[:0]
	if t.rows.late(ns) && !unknown {
		t.explainMark()
		c.time = append(c.time, lateMark)
	}
	c.time = t.stamps.append(c.time, ns, unknown)
}

// explainMark tells once what lateMark means.
func (t *Timeline) explainMark() {
	if t.warned || t.grid.terse {
		return
	}
	t.warned = true
	t.line.begin()
	t.line.puts(faint, string(lateMark)+" marks what belongs further up, but was not known before.")
	t.row = append(t.row, t.line.end()...)
}

// introduce writes the line before, and what the label of the connection means
// when it is first used.
func (t *Timeline) introduce(e *session.Event) error {
	if err := t.release(); err != nil || t.labelled[e.Conn.ID] {
		return err
	}
	t.labelled[e.Conn.ID] = true
	t.line.begin()
	t.line.put(subject, appendLabel(nil, e.Conn.ID))
	t.line.puts(plain, " = "+e.Conn.Name)
	if e.Conn.TCP.SYNFrom < 0 {
		t.line.puts(faint, "  (under way before the capture began)")
	}
	t.row = append(t.row, t.line.end()...)
	return nil
}

// release writes the line that is held.
func (t *Timeline) release() error {
	h := &t.held
	if !h.there {
		return nil
	}
	h.there = false
	l := &t.line
	t.start(&h.at)
	t.grid.cell(l, timelineCommand, sides[h.at.dir], t.commandName(h.command))
	t.scratch = t.scratch[:0]
	if h.answered {
		t.scratch = appendLatency(t.scratch, h.latency)
	}
	t.grid.cell(l, timelineLatency, faint, t.scratch)
	if len(h.warning) > 0 {
		t.grid.cell(l, timelineDetails, wrong, h.warning)
		l.words(plain, "")
		l.put(plain, h.details)
	} else {
		t.grid.cell(l, timelineDetails, plain, h.details)
	}
	t.putValue()
	if len(h.result) > 0 {
		l.words(resultStyle(h.failed), string(h.result))
	}
	t.putTree()
	return t.write(h.at.ns)
}

// commandName cuts the name of a command where there is little room.
func (t *Timeline) commandName(name string) []byte {
	if t.grid.terse || t.options.Width == 0 || t.options.Width >= narrowWidth {
		return []byte(name)
	}
	return cutToWidth([]byte(name), t.grid.columns[timelineCommand].width)
}

var sides = [...]style{decode.ClientToServer: toServer, decode.ServerToClient: toClient}

// arrows show who sends: the client stands left.
var arrows = [...][2]string{decode.ClientToServer: {"→", ">"}, decode.ServerToClient: {"←", "<"}}

func arrow(g *grid, d decode.Direction) []byte {
	if g.terse {
		return []byte(arrows[d][1])
	}
	return []byte(arrows[d][0])
}

func resultStyle(failed bool) style {
	if failed {
		return wrong
	}
	return faint
}

// start begins a line with what it is about.
func (t *Timeline) start(c *cells) {
	l := &t.line
	l.begin()
	t.grid.cell(l, timelineTime, faint, c.time)
	t.scratch = strconv.AppendUint(t.scratch[:0], c.packet, 10)
	t.grid.cell(l, timelinePacket, faint, t.scratch)
	t.scratch = appendLabel(t.scratch[:0], c.conn)
	t.grid.cell(l, timelineConn, subject, t.scratch)
	t.grid.cell(l, timelineDir, sides[c.dir], arrow(t.grid, c.dir))
}
