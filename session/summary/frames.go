package summary

import (
	"cmp"
	"slices"
	"strings"

	"pulsar-dissect/decode"
	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// commandNumbers is above every type number of the schema.
var commandNumbers = int(proto.Commands[len(proto.Commands)-1].Number) + 1

// byType counts what a command means beyond being one.
var byType = map[pb.BaseCommand_Type]func(*Summary, *session.Event){
	pb.BaseCommand_PRODUCER:  (*Summary).producerOpened,
	pb.BaseCommand_SEND:      (*Summary).sent,
	pb.BaseCommand_SUBSCRIBE: (*Summary).subscribed,
	pb.BaseCommand_MESSAGE:   (*Summary).delivered,
}

var meanings = indexMeanings()

func indexMeanings() []func(*Summary, *session.Event) {
	index := make([]func(*Summary, *session.Event), commandNumbers)
	for t, count := range byType {
		index[t] = count
	}
	return index
}

// commandCounts is how many commands of a direction there were, by type.
type commandCounts struct{ count []uint64 }

func (c *commandCounts) add(t int32) {
	if c.count == nil {
		c.count = make([]uint64, commandNumbers)
	}
	c.count[t]++
}

func (c *commandCounts) of(t int32) uint64 {
	if c.count == nil {
		return 0
	}
	return c.count[t]
}

func (s *Summary) frame(e *session.Event) {
	f := e.Frame
	s.Frames++
	s.Checksums[f.Checksum]++
	if f.Checksum == decode.ChecksumBad {
		s.BadChecksums.note(e, f.TypeName())
	}
	if f.Incomplete {
		s.Incomplete.note(e, f.TypeName())
	}
	if f.Resync {
		s.Resyncs.note(e, f.TypeName())
	}
	if hasIssues(f) {
		s.frameIssues(e)
	}
	if f.Command == nil {
		s.unknown.row(f.Type, 0)[f.Direction]++
		return
	}
	s.commands[f.Direction].add(f.Type)
	if count := meanings[f.Type]; count != nil {
		count(s, e)
	}
}

// Command is how often a command was seen.
type Command struct {
	Type  int32
	Name  string
	Count [2]uint64 // by Direction
}

// Commands gives the commands that were seen, by number. Unknown ones without
// a row of their own are in others.
func (s *Summary) Commands() (rows []Command, others [2]uint64) {
	for i := range proto.Commands {
		c := &proto.Commands[i]
		n := [2]uint64{s.commands[0].of(c.Number), s.commands[1].of(c.Number)}
		if n != [2]uint64{} {
			rows = append(rows, Command{c.Number, c.Name, n})
		}
	}
	s.unknown.each(func(t int32, n *[2]uint64) {
		rows = append(rows, Command{t, decode.TypeName(t), *n})
	})
	slices.SortStableFunc(rows, func(a, b Command) int { return cmp.Compare(a.Type, b.Type) })
	return rows, s.unknown.others
}

// CommandCount is how often a command of the schema was seen in a direction.
func (s *Summary) CommandCount(t pb.BaseCommand_Type, d decode.Direction) uint64 {
	return s.commands[d].of(int32(t))
}

func hasIssues(f *decode.Frame) bool {
	return len(f.Issues) > 0 || f.Type >= 0 && len(f.Base.Issues) > 0 ||
		f.HasBrokerEntry && len(f.BrokerEntry.Issues) > 0 || f.HasMetadata && len(f.Metadata.Issues) > 0
}

// frameIssues counts the issues of a frame by code, and those that the tables
// of the schema found by path as well.
func (s *Summary) frameIssues(e *session.Event) {
	f := e.Frame
	for _, text := range f.Issues {
		code, _, _ := strings.Cut(text, ":")
		s.issues.row(code, len(code)).note(e, text)
	}
	if f.Type >= 0 {
		s.walkIssues(e, "", &f.Base)
	}
	if f.HasBrokerEntry {
		s.walkIssues(e, "broker_entry_metadata.", &f.BrokerEntry)
	}
	if f.HasMetadata {
		s.walkIssues(e, "metadata.", &f.Metadata)
	}
}

func (s *Summary) walkIssues(e *session.Event, prefix string, w *wire.Walk) {
	for _, issue := range w.Issues {
		s.issue = issue.Append(append(s.issue[:0], prefix...))
		code := issue.Kind.String()
		n := s.issues.row(code, len(code))
		text := ""
		if n.Count < maxExamples {
			text = string(s.issue)
		}
		n.note(e, text)
		*s.detail()++
	}
}

// detail finds the row of the issue at hand without making a string of it
// unless it is new.
func (s *Summary) detail() *uint64 {
	if r := s.details.rows[string(s.issue)]; r != nil {
		return r
	}
	if len(s.details.rows) >= s.details.most {
		return &s.details.others
	}
	return s.details.row(string(s.issue), len(s.issue))
}

// Named is a count of something with a name.
type Named struct {
	Name  string
	Count uint64
}

// Issue is how often frames had an issue, by its code.
type Issue struct {
	Code string
	Noted
}

// Issues gives the issues of frames by code, and those without a row.
func (s *Summary) Issues() (rows []Issue, others uint64) {
	s.issues.each(func(code string, n *Noted) { rows = append(rows, Issue{code, *n}) })
	slices.SortFunc(rows, func(a, b Issue) int { return strings.Compare(a.Code, b.Code) })
	return rows, s.issues.others.Count
}

// IssueDetails gives the fields and values that the schema does not expect, as
// in the issues of a frame, and the count of those without a row.
func (s *Summary) IssueDetails() (rows []Named, others uint64) {
	return named(&s.details), s.details.others
}

// named gives a table of counts by name.
func named(t *table[string, uint64]) (rows []Named) {
	t.each(func(name string, n *uint64) { rows = append(rows, Named{name, *n}) })
	slices.SortFunc(rows, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// UnknownCommands is how many commands had a type that the schema does not
// have.
func (s *Summary) UnknownCommands() (n uint64) {
	s.unknown.each(func(_ int32, c *[2]uint64) { n += c[0] + c[1] })
	return n + s.unknown.others[0] + s.unknown.others[1]
}
