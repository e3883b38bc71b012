package render

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"pulsar-dissect/session"
)

// Ladder is the face "timeline" as a sequence diagram of each connection: client
// left, broker right, time downwards. A connection is written when it has ended.
type Ladder struct {
	w        io.Writer
	options  *Options
	line     line
	stamps   stamps
	sequence *sequence
	open     map[int]*rungs
	order    []int // connections that are open, by their first rung
	held     int   // rungs of all of them
	anything bool
}

// rungs are the lines of one connection.
type rungs struct {
	lines [][]byte
	last  int64 // time of the latest, ns since the Unix epoch
}

// The columns of a ladder.
const (
	ladderWidth   = 110 // where the output is no terminal
	ladderLeast   = 60
	ladderTime    = 12
	ladderPacket  = 7
	ladderLatency = 9
	ladderPause   = time.Second // is shown as such
	ladderHeld    = 100_000     // rungs that wait for the end of their connections
)

// NewLadder makes the face.
func NewLadder(w io.Writer, o Options) *Ladder {
	l := &Ladder{w: w, options: &o, line: newLine(&o), stamps: stamps{wall: o.WallClock, start: o.Start}, open: map[int]*rungs{}}
	l.sequence = newSequence(&o, l.step)
	return l
}

// Event takes an event.
func (l *Ladder) Event(e *session.Event) error { return l.sequence.event(e) }

// Waiting says whether the latest arrow waits for what it answers.
func (l *Ladder) Waiting() bool { return l.sequence.held }

// Close writes what is left.
func (l *Ladder) Close(end *End) error {
	if err := l.sequence.release(); err != nil {
		return err
	}
	for _, id := range slices.Clone(l.order) {
		if err := l.write(id); err != nil {
			return err
		}
	}
	if l.anything {
		return nil
	}
	return writeNothing(l.w, l.line, end, "no frame was seen")
}

// step adds a rung to a connection.
func (l *Ladder) step(s *step) error {
	l.stamps.begin(s.conn.TCP.First.Time)
	id := s.conn.ID
	r := l.open[id]
	if r == nil {
		if s.end {
			return nil // the filters let nothing of it through
		}
		r = &rungs{}
		l.open[id] = r
		l.order = append(l.order, id)
		l.add(r, l.head(s))
	}
	if r.last != 0 && s.time-r.last >= int64(ladderPause) {
		l.add(r, l.remark(nil, faint, "⋮ "+latencyText(s.time-r.last)))
	}
	r.last = s.time
	if s.arrow {
		l.add(r, l.arrow(s))
	} else {
		l.add(r, l.remark(s, s.look, s.details))
	}
	switch {
	case s.end:
		return l.write(id)
	case l.held > ladderHeld:
		return l.write(l.order[0])
	}
	return nil
}

func (l *Ladder) add(r *rungs, text []byte) {
	r.lines = append(r.lines, append([]byte(nil), text...))
	l.held++
}

// write writes the rungs of a connection.
func (l *Ladder) write(id int) error {
	r := l.open[id]
	for i, text := range r.lines {
		if i == 0 && l.anything {
			text = append([]byte{'\n'}, text...)
		}
		l.anything = true
		if _, err := l.w.Write(text); err != nil {
			return err
		}
	}
	l.held -= len(r.lines)
	delete(l.open, id)
	for i := range l.order {
		if l.order[i] == id {
			l.order = append(l.order[:i], l.order[i+1:]...)
			break
		}
	}
	return nil
}

// lane is how far client and broker are apart.
func (l *Ladder) lane() int {
	width := l.options.Width
	if width == 0 {
		width = ladderWidth
	}
	return max(width, ladderLeast) - ladderTime - ladderPacket - ladderLatency - 5
}

// head names both sides.
func (l *Ladder) head(s *step) []byte {
	client, server := endpoints(s.conn)
	l.line.begin()
	l.line.puts(subject, pad(string(appendLabel(nil, s.conn.ID)), ladderTime+ladderPacket+2))
	left := "client " + client
	l.line.puts(heading, left)
	l.line.spaces(max(2, l.lane()+2-len(left)-len("broker ")-len(server)))
	l.line.puts(heading, "broker "+server)
	return l.line.end()
}

// begin starts a line with time and packet; s is nil where it has none.
func (l *Ladder) begin(s *step) {
	l.line.begin()
	if s == nil {
		l.line.spaces(ladderTime + ladderPacket + 2)
		return
	}
	stamp := l.stamps.append(nil, s.time, s.unknown)
	number := strconv.FormatUint(s.packet, 10)
	l.line.spaces(max(0, ladderTime-len(stamp)))
	l.line.put(faint, stamp)
	l.line.spaces(max(1, ladderPacket+1-len(number)))
	l.line.puts(faint, number)
	l.line.spaces(1)
}

// arrow is a line between the sides with its words in it.
func (l *Ladder) arrow(s *step) []byte {
	l.begin(s)
	words := []byte(s.command)
	if s.details != "" {
		words = append(append(words, ' '), s.details...)
	}
	words = cutToWidth(words, l.lane()-6)
	dashes := strings.Repeat("─", max(1, l.lane()-displayWidth(words)-5))
	l.line.puts(faint, "│")
	if s.dir == 0 {
		l.line.puts(s.look, "── "+string(words)+" "+dashes+">")
	} else {
		l.line.puts(s.look, "<"+dashes+" "+string(words)+" ──")
	}
	l.line.puts(faint, "│")
	if s.answers {
		l.line.words(faint, latencyText(s.latency))
	}
	return l.line.end()
}

// remark is words between the sides.
func (l *Ladder) remark(s *step, look style, words string) []byte {
	l.begin(s)
	text := cutToWidth([]byte(words), l.lane()-2)
	left := (l.lane() - displayWidth(text)) / 2
	l.line.puts(faint, "│")
	l.line.spaces(left)
	l.line.put(look, text)
	l.line.spaces(l.lane() - left - displayWidth(text))
	l.line.puts(faint, "│")
	return l.line.end()
}

// pad makes text at least so many bytes long.
func pad(text string, width int) string { return text + strings.Repeat(" ", max(0, width-len(text))) }
