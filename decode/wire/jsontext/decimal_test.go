package jsontext

import (
	"math"
	"strconv"
	"testing"
)

func TestAppendUintIsAsOfStrconv(t *testing.T) {
	check := func(v uint64) {
		t.Helper()
		if got, want := string(AppendUint([]byte("x"), v)), "x"+strconv.FormatUint(v, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if got, want := string(AppendInt(nil, int64(v))), strconv.FormatInt(int64(v), 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	for v := range uint64(100_000) {
		check(v)
		check(math.MaxUint64 - v)
	}
	for p := uint64(1); ; p *= 10 {
		for d := uint64(0); d < 3; d++ {
			check(p - d)
			check(p + d)
		}
		if p > math.MaxUint64/10 {
			break
		}
	}
	for shift := range 64 {
		for d := uint64(0); d < 3; d++ {
			check(1<<shift - d)
			check(1<<shift + d)
		}
	}
}

func BenchmarkAppendUint(b *testing.B) {
	buf := make([]byte, 0, 32)
	for b.Loop() {
		buf = AppendUint(buf[:0], 1796059365280)
	}
}
