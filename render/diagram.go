package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"pulsar-dissect/session"
)

// Formats of sequence diagrams for documents.
const (
	Mermaid  Format = "mermaid"
	PlantUML Format = "plantuml"
)

// dialect is how a language for diagrams says things.
type dialect struct {
	head, foot  string
	participant string // name, label
	arrow       string // from, to, words
	failure     string // an arrow for what went wrong
	remark      string // from, to, words
	escape      func(r, before rune) string
}

var dialects = map[Format]*dialect{
	Mermaid: {
		head: "sequenceDiagram\n", participant: "    participant %s as %s\n", arrow: "    %s->>%s: %s\n", failure: "    %s-x%s: %s\n",
		remark: "    Note over %s,%s: %s\n", escape: escapeMermaid,
	},
	PlantUML: {
		head: "@startuml\n", foot: "@enduml\n", participant: "participant \"%[2]s\" as %[1]s\n", arrow: "%s -> %s : %s\n", failure: "%s -[#red]> %s : %s\n",
		remark: "note over %s, %s : %s\n", escape: escapePlantUML,
	},
}

// escapeMermaid writes what the language could take for its own as its entities.
func escapeMermaid(r, _ rune) string {
	if r < utf8.RuneSelf && strings.ContainsRune("#;<>&\"`{}%\\$", r) {
		return fmt.Sprintf("#%d;", r)
	}
	return string(r)
}

// escapePlantUML does so with what marks up text there: some signs by themselves,
// others where they come twice.
func escapePlantUML(r, before rune) string {
	if strings.ContainsRune("\\<>~%$!\"|", r) || r == before && strings.ContainsRune("*/_-=.^[(:", r) {
		return fmt.Sprintf("<U+%04X>", r)
	}
	return string(r)
}

// Diagram is the face "timeline" as a sequence diagram for documents.
type Diagram struct {
	w            io.Writer
	dialect      *dialect
	sequence     *sequence
	participants map[string]string // names by address, of brokers; by connection, of clients
	brokers      int
	err          error // of the first line
}

// NewDiagram makes the face in the format of the options.
func NewDiagram(w io.Writer, o Options) *Diagram {
	d := &Diagram{w: w, dialect: dialects[o.Format], participants: map[string]string{}}
	d.sequence = newSequence(&o, d.step)
	_, d.err = io.WriteString(w, d.dialect.head)
	return d
}

// Event takes an event.
func (d *Diagram) Event(e *session.Event) error {
	if d.err != nil {
		return d.err
	}
	return d.sequence.event(e)
}

// Waiting says whether the latest arrow waits for what it answers.
func (d *Diagram) Waiting() bool { return d.sequence.held }

// Close ends the diagram.
func (d *Diagram) Close(*End) error {
	if err := d.sequence.release(); err != nil {
		return err
	}
	_, err := io.WriteString(d.w, d.dialect.foot)
	return err
}

func (d *Diagram) step(s *step) error {
	label := string(appendLabel(nil, s.conn.ID))
	if s.end && d.participants[label] == "" {
		return nil // the filters let nothing of it through
	}
	client, server := endpoints(s.conn)
	var text strings.Builder
	from := d.name(&text, label, label, label+" "+client)
	to := d.name(&text, server, fmt.Sprintf("b%d", d.brokers), "broker "+server)
	switch {
	case !s.arrow:
		fmt.Fprintf(&text, d.dialect.remark, from, to, d.words(s.details))
	default:
		if s.dir != 0 {
			from, to = to, from
		}
		form := d.dialect.arrow
		if s.look == wrong {
			form = d.dialect.failure
		}
		fmt.Fprintf(&text, form, from, to, d.words(arrowWords(s)))
	}
	_, err := io.WriteString(d.w, text.String())
	return err
}

// arrowWords are the words at an arrow.
func arrowWords(s *step) string {
	words := s.command
	if s.details != "" {
		words += " " + s.details
	}
	words = string(cutToWidth([]byte(words), arrowWidth))
	if s.answers {
		words += " (" + latencyText(s.latency) + ")"
	}
	return words
}

// arrowWidth is how long the words at an arrow become, in columns.
const arrowWidth = 80

// name gives the name of a participant, and introduces it when it is new.
func (d *Diagram) name(text *strings.Builder, key, name, label string) string {
	if known := d.participants[key]; known != "" {
		return known
	}
	if key != name {
		d.brokers++
	}
	d.participants[key] = name
	fmt.Fprintf(text, d.dialect.participant, name, d.words(label))
	return name
}

func (d *Diagram) words(text string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		b.WriteString(d.dialect.escape(r, before))
		before = r
	}
	return b.String()
}
