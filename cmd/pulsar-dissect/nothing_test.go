package main

import "testing"

// Where nothing was captured a file is only named that there is.
func TestNothingCaptured(t *testing.T) {
	for _, c := range []struct {
		options options
		want    string
	}{
		{options{}, "no TCP connection was captured ('pulsar-dissect analyze' says what was)"},
		{options{live: true}, "no TCP connection was captured"},
		{options{live: true, written: "kept.pcapng"}, "no TCP connection was captured ('pulsar-dissect analyze kept.pcapng' says what was)"},
	} {
		s := seen{filter: &c.options.filter, captured: c.options.lookAgain()}
		if got := s.why().Why; got != c.want {
			t.Errorf("live %v, written to %q: %q, not %q", c.options.live, c.options.written, got, c.want)
		}
	}
}
