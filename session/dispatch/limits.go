package dispatch

// Limits bounds what a Tracker holds. Zero fields take the defaults.
type Limits struct {
	Entries   int // deliveries remembered, over all subscriptions
	Owed      int // stored and not yet delivered, of one subscription
	OwedInAll int // the same of all subscriptions
	Sends     int // SENDs without a receipt
}

// The default limits.
const (
	DefaultEntries   = 100_000
	DefaultOwed      = 50_000
	DefaultOwedInAll = 250_000
	DefaultSends     = 100_000
)

func (l Limits) withDefaults() Limits {
	for v, d := range map[*int]int{&l.Entries: DefaultEntries, &l.Owed: DefaultOwed, &l.OwedInAll: DefaultOwedInAll, &l.Sends: DefaultSends} {
		if *v <= 0 {
			*v = d
		}
	}
	return l
}

// Counters says how often limits were hit: how many of each were let go.
type Counters struct {
	Entries, Owed, Sends uint64
}
