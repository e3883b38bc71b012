package summary

import (
	"reflect"
	"slices"
	"testing"
)

// notLimits are the counters of the stages that are no limits.
var notLimits = []string{"Connections", "Opened", "Records", "HeldBytesHighest", "Received", "Cut", "Assembled", "Pending", "PendingBytes"}

// TestEveryLimitIsTold sets each counter of each stage, and looks for it among
// the limits that the summary tells of: a counter that is added later has to be
// told as well, or named above.
func TestEveryLimitIsTold(t *testing.T) {
	for _, stage := range []struct {
		name  string
		field func(*Totals) any
	}{
		{"fragments", func(t *Totals) any { return &t.Segments.Fragments }},
		{"reassembly", func(t *Totals) any { return &t.Reassembly }},
		{"decrypt", func(t *Totals) any { return &t.Decrypt }},
		{"decode", func(t *Totals) any { return &t.Decode }},
		{"session", func(t *Totals) any { return &t.Session }},
	} {
		s := New(Limits{})
		counters := reflect.ValueOf(stage.field(&s.Totals)).Elem()
		for i := range counters.NumField() {
			name := counters.Type().Field(i).Name
			if counters.Field(i).Kind() != reflect.Uint64 || slices.Contains(notLimits, name) {
				continue
			}
			counters.Field(i).SetUint(77)
			if !slices.ContainsFunc(s.Hits(), func(h Hit) bool { return h.Count == 77 && h.What != "" }) {
				t.Errorf("%s: the summary does not tell of %s", stage.name, name)
			}
			counters.Field(i).SetUint(0)
		}
	}
}
