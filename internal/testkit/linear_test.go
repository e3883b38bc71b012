package testkit

import (
	"testing"
	"time"
)

// blamed is a test that may fail.
type blamed struct {
	testing.TB
	failed bool
}

func (b *blamed) Helper()               {}
func (b *blamed) Errorf(string, ...any) { b.failed = true }

// burn takes CPU time.
func burn(d time.Duration) {
	for until := cpu() + d; cpu() < until; {
	}
}

// Quadratic work is told from linear work.
func TestLinear(t *testing.T) {
	const unit = 200 * time.Millisecond
	for _, x := range []struct {
		work func(size int)
		want bool
	}{
		{func(size int) { burn(time.Duration(size) * unit) }, false},
		{func(size int) { burn(time.Duration(size*size) * unit) }, true},
	} {
		b := &blamed{TB: t}
		if Linear(b, x.work); b.failed != x.want {
			t.Errorf("failed is %v, want %v", b.failed, x.want)
		}
	}
}
