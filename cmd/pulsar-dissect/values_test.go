package main

import (
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for _, v := range []struct {
		text  string
		want  int64
		shown string
	}{
		{"0", 0, "0"}, {"1", 1, "1"}, {"1023", 1023, "1023"}, {"1024", 1024, "1K"}, {"1k", 1024, "1K"}, {"5M", 5 << 20, "5M"}, {"2G", 2 << 30, "2G"},
		{"3MiB", 3 << 20, "3M"}, {"3MB", 3 << 20, "3M"}, {"12B", 12, "12"}, {"1536", 1536, "1536"}, {"1T", 1 << 40, "1T"}, {"2048T", 1 << 51, "2048T"},
	} {
		var got int64
		s := size[int64]{&got}
		if err := s.Set(v.text); err != nil || got != v.want || s.String() != v.shown {
			t.Errorf("%s: got %d, %s, %v", v.text, got, s, err)
		}
	}
	for _, text := range []string{"", "K", "-1", "1.5M", "1X", "M5", "9223372036854775808", "9007199254740992K", "99999999999T"} {
		var got int64
		if err := (size[int64]{&got}).Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}

func TestNumbersAndSpans(t *testing.T) {
	var n int
	for text, want := range map[string]int{"1": 1, "42": 42} {
		if err := (number{&n}).Set(text); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"0", "-1", "x", "1.5", ""} {
		if err := (number{&n}).Set(text); err == nil {
			t.Errorf("%q is taken as a number", text)
		}
	}
	var d time.Duration
	for text, want := range map[string]time.Duration{"200ms": 200 * time.Millisecond, "1m30s": 90 * time.Second, "0": 0} {
		if err := (span{&d}).Set(text); err != nil || d != want {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"5", "-1s", "", "1 s"} {
		if err := (span{&d}).Set(text); err == nil {
			t.Errorf("%q is taken as a duration", text)
		}
	}
}
