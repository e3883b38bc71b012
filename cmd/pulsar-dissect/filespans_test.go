package main

import "testing"

func TestFileSpans(t *testing.T) {
	var s fileSpans
	for packet, file := range []int{0, 0, 1, 0, 2, 2} {
		s.add(uint64(packet+1), file)
	}
	for packet, want := range []int{unknownFile, 0, 0, 1, 0, 2, 2, 2} {
		if got := s.of(uint64(packet)); got != want {
			t.Errorf("packet %d: file %d, want %d", packet, got, want)
		}
	}
	for n := range uint64(2 * fileSpansKept) {
		s.add(10+n, int(n%2))
	}
	if got := s.of(3 * fileSpansKept); got != unknownFile || len(s.spans) != fileSpansKept+1 {
		t.Errorf("beyond the limit: file %d, %d spans", got, len(s.spans))
	}
}
