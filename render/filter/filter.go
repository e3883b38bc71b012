package filter

import (
	"fmt"

	"pulsar-dissect/session"
)

// Filter is a set of conditions. It is not safe for concurrent use.
type Filter struct {
	terms  []*term
	begin  int64 // time of the first packet, ns since the Unix epoch
	record record
	doubts Doubts
}

// term is what was said with one flag.
type term struct {
	flag string
	any  []predicate // one must hold, if there are some
	none []predicate // none may hold

	typed string // the flag with its values
	met   bool   // an event was noticed that it lets through
}

// predicate tells whether an event is meant by a value of a flag.
type predicate func(f *Filter, e *session.Event) bool

// Add adds a condition: a flag of Flags and its value. not turns it round. An
// error tells what is wrong with the value.
func (f *Filter) Add(flag, value string, not bool) error {
	for i := range Flags {
		if Flags[i].Name == flag {
			p, err := Flags[i].parse(value)
			if err != nil {
				return err
			}
			t := f.term(flag)
			t.add(p, not)
			t.typing(&Flags[i], value, not)
			return nil
		}
	}
	return fmt.Errorf("there is no filter %q", flag)
}

func (f *Filter) term(flag string) *term {
	for _, t := range f.terms {
		if t.flag == flag {
			return t
		}
	}
	t := &term{flag: flag}
	f.terms = append(f.terms, t)
	return t
}

// typing notes how the flag was typed.
func (t *term) typing(flag *Flag, value string, not bool) {
	if t.typed != "" {
		t.typed += " "
	}
	if not {
		t.typed += "--not "
	}
	t.typed += "--" + t.flag
	if flag.Argument != "" {
		t.typed += " " + value
	}
}

func (t *term) add(p predicate, not bool) {
	if not {
		t.none = append(t.none, p)
	} else {
		t.any = append(t.any, p)
	}
}

// Empty says whether every event matches.
func (f *Filter) Empty() bool { return len(f.terms) == 0 }

// Encode sets how the records are made that expressions see.
func (f *Filter) Encode(encode func(dst []byte, e *session.Event) []byte) { f.record.encode = encode }

// Begin tells the time of the run's first packet, in ns since the Unix epoch,
// which times without a date count from.
func (f *Filter) Begin(ns int64) { f.begin = ns }

// Match tells whether an event is to be shown.
func (f *Filter) Match(e *session.Event) bool {
	f.record.stale = true
	for _, t := range f.terms {
		if !t.match(f, e) {
			return false
		}
	}
	return true
}

func (t *term) match(f *Filter, e *session.Event) bool {
	for _, p := range t.none {
		if p(f, e) {
			return false
		}
	}
	for _, p := range t.any {
		if p(f, e) {
			return true
		}
	}
	return len(t.any) == 0
}
