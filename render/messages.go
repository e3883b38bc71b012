package render

import (
	"io"

	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Messages is a line for every message. The line of a SEND waits for its
// receipt, which tells the message's id, and the lines behind it wait with it,
// so that all stay in order; within limits.
type Messages struct {
	w       io.Writer
	options *Options
	grid    *grid
	line    line
	head    line
	stamps  stamps
	rows    waitingRows
	scratch []byte
	value   []byte // of the message at hand, by its schema; empty: none
	misfit  error  // why the payload does not fit it
}

// The columns of messages.
const (
	messagesTime = iota
	messagesPacket
	messagesConn
	messagesDir
	messagesTopic
	messagesID
	messagesBatch
	messagesSize
	messagesCodec
	messagesKey
	messagesDetails
)

// NewMessages makes the face "messages".
func NewMessages(w io.Writer, o Options) *Messages {
	topic := 32
	if o.Width > 0 {
		topic = min(max(o.Width/5, 12), topic)
	}
	return &Messages{
		w: w, options: &o, line: newLine(&o), head: newLine(&o), stamps: stamps{wall: o.WallClock, start: o.Start},
		rows: newWaitingRows(maxWaitingRows, maxWaitingBytes),
		grid: newGrid(&o, []column{
			messagesTime:    {title: "TIME", width: timeWidth(&o), right: true},
			messagesPacket:  {title: "PACKET", width: 7, right: true},
			messagesConn:    {title: "CONN", width: 4},
			messagesDir:     {width: 1},
			messagesTopic:   {title: "TOPIC", width: topic, cut: true, names: true},
			messagesID:      {title: "ID", width: 12},
			messagesBatch:   {title: "INDEX", width: 7},
			messagesSize:    {title: "SIZE", width: 8, right: true},
			messagesCodec:   {title: "CODEC", width: 6},
			messagesKey:     {title: "KEY", width: 12},
			messagesDetails: {title: "DETAILS"},
		}),
	}
}

// Event takes the next message, or what became of a SEND.
func (m *Messages) Event(e *session.Event) error {
	switch e.Kind {
	case session.MessageSeen, session.ChunkedMessage:
		return m.message(e)
	case session.ExchangeSeen:
		if e.Exchange.Kind == session.Send && e.Exchange.HasRequest {
			m.rows.settle(placeOf(e.Conn.ID, &e.Exchange.Request), m.idOf(e.Exchange))
			return m.release(false)
		}
	case session.ConnectionEnd:
		m.rows.settleAll(e.Conn.ID)
		return m.release(false)
	}
	return nil
}

// idOf is the id that a SEND was stored under, or what came in its place.
func (m *Messages) idOf(x *session.Exchange) []byte {
	switch {
	case x.HasID:
		m.scratch = appendEntryID(m.scratch[:0], &x.ID)
	case x.Result == session.Failed:
		m.scratch = append(m.scratch[:0], "refused"...)
	default:
		m.scratch = append(m.scratch[:0], '-')
	}
	return m.scratch
}

// Waiting says whether lines wait for receipts.
func (m *Messages) Waiting() bool { return m.rows.len() > 0 }

// Close writes the lines that are left.
func (m *Messages) Close(end *End) error {
	if m.stamps.begun {
		return m.release(true)
	}
	return writeNothing(m.w, m.line, end, "no message was seen")
}

func (m *Messages) write(text []byte) error {
	_, err := m.w.Write(text)
	return err
}

func (m *Messages) message(e *session.Event) error {
	if !m.stamps.begun {
		if err := m.begin(e); err != nil {
			return err
		}
	}
	waits := e.Kind == session.MessageSeen && e.Frame.Is(int32(pb.BaseCommand_SEND))
	r := m.rows.add()
	m.fill(r, e)
	if waits {
		m.rows.wait(r, place{e.Conn.ID, e.Direction, e.Offset})
	}
	return m.release(false)
}

func (m *Messages) begin(e *session.Event) error {
	m.stamps.begin(e.Conn.TCP.First.Time)
	if m.grid.terse {
		return nil
	}
	text := appendWrapped(nil, &m.line, faint, "", "Times are "+m.stamps.caption()+". The id of a message that was sent is that of its receipt.")
	return m.write(append(text, m.grid.head(&m.head)...))
}

// release writes the lines at the front that wait no more; all of them at the
// end.
func (m *Messages) release(all bool) error {
	for r := m.rows.next(all); r != nil; r = m.rows.next(all) {
		if err := m.write(m.print(r)); err != nil {
			return err
		}
	}
	return nil
}

func (m *Messages) print(r *messageRow) []byte {
	l, g := &m.line, m.grid
	l.begin()
	g.cell(l, messagesTime, faint, r.cell(rowTime))
	g.cell(l, messagesPacket, faint, r.cell(rowPacket))
	g.cell(l, messagesConn, subject, appendLabel(m.scratch[:0], r.conn))
	g.cell(l, messagesDir, sides[r.dir], arrow(g, r.dir))
	g.cell(l, messagesTopic, plain, r.cell(rowTopic))
	g.cell(l, messagesID, plain, r.cell(rowID))
	g.cell(l, messagesBatch, plain, r.cell(rowBatch))
	g.cell(l, messagesSize, plain, r.cell(rowSize))
	g.cell(l, messagesCodec, faint, r.cell(rowCodec))
	g.cell(l, messagesKey, subject, r.cell(rowKey))
	if len(r.cell(rowTrouble)) > 0 {
		g.cell(l, messagesDetails, wrong, r.cell(rowTrouble))
		l.words(plain, "")
		l.put(plain, r.cell(rowDetails))
	} else {
		g.cell(l, messagesDetails, plain, r.cell(rowDetails))
	}
	return append(l.end(), r.cell(rowWhole)...)
}
