package diagnose

import (
	"fmt"
	"slices"

	"pulsar-dissect/session"
)

// mostLegs bounds how many connections behind proxies are remembered.
const mostLegs = 100_000

// legs knows the connection in front of a proxy for each behind it: what both
// show is one finding.
type legs map[int]int

// see notes the legs of a connection that has ended.
func (l legs) see(c *session.Conn) {
	for _, x := range c.Legs {
		if x.Role == session.Back && len(l) < mostLegs {
			l[c.ID] = x.Other
		}
	}
}

// fold takes the findings of legs behind proxies into those of the legs in
// front that say the same.
func (l legs) fold(all []*Finding) []*Finding {
	if len(l) == 0 {
		return all
	}
	front := map[foldKey]*Finding{}
	for _, f := range all {
		front[f.key(f.Subject.ConnID)] = f
	}
	return slices.DeleteFunc(all, func(f *Finding) bool {
		other, behind := l[f.Subject.ConnID]
		if !behind || f.Subject.ConnID < 0 {
			return false
		}
		x := front[f.key(other)]
		if x == nil || x.Count < f.Count {
			return false
		}
		x.Detail += fmt.Sprintf(" The same was seen behind the proxy, on c%d.", f.Subject.ConnID)
		room := max(0, evidenceKept-len(x.Evidence))
		x.Evidence = append(x.Evidence, f.Evidence[:min(room, len(f.Evidence))]...)
		return true
	})
}

// key is what a finding has in common with those that it is folded with, on a
// connection.
func (f *Finding) key(conn int) foldKey {
	about := f.Subject
	about.Conn, about.ConnID = "", conn
	return foldKey{f.Rule, f.Severity, f.Title, about}
}
