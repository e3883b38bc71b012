package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// unlimited are fields of limits that have a flag elsewhere: 0 leaves them to
// the protocol.
var unlimited = map[string]bool{"decode.MaxFrame": true}

// Every field of the limits of every stage has a flag, which gives it its
// default.
func TestEveryLimitHasAFlag(t *testing.T) {
	l := &limits{}
	rows := l.flags()
	stages := reflect.ValueOf(*l)
	fields := 0
	for i := range stages.NumField() {
		for j := range stages.Field(i).NumField() {
			name := stages.Type().Field(i).Name + "." + stages.Field(i).Type().Field(j).Name
			if unlimited[name] {
				continue
			}
			fields++
			if stages.Field(i).Field(j).IsZero() {
				t.Errorf("%s has no flag", name)
			}
		}
	}
	if fields != len(rows) {
		t.Errorf("%d fields, %d flags", fields, len(rows))
	}
}

// A flag sets its field and no other, and the help says the default.
func TestLimitFlags(t *testing.T) {
	l := &limits{}
	set := l.flagSet()
	set.VisitAll(func(f *pflag.Flag) {
		before := *l
		value := map[string]string{"BYTES": "3K", "N": "7", "DURATION": "13ms"}[f.Value.Type()]
		if err := set.Set(f.Name, value); err != nil {
			t.Fatal(err)
		}
		if changed := changes(before, *l); len(changed) != 1 {
			t.Errorf("--%s changed %v", f.Name, changed)
		}
		if f.Value.String() != value || !strings.HasPrefix(f.Name, "limit-") || f.Usage == "" || f.DefValue == "0" {
			t.Errorf("--%s: %s, default %s: %s", f.Name, f.Value, f.DefValue, f.Usage)
		}
	})
}

func changes(a, b limits) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		for j := range x.Field(i).NumField() {
			if !x.Field(i).Field(j).Equal(y.Field(i).Field(j)) {
				names = append(names, x.Field(i).Type().String()+"."+x.Field(i).Type().Field(j).Name)
			}
		}
	}
	return names
}
