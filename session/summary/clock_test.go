package summary

import (
	"testing"
	"time"

	"pulsar-dissect/capture"
)

func TestReorderIsAdvisedWhereItHelps(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps uint64
		most  time.Duration
		want  time.Duration
		set   bool
	}{
		{"in order", 0, 0, 0, false},
		{"two CPUs, 43 µs apart", 253, 43 * time.Microsecond, 0, false},
		{"shuffled", 93, 127983 * time.Microsecond, 200 * time.Millisecond, false},
		{"shuffled by 2 ms", 18, 1989 * time.Microsecond, 2 * time.Millisecond, false},
		{"the clock was set", 1, 7 * time.Second, 0, true},
		{"one file behind the other", 3, 18 * time.Minute, 0, true},
		{"one step that matters to nobody", 1, 10 * time.Microsecond, 0, false},
	} {
		f := capture.FileStats{Packets: 100, StepsBack: c.steps, LargestStepBack: int64(c.most)}
		if got := Reorder(&f); got != c.want {
			t.Errorf("%s: advises %v, want %v", c.name, got, c.want)
		}
		if got := ClockSet(&f); got != c.set {
			t.Errorf("%s: clock set is %v", c.name, got)
		}
	}
}

func TestSpanLeavesOutFilesWithoutTimes(t *testing.T) {
	s := New(Limits{})
	if _, _, ok := s.Span(); ok {
		t.Error("a run without files has a span")
	}
	s.Finish(Totals{Capture: capture.Stats{Files: []capture.FileStats{
		{Packets: 3, NoTime: 3}, {Packets: 2, First: 50, Last: 90}, {Packets: 5, NoTime: 1, First: 20, Last: 60}, {},
	}}})
	first, last, ok := s.Span()
	if first != 20 || last != 90 || !ok || s.Packets() != 10 {
		t.Errorf("got %d to %d (%v) of %d packets, want 20 to 90 of 10", first, last, ok, s.Packets())
	}
}
