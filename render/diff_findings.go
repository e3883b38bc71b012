package render

import (
	"cmp"
	"maps"
	"slices"

	"pulsar-dissect/diagnose"
)

// diffFinding is how often both runs have the same finding.
type diffFinding struct {
	findingKey
	example *diagnose.Finding // of the second run where it has one
	count   [2]uint64
	change  change
}

// compareFindings gives the findings of two runs, new and severe ones first.
func compareFindings(sides [2]*Side) (rows []diffFinding) {
	keys := maps.Clone(sides[0].findings)
	maps.Copy(keys, sides[1].findings)
	for key, alike := range keys {
		r := diffFinding{findingKey: key, example: alike.first}
		for i, s := range sides {
			if f := s.findings[key]; f != nil {
				r.count[i] = f.count
			}
		}
		r.change = countChange(r.count)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b diffFinding) int {
		return cmp.Or(a.change.compare(b.change), cmp.Compare(b.severity, a.severity), cmp.Compare(a.rule.Name, b.rule.Name),
			cmp.Compare(a.subject, b.subject), cmp.Compare(a.title, b.title))
	})
	return rows
}

func countChange(n [2]uint64) change {
	switch {
	case n[0] == 0:
		return isNew
	case n[1] == 0:
		return gone
	case n[1] > n[0]:
		return more
	case n[1] < n[0]:
		return fewer
	}
	return same
}
