package diagnose

import (
	"testing"
	"time"
)

func TestIdleConsumer(t *testing.T) {
	for _, c := range []struct {
		permits uint32
		stored  uint64
		waits   time.Duration
		want    []string
	}{
		{0, 2, 6 * time.Second, []string{"warning c | sub | sent no FLOW in 6.0 s | 2 entries came to wait"}},
		{0, 0, 6 * time.Second, []string{"info c | sent no FLOW"}},
		{0, 2, 4 * time.Second, nil},
		{1, 2, 6 * time.Second, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, c.permits)
		for n := range c.stored {
			k.store(n)
		}
		s.wait(c.waits)
		k.closeConsumer(2)
		s.finds(idleConsumer, c.want...)
	}
}
