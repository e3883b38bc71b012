package tui

import (
	"cmp"

	"pulsar-dissect/decode"
	"pulsar-dissect/diagnose"
	"pulsar-dissect/render"
)

// findingsPage lists findings, most severe first. Enter shows one whole.
func findingsPage() page {
	return &table[diagnose.Finding]{
		name: "Findings", nothing: "No rule has found anything so far.", of: func(s *Snapshot) []diagnose.Finding { return s.Findings },
		same: func(a, b *diagnose.Finding) bool {
			return isSame(a, b) && a.Severity == b.Severity
		},
		open: func(f *diagnose.Finding) page { return &findingPage{finding: f} },
		columns: []column[diagnose.Finding]{
			{title: "SEVERITY", width: 9, cell: func(f *diagnose.Finding) render.Cell { return render.SeverityCell(f.Severity) },
				order: func(a, b *diagnose.Finding) int { return cmp.Compare(a.Severity, b.Severity) }, falls: true},
			integer("COUNT", 7, 1, func(f *diagnose.Finding) int { return f.Count }),
			{title: "FINDING", width: 36, grows: true, words: true, cell: func(f *diagnose.Finding) render.Cell {
				if f.SoFar {
					return render.Cell{Text: render.Visible(f.Title) + ", so far"}
				}
				return render.Cell{Text: render.Visible(f.Title)}
			}},
			{title: "ABOUT", width: 20, grows: true, words: true, cell: func(f *diagnose.Finding) render.Cell {
				return render.Cell{Style: render.About, Text: render.SubjectText(&f.Subject)}
			}},
			{title: "RULE", width: 20, spare: 2, cell: func(f *diagnose.Finding) render.Cell {
				return render.Cell{Style: render.Faint, Text: f.Rule.Name}
			}},
		},
	}
}

// findingPage shows a finding whole.
type findingPage struct {
	finding *diagnose.Finding
	text
}

func (f *findingPage) title() string { return f.finding.Rule.Name }

func (f *findingPage) keys() string { return "Enter its frames" }

func (f *findingPage) draw(p *render.Painter, height int) []string {
	f.set(render.FindingText(f.finding, render.Options{Width: p.Width(), Color: p.Colored()}))
	return f.text.draw(p, height)
}

func (f *findingPage) press(key string) action {
	if key == "enter" {
		next := newList("evidence", Selection{Conn: -1, Places: evidence(f.finding)})
		return func(m *Model) { m.push(next) }
	}
	return f.text.press(key)
}

// evidence are the frames that prove a finding.
func evidence(f *diagnose.Finding) map[Place]bool {
	places := map[Place]bool{}
	for i := range f.Evidence {
		v := &f.Evidence[i]
		for _, d := range []decode.Direction{decode.ClientToServer, decode.ServerToClient} {
			if d.String() == v.Dir {
				places[Place{Offset: v.Offset, Conn: int32(v.ConnID), Direction: d}] = true
			}
		}
	}
	return places
}
