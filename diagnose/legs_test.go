package diagnose

import (
	"strings"
	"testing"
)

// What is found on both legs of a proxy is told once, of the leg in front;
// what is found behind it alone, or more often there, stays.
func TestLegs(t *testing.T) {
	rule, other := &Rule{Name: "a"}, &Rule{Name: "b"}
	on := func(r *Rule, conn, count int) *Finding {
		return &Finding{Rule: r, Count: count, Subject: Subject{Conn: "x", ConnID: conn, Topic: "t"}, Evidence: []Evidence{{ConnID: conn}}}
	}
	l := legs{3: 2, 5: 4}
	got := l.fold([]*Finding{on(rule, 2, 1), on(rule, 3, 1), on(other, 3, 1), on(rule, 4, 1), on(rule, 5, 2), on(rule, -1, 1)})
	want := []struct {
		rule     *Rule
		conn     int
		evidence int
	}{{rule, 2, 2}, {other, 3, 1}, {rule, 4, 1}, {rule, 5, 1}, {rule, -1, 1}}
	if len(got) != len(want) {
		t.Fatalf("%d findings, want %d", len(got), len(want))
	}
	for i, w := range want {
		if f := got[i]; f.Rule != w.rule || f.Subject.ConnID != w.conn || len(f.Evidence) != w.evidence {
			t.Errorf("%d: %s on c%d with %d frames, want %+v", i, f.Rule.Name, f.Subject.ConnID, len(f.Evidence), w)
		}
	}
	if !strings.Contains(got[0].Detail, "behind the proxy, on c3") {
		t.Errorf("the detail is %q", got[0].Detail)
	}
}
