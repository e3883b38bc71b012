package render

import (
	"io"
	"slices"
)

// Write writes the comparison for people or scripts: what differs, or all.
func (d *Diff) Write(w io.Writer, o Options, all bool) error {
	if o.Format == JSONLines {
		_, err := w.Write(d.AppendJSON(nil, all))
		return err
	}
	if err := d.head(w, &o); err != nil {
		return err
	}
	shown := 0
	for _, s := range d.sheets(all) {
		shown += len(s.rows)
		if err := s.print(w, &o); err != nil {
			return err
		}
	}
	if shown > 0 {
		return nil
	}
	_, err := io.WriteString(w, "Nothing differs that matters; --all shows what was compared.\n")
	return err
}

// sheets are in the order in which they matter: what failed, what took longer,
// and all else.
func (d *Diff) sheets(all bool) []*sheet {
	sheets, failed := []*sheet{d.findingSheet(all)}, 1
	for i := range d.counts {
		sheets = append(sheets, d.countSheet(i, all))
		if diffSections[i].failed {
			failed = len(sheets)
		}
	}
	return slices.Insert(sheets, failed, d.latencySheet(all))
}

// head says what is compared, and what the captures themselves may change.
func (d *Diff) head(w io.Writer, o *Options) error {
	l := newLine(o)
	var text []byte
	for i, s := range d.sides {
		l.begin()
		l.puts(heading, sideNames[i])
		text = append(appendFlowing(text, &l, plain, " "+s.text(), len(indent)), l.end()...)
	}
	for _, doubt := range d.doubts {
		text = appendWrapped(text, &l, doubtful, marks[doubtful]+" ", doubt)
	}
	_, err := w.Write(text)
	return err
}

func (s *Side) text() string {
	name := plural(len(s.files), "file")
	if len(s.files) == 1 {
		name = string(appendName(nil, s.files[0]))
	}
	text := name + ": " + plural(s.summary.Packets(), "packet") + ", " + plural(s.summary.Frames, "frame")
	if first, last, ok := s.summary.Span(); ok {
		text += " in " + latencyText(last-first) + " from " + dateText(first)
	}
	return text
}

// changeStyles are how changes look of what should not be, and of all else.
var changeStyles = map[change][2]style{
	isNew: {doubtful, wrong}, more: {plain, doubtful}, slower: {doubtful, doubtful}, faster: {good, good}, fewer: {plain, good}, gone: {doubtful, good},
	same: {faint, faint},
}

func (c change) cell(fault bool) styled {
	if fault {
		return styled{changeStyles[c][1], string(c)}
	}
	return styled{changeStyles[c][0], string(c)}
}

func (d *Diff) findingSheet(all bool) *sheet {
	s := &sheet{kind: "finding", title: "FINDINGS", columns: []sheetColumn{
		{title: "CHANGE"}, {title: "SEVERITY", name: "severity"}, {title: "RULE", name: "rule"}, {title: "BEFORE", name: "before", right: true},
		{title: "AFTER", name: "after", right: true}, {title: "WHAT", name: "title", least: 24}, {title: "WHOM", name: "subject", least: 24},
	}, note: d.doubtful()}
	for i := range d.findings {
		f := &d.findings[i]
		if !all && f.change == same {
			continue
		}
		s.rows = append(s.rows, []styled{
			f.change.cell(true), {severityStyles[f.severity], f.severity.String()}, {plain, f.rule.Name},
			{plain, countText(f.count[0])}, {plain, countText(f.count[1])}, {plain, visible(f.title)}, {subject, f.subject},
		})
	}
	return s
}

func (d *Diff) latencySheet(all bool) *sheet {
	s := &sheet{kind: "latency", title: "HOW LONG REQUESTS TOOK (BEFORE → AFTER)", columns: []sheetColumn{
		{title: "CHANGE"}, {title: "REQUEST", name: "request", least: 20}, {title: "BEFORE", name: "before", right: true}, {title: "AFTER", name: "after", right: true},
		{title: "P50", name: "p50"}, {title: "", name: "p50_factor", right: true}, {title: "P99", name: "p99"}, {title: "", name: "p99_factor", right: true},
		{title: "MAX", name: "max", spare: 2}, {title: "", name: "max_factor", right: true, spare: 1},
	}, note: d.doubtful()}
	for i := range d.latencies {
		l := &d.latencies[i]
		if !all && l.change == same {
			continue
		}
		row := []styled{l.change.cell(true), {subject, l.name}, {plain, countText(l.of[0].Count)}, {plain, countText(l.of[1].Count)}}
		for _, p := range []float64{50, 99, 100} {
			row = append(row, styled{plain, beforeAfter(percentile(l.of[0], p), percentile(l.of[1], p))}, styled{plain, factorText(l.factor(p))})
		}
		s.rows = append(s.rows, row)
	}
	return s
}

func beforeAfter(before, after string) string {
	return orDash(before) + " → " + orDash(after)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func factorText(f float64) string {
	if f == 0 {
		return ""
	}
	return "×" + threeDigits(f)
}

func threeDigits(v float64) string {
	if v >= 1000 {
		return countText(uint64(v))
	}
	return string(appendThree(nil, v, false))
}

func (d *Diff) countSheet(i int, all bool) *sheet {
	x := &diffSections[i]
	s := &sheet{kind: x.name, title: x.title, columns: []sheetColumn{
		{title: "CHANGE"}, {title: "WHAT", name: "what", least: 24, names: true}, {title: "BEFORE", name: "before", right: true},
		{title: "AFTER", name: "after", right: true}, {title: "BEFORE/S", name: "before_per_s", right: true}, {title: "AFTER/S", name: "after_per_s", right: true},
		{title: "FACTOR", name: "factor", right: true},
	}}
	for n := range d.counts[i] {
		if r := &d.counts[i][n]; all || r.change != same {
			s.rows = append(s.rows, r.cells(x.fault))
		}
	}
	if len(s.rows) > 0 {
		for _, title := range []string{"BEFORE/S", "AFTER/S", "FACTOR"} {
			s.dropEmpty(title)
		}
	}
	if x.lossy {
		s.note = d.doubtful()
	}
	return s
}

// doubtful is what is said below what the captures themselves may change.
func (d *Diff) doubtful() string {
	if len(d.doubts) == 0 {
		return ""
	}
	return "The captures themselves may make a difference here: see at the top."
}

func (r *diffRow) cells(fault bool) []styled {
	row := []styled{
		r.change.cell(fault), {subject, visible(r.name)}, {plain, countText(r.count[0])}, {plain, countText(r.count[1])}, {}, {}, {},
	}
	if r.rate != [2]float64{} {
		row[4].text, row[5].text = threeDigits(r.rate[0]), threeDigits(r.rate[1])
	}
	if before, after := r.amounts(); before > 0 && after > 0 {
		row[6].text = factorText(after / before)
	}
	return row
}
