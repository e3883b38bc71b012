package render

import (
	"strings"

	"pulsar-dissect/capture"
	"pulsar-dissect/session/summary"
)

// issueWords says what an issue of a frame means.
var issueWords = map[string]string{
	"unknown_field":          "fields that the schema does not have: a newer client or broker",
	"unknown_enum":           "values that the schema has no name for: a newer client or broker",
	"wrong_wire_type":        "fields encoded as another type",
	"repeated_singular":      "fields that occur twice",
	"bad_utf8":               "text that is not UTF-8",
	"missing_required":       "a required field missing",
	"role_conflict":          "a command that the other side should send",
	"over_default_max_frame": "more than the default limit of 5 MiB and 10 KiB",
	"command_cut":            "a command longer than the frame",
	"command_unparsable":     "a command that cannot be read",
	"missing_subcommand":     "a type, but not its command",
	"extra_subcommand":       "a second command",
	"bytes_after_command":    "bytes after the command",
}

func (a *Analyze) frameIssues() (found []problem) {
	rows, others := a.summary.Issues()
	for i := range rows {
		code := string(appendName(nil, rows[i].Code))
		words := plural(rows[i].Count, "issue") + " " + code
		if meaning := issueWords[rows[i].Code]; meaning != "" {
			words += ": frames with " + meaning
		}
		found = append(found, problem{severity: doubtful, what: words, examples: distinct(rows[i].Examples()), look: "timeline --bad"})
	}
	if n := a.summary.UnknownCommands(); n > 0 {
		found = append(found, problem{severity: doubtful, what: plural(n, "command") + " of a type that the schema does not have: " + a.unknownNames(),
			look: "timeline --type 'UNKNOWN*'"})
	}
	return append(found, one(others > 0, problem{severity: doubtful, what: "other issues" + times(others), look: "timeline --bad"})...)
}

func (a *Analyze) unknownNames() string {
	var names []string
	rows, _ := a.summary.Commands()
	for _, c := range rows {
		if strings.HasPrefix(c.Name, "UNKNOWN") && len(names) < shownIDs {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Parts of all segments above which the network is worth a word.
const (
	manyRetransmitted = 100 // one in so many
	manyZeroWindows   = 1
)

// network tells of TCP below the streams.
func (a *Analyze) network() []problem {
	t := &a.summary.TCP
	segments := a.summary.Totals.Segments.Packets[0]
	found := one(t.Retransmitted*manyRetransmitted > segments, problem{severity: doubtful,
		what: plural(t.Retransmitted, "retransmitted segment") + " (" + percent(t.Retransmitted, segments) +
			"): a network that loses packets, or each packet was captured twice"})
	found = append(found, one(t.ZeroWindows >= manyZeroWindows, problem{severity: doubtful,
		what: plural(t.ZeroWindows, "zero window") + ": a side that did not read what it was sent"})...)
	found = append(found, one(t.WrongChecksums > 0, problem{severity: faint,
		what: plural(t.WrongChecksums, "segment") + " with a wrong TCP checksum: offloading, or damage"})...)
	return append(found, one(t.Evicted > 0, problem{severity: doubtful,
		what: plural(t.Evicted, "connection") + " given up early, since too many were open"})...)
}

// limits tells what was given up so that memory stays bounded.
func (a *Analyze) limits() (found []problem) {
	for _, h := range append(a.summary.Hits(), a.hits...) {
		severity := doubtful
		if h.Usual {
			severity = faint
		}
		found = append(found, one(h.Count > 0, problem{severity: severity, what: hitText(&h)})...)
	}
	return found
}

// clocks tells of times that go back.
func (a *Analyze) clocks() (found []problem) {
	for i := range a.summary.Totals.Capture.Files {
		f := &a.summary.Totals.Capture.Files[i]
		if p, is := clockProblem(f); is {
			if p.look != "" && a.outOfOrder() {
				p.severity = wrong
			}
			found = append(found, p)
		}
		found = append(found, one(f.NoTime > 0, problem{severity: faint,
			what: string(appendName(nil, f.Name)) + ": " + plural(f.NoTime, "packet") + " without a time; no latency is told from them"})...)
	}
	return found
}

// outOfOrder says whether there is what packets in the wrong order bring about.
func (a *Analyze) outOfOrder() bool {
	orphans, gaps := a.summary.Orphans(), a.summary.AllGaps()
	return len(orphans) > 0 || gaps.Count > 0
}

func clockProblem(f *capture.FileStats) (problem, bool) {
	back := string(appendName(nil, f.Name)) + ": times go back" + times(f.StepsBack) + ", by " + latencyText(f.LargestStepBack) + " at most"
	if d := summary.Reorder(f); d > 0 {
		return problem{severity: doubtful, what: back, advice: "Sorting the packets puts them in order, and may resolve what else is told here.",
			look: "analyze --reorder " + d.String()}, true
	}
	return problem{severity: doubtful, what: back + ": the clock was set, or files were put one behind the other; latencies across are wrong"},
		summary.ClockSet(f)
}
