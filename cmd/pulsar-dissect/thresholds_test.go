package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"pulsar-dissect/diagnose"
)

// Every field of the thresholds has one flag, which sets it and no other, and
// whose default is that of the rules.
func TestEveryThresholdHasAFlag(t *testing.T) {
	values := &diagnose.Thresholds{}
	set := thresholdFlagSet(values)
	if *values != diagnose.Defaults() {
		t.Errorf("defaults %+v, want %+v", *values, diagnose.Defaults())
	}
	seen := map[string]bool{}
	set.VisitAll(func(f *pflag.Flag) {
		before := *values
		value := map[string]string{"N": "7777", "DURATION": "13ms"}[f.Value.Type()]
		if err := set.Set(f.Name, value); err != nil {
			t.Fatal(err)
		}
		for _, field := range changedThresholds(before, *values) {
			if seen[field] {
				t.Errorf("--%s: %s has a flag already", f.Name, field)
			}
			seen[field] = true
		}
		if f.Value.String() != value || !strings.HasPrefix(f.Name, "threshold-") || f.Usage == "" {
			t.Errorf("--%s: %s: %s", f.Name, f.Value, f.Usage)
		}
	})
	for i := range reflect.TypeFor[diagnose.Thresholds]().NumField() {
		if name := reflect.TypeFor[diagnose.Thresholds]().Field(i).Name; !seen[name] {
			t.Errorf("%s has no flag", name)
		}
	}
}

func changedThresholds(a, b diagnose.Thresholds) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !x.Field(i).Equal(y.Field(i)) {
			names = append(names, x.Type().Field(i).Name)
		}
	}
	return names
}

// The table names rules that there are.
func TestThresholdsNameRules(t *testing.T) {
	for _, row := range thresholdFlags(&diagnose.Thresholds{}) {
		rules := strings.Fields(row.rules)
		if len(rules) == 0 {
			t.Errorf("--%s is of no rule", row.name)
		}
		for _, name := range rules {
			if diagnose.ByName(name) == nil {
				t.Errorf("--%s: there is no rule %q", row.name, name)
			}
		}
	}
}

// What a rule looks at is told with the values that the user gave.
func TestThresholdsOf(t *testing.T) {
	o := &options{}
	thresholdFlagSet(&o.looked.thresholds)
	o.looked.thresholds.FlappingWindow = 7 * time.Second
	got := strings.Join(o.thresholdsOf("failover-flapping"), "\n")
	want := "--threshold-flapping-count 3: changes of the active consumer within the window\n--threshold-flapping-window 7s: the window"
	if got != want {
		t.Errorf("got %s", got)
	}
}
