package render

import (
	"bytes"
	"encoding/json"
	"reflect"

	"pulsar-dissect/diagnose"
	"pulsar-dissect/session/summary"
)

// Diff is how a run differs from an earlier one.
type Diff struct {
	sides     [2]*Side
	doubts    []string
	findings  []diffFinding
	latencies []diffLatency
	counts    [][]diffRow // by section
}

// Compare compares two runs that are over.
func Compare(before, after *Side) *Diff {
	sides := [2]*Side{before, after}
	d := &Diff{sides: sides, doubts: doubts(sides), findings: compareFindings(sides), latencies: compareLatencies(sides)}
	for i := range diffSections {
		d.counts = append(d.counts, diffSections[i].rows(sides))
	}
	return d
}

// HasNew says whether the second run has a finding as severe as that, or more,
// that the first does not have.
func (d *Diff) HasNew(least diagnose.Severity) bool {
	for i := range d.findings {
		if f := &d.findings[i]; f.change == isNew && f.severity >= least {
			return true
		}
	}
	return false
}

// diffRecord is the record of kind diff.
type diffRecord struct {
	Kind      string              `json:"kind"`
	Before    diffSideRecord      `json:"before"`
	After     diffSideRecord      `json:"after"`
	Doubts    []string            `json:"doubts"`
	Findings  []diffFindingRecord `json:"findings"`
	Latencies []diffLatencyRecord `json:"latencies"`
	Counts    []diffCountRecord   `json:"counts"`
}

type diffSideRecord struct {
	Files    []string `json:"files"`
	Start    *instant `json:"start,omitempty"`
	Duration *int64   `json:"duration_ns,omitempty"`
	Packets  uint64   `json:"packets"`
	Frames   uint64   `json:"frames"`
	Findings *int     `json:"findings,omitempty"`
}

type diffFindingRecord struct {
	Change   string   `json:"change"`
	Severity string   `json:"severity"`
	Rule     string   `json:"rule"`
	Title    wireText `json:"title"`
	Subject  wireText `json:"subject"`
	Before   uint64   `json:"before"`
	After    uint64   `json:"after"`
	Detail   wireText `json:"detail"`
}

type diffLatencyRecord struct {
	Change string         `json:"change"`
	Name   string         `json:"name"`
	Before *latencyRecord `json:"before_ns,omitempty"`
	After  *latencyRecord `json:"after_ns,omitempty"`
	P50    float64        `json:"p50_factor,omitempty"`
	P99    float64        `json:"p99_factor,omitempty"`
	Max    float64        `json:"max_factor,omitempty"`
}

type diffCountRecord struct {
	Section    string   `json:"section"`
	Change     string   `json:"change"`
	Name       wireText `json:"name"`
	Before     uint64   `json:"before"`
	After      uint64   `json:"after"`
	BeforeRate *float64 `json:"before_per_s,omitempty"`
	AfterRate  *float64 `json:"after_per_s,omitempty"`
}

// DiffType is the type that encoding/json makes the diff record of, for the
// schema.
func DiffType() reflect.Type { return reflect.TypeFor[diffRecord]() }

// AppendJSON appends the record of kind diff, with its line end: what differs,
// or all.
func (d *Diff) AppendJSON(dst []byte, all bool) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d.record(all)); err != nil {
		panic(err) // cannot be: the types above all have a JSON form
	}
	return append(dst, b.Bytes()...)
}

func (d *Diff) record(all bool) *diffRecord {
	r := &diffRecord{
		Kind: "diff", Before: d.sides[0].record(), After: d.sides[1].record(), Doubts: append([]string{}, d.doubts...),
		Findings: []diffFindingRecord{}, Latencies: []diffLatencyRecord{}, Counts: []diffCountRecord{},
	}
	for i := range d.findings {
		if f := &d.findings[i]; all || f.change != same {
			r.Findings = append(r.Findings, f.record())
		}
	}
	for i := range d.latencies {
		if l := &d.latencies[i]; all || l.change != same {
			r.Latencies = append(r.Latencies, l.record())
		}
	}
	for i, rows := range d.counts {
		for n := range rows {
			if row := &rows[n]; all || row.change != same {
				r.Counts = append(r.Counts, row.record(diffSections[i].name))
			}
		}
	}
	return r
}

func (s *Side) record() diffSideRecord {
	r := diffSideRecord{Files: s.files, Packets: s.summary.Packets(), Frames: s.summary.Frames}
	if first, last, ok := s.summary.Span(); ok {
		r.Start, r.Duration = (*instant)(&first), new(last-first)
	}
	if s.diagnosed {
		r.Findings = new(len(s.findings))
	}
	return r
}

func (f *diffFinding) record() diffFindingRecord {
	return diffFindingRecord{
		string(f.change), f.severity.String(), f.rule.Name, wireText(f.title), wireText(f.subject), f.count[0], f.count[1], wireText(f.example.Detail),
	}
}

func (l *diffLatency) record() diffLatencyRecord {
	return diffLatencyRecord{
		string(l.change), l.name, someLatency(l.of[0]), someLatency(l.of[1]), l.factor(50), l.factor(99), l.factor(100),
	}
}

// someLatency is nil where there are none.
func someLatency(l *summary.Latencies) *latencyRecord {
	if l.Count == 0 {
		return nil
	}
	return latencyOf(l)
}

func (r *diffRow) record(section string) diffCountRecord {
	c := diffCountRecord{Section: section, Change: string(r.change), Name: wireText(r.name), Before: r.count[0], After: r.count[1]}
	if r.rate != [2]float64{} {
		c.BeforeRate, c.AfterRate = &r.rate[0], &r.rate[1]
	}
	return c
}
