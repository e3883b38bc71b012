package render

import (
	"strings"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Style is what a piece of text means to its reader.
type Style = style

// The styles of cells.
const (
	Plain    = plain
	Faint    = faint
	Heading  = heading
	About    = subject
	ToServer = toServer
	ToClient = toClient
	Good     = good
	Doubtful = doubtful
	Wrong    = wrong
	Chosen   = chosen
)

// Cell is a piece of text that is fit for a terminal.
type Cell struct {
	Style Style
	Text  string
}

// Painter makes the lines of a screen that is drawn again and again.
type Painter struct {
	line    line
	colored bool
}

// NewPainter makes one for a terminal of so many columns.
func NewPainter(colored bool, width int) *Painter {
	return &Painter{newLine(&Options{Color: colored, Width: width}), colored}
}

// Width is how many columns the terminal has.
func (p *Painter) Width() int { return p.line.width }

// Colored says whether lines have colours.
func (p *Painter) Colored() bool { return p.colored }

// Begin starts a line.
func (p *Painter) Begin() { p.line.begin() }

// Put appends a cell. What does not fit the width is cut.
func (p *Painter) Put(c Cell) { p.line.puts(c.Style, c.Text) }

// To fills up with blanks to a column.
func (p *Painter) To(column int) { p.line.spaces(column - p.line.at) }

// At is how many columns are taken.
func (p *Painter) At() int { return p.line.at }

// End gives the line, without a line end.
func (p *Painter) End() string { return strings.TrimRight(string(p.line.text), " ") }

// Columns is how many columns of a terminal a text takes.
func Columns(text string) int { return displayWidth([]byte(text)) }

// CutText gives the start of a text that fits into so many columns.
func CutText(text string, columns int) string { return string(cutToWidth([]byte(text), columns)) }

// CutName is CutText for names: their middle is cut.
func CutName(text string, columns int) string { return string(cutMiddle([]byte(text), columns)) }

// TopicText is the name of a topic, without what most have in common. As in all
// texts, what a terminal could obey is shown as an escape.
func TopicText(name string) string { return string(appendTopic(nil, name)) }

// NameText is a name from the wire.
func NameText(name string) string { return named(name) }

// PartyText is the name of a producer or consumer, or its id where it has none.
func PartyText(name string, id uint64) string { return named(consumerWord(name, id)) }

// Visible is text of any length.
func Visible(text string) string { return visible(text) }

// ConnText is the short name of a connection.
func ConnText(id int) string { return string(appendLabel(nil, id)) }

// LatencyText is a duration in ns.
func LatencyText(ns int64) string { return latencyText(ns) }

// SizeText is a size in bytes.
func SizeText(bytes int64) string { return sizeText(bytes) }

// CountText is a number with commas.
func CountText(n uint64) string { return countText(n) }

// SecondsText is a time in ns as seconds with six decimals.
func SecondsText(ns int64) string { return string(appendSeconds(nil, ns)) }

// DoingCell says how a consumer is doing, and Rank how soon somebody should look,
// 0 first.
func DoingCell(d dispatch.Doing) (c Cell, rank int) {
	return Cell{doings[d].look, doings[d].words}, doings[d].rank
}

// SeverityCell is a severity.
func SeverityCell(s diagnose.Severity) Cell { return Cell{severityStyles[s], s.String()} }

// SubjectText says whom a finding is about.
func SubjectText(s *diagnose.Subject) string { return subjectWords(s) }

// FindingText is a finding with its evidence, as diagnose shows it; times are
// times of day.
func FindingText(f *diagnose.Finding, o Options) string {
	face, l := NewFindings(nil, o), newLine(&o)
	return strings.TrimLeft(string(face.appendFinding(nil, &l, f)), "\n")
}

// briefs say what events tell that are not frames.
var briefs = map[session.Kind]func(*session.Event) (style, string){
	session.GapSeen:        gapWords,
	session.BytesSkipped:   skippedWords,
	session.ConflictSeen:   conflictWords,
	session.ProxySeen:      proxyWords,
	session.ChunkedMessage: chunkedWords,
}

// briefOptions are how fields of commands are shown on one line.
var briefOptions = wire.Options{MaxText: maxName}

// BriefOf says on one line what an event tells, for lists: a frame by its command
// and its fields, anything else in words. ok says whether there is a line for it.
func BriefOf(e *session.Event) (command string, text Cell, ok bool) {
	switch {
	case e.Kind == session.FrameSeen:
		return e.Frame.TypeName(), briefCell(appendWarnings(nil, e.Frame), describe(nil, e, &briefOptions)), true
	case e.Kind == session.BookieSeen:
		return e.Bookie.Op.String(), briefCell(appendBookieWarnings(nil, e.Bookie), describeBookie(nil, e.Bookie)), true
	case e.Kind == session.ExchangeSeen && e.Exchange.Result == session.Unanswered:
		return "--", Cell{wrong, unansweredWords(e.Exchange)}, true
	}
	if words := briefs[e.Kind]; words != nil {
		look, text := words(e)
		return "--", Cell{look, text}, true
	}
	return "", Cell{}, false
}

func briefCell(warnings, text []byte) Cell {
	if len(warnings) == 0 {
		return Cell{plain, string(text)}
	}
	return Cell{wrong, string(append(append(warnings, ' '), text...))}
}
