package stats

// Limits bounds what is kept. Zero fields take the defaults.
type Limits struct {
	Rows      int // rows, over all intervals
	NameBytes int // bytes of the names in the rows
	Sketches  int // distributions of latencies, 36 KiB each
	Entities  int // producers and consumers that Topics knows at a time, and topics and subscriptions that it knows at all
}

// The default limits.
const (
	DefaultRows      = 20_000
	DefaultNameBytes = 8 << 20
	DefaultSketches  = 2_000
	DefaultEntities  = 20_000
)

func (l Limits) withDefaults() Limits {
	for _, v := range []struct {
		limit *int
		usual int
	}{
		{&l.Rows, DefaultRows}, {&l.NameBytes, DefaultNameBytes}, {&l.Sketches, DefaultSketches}, {&l.Entities, DefaultEntities},
	} {
		if *v.limit <= 0 {
			*v.limit = v.usual
		}
	}
	return l
}
