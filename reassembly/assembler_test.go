package reassembly

import (
	"slices"
	"testing"
	"time"
)

// TestModel plays many captures through the assembler and the model.
func TestModel(t *testing.T) {
	scripts := 6000
	if testing.Short() {
		scripts = 600
	}
	connections, gaps := 0, 0
	for seed := range uint64(scripts) {
		m := playSeed(t, Limits{}, seed)
		connections += m.seen
		for _, e := range m.events {
			if e[0] == '2' {
				gaps++
			}
		}
	}
	if connections < scripts || gaps < scripts/4 {
		t.Errorf("%d connections and %d gaps: the scripts try too little", connections, gaps)
	}
}

func playSeed(t *testing.T, l Limits, seed uint64) *model {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	return play(t, l, script(random(seed), 700))
}

// The same packets give the same events.
func TestModelDeterministic(t *testing.T) {
	for seed := range uint64(100) {
		one, two := playSeed(t, Limits{}, seed), playSeed(t, Limits{}, seed)
		if !slices.Equal(one.events, two.events) {
			t.Fatalf("seed %d: events differ between two runs", seed)
		}
	}
}

// Limits that are hit give gaps and nothing else: the streams are still tiled.
func TestModelSmallLimits(t *testing.T) {
	for _, l := range []Limits{
		{HeldPerDirection: 1},
		{HeldPerDirection: 300},
		{Held: 400},
		{HeldPerDirection: 600, Held: 700},
		{HoldTime: 10 * time.Millisecond, AckedHoldTime: 3 * time.Millisecond, Linger: time.Millisecond},
	} {
		for seed := range uint64(500) {
			playSeed(t, l, seed)
		}
	}
}

func FuzzReassembly(f *testing.F) {
	for seed := range uint64(40) {
		choose := random(seed)
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(choose(256))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<13 {
			return
		}
		play(t, Limits{}, script(out(b), 200))
	})
}
