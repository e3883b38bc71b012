package testkit

import (
	"testing"
	"time"
)

// Linear runs work of a certain size, then of four times the size, and fails if
// the second took far more than four times the CPU time of the first: sixteen
// times is what work takes that looks at everything again and again. CPU time
// does not depend on what else the machine does, as the time of day does.
func Linear(t testing.TB, work func(size int)) {
	t.Helper()
	one, four := used(work, 1), used(work, 4)
	if most := 10*one + time.Second; four > most {
		t.Errorf("four times the size took %v, once %v", four, one)
	}
}

// used is the CPU time of work.
func used(work func(size int), size int) time.Duration {
	before := cpu()
	work(size)
	return cpu() - before
}
