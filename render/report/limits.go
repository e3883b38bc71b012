package report

// What a report holds at most unless the user says otherwise.
const (
	// DefaultEvents is how many events the lists and diagrams of a page show:
	// about 50 MB, held in memory while they are gathered, and by the browser.
	DefaultEvents = 100_000

	keptConnections = 10_000 // records of connections
	keptConsumers   = 10_000 // records of verdicts on consumers
	keptTopics      = 500    // with a series of their own
	keptPermits     = 1_000  // consumers with a series
	keptLatencies   = 100    // kinds of exchanges with a series
)

// Limits are what a page holds at most.
type Limits struct {
	Events int // in its lists and diagrams, the first ones; 0: DefaultEvents
}

func (l Limits) withDefaults() Limits {
	if l.Events <= 0 {
		l.Events = DefaultEvents
	}
	return l
}

// kept says how much of something the page has.
type kept struct {
	Shown uint64 `json:"shown"`
	Of    uint64 `json:"of"`
}

// take counts one more, and says whether it is to be shown.
func (k *kept) take(limit int) bool {
	k.Of++
	if k.Shown >= uint64(limit) {
		return false
	}
	k.Shown++
	return true
}
