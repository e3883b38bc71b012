package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var permitLeak = &Rule{
	Name:     "permit-leak",
	Severity: Warning,
	Title:    "Client gives back fewer permits than it has used",
	Meaning: "Each message takes a permit; a client grants it anew once the application has taken the message. This one grants less than " +
		"its application has acknowledged, and the difference grows: in the end the broker may send nothing more, and the consumer is stuck.",
	Advice: "It is a fault of the client: typically of messages that it drops (before a start position, duplicates, broken or undecryptable ones, " +
		"chunks that time out) without granting their permits. Update the client; until then subscribe anew when it is stuck.",
	Blind: "Only messages up to the latest acknowledged one count as taken, so that a client which acknowledges late is found late.",
	Lint:  true,
	Kinds: []session.Kind{session.PermitsChanged},
	Start: func(r *Reporter) Watch {
		leaks := map[*dispatch.Consumer]*leak{}
		r.Dispatch().Watch(dispatch.Watcher{Ended: func(c *dispatch.Consumer, _ *dispatch.Verdict) { delete(leaks, c) }})
		return func(e *session.Event) {
			if e.Kind != session.PermitsChanged || !e.Permits.Flow || !e.Permits.BaselineKnown {
				return
			}
			if c := r.Dispatch().Of(e); c != nil && c.Flows > 1 && gapless(c.Conn) {
				r.refilled(e, c, leaks)
			}
		}
	},
}

// leak is what a consumer's client has not granted anew.
type leak struct {
	missing int64
	grown   int // refills in a row at which it grew
	told    bool
}

// leakRefills is at how many refills in a row the loss must have grown.
const leakRefills = 3

func (r *Reporter) refilled(e *session.Event, c *dispatch.Consumer, leaks map[*dispatch.Consumer]*leak) {
	x := leaks[c]
	if x == nil {
		x = &leak{}
		leaks[c] = x
	}
	missing := c.TakenUpTo - refills(c)
	if missing > max(x.missing, 0) {
		x.grown++
	} else {
		x.grown = 0
	}
	x.missing = missing
	if x.told || x.grown < leakRefills || perEntry(c) {
		return
	}
	x.told = true
	r.Warn(aboutConsumer(c), fmt.Sprintf("Of %s that the application has taken at least, %d were not granted anew by the %s after the first of %d; "+
		"at each of the last %d more were missing.", counted(c.TakenUpTo, "message"), missing, counted(c.Flows-1, "FLOW"), c.FirstFlow, x.grown),
		append(proofs(c.Subscribed), here(e))...)
}

// refills is how many permits were granted beyond the first FLOW.
func refills(c *dispatch.Consumer) int64 { return c.Granted - c.FirstFlow }

// perEntry says whether a client has granted a permit for each entry rather than
// for each message.
func perEntry(c *dispatch.Consumer) bool {
	n := refills(c)
	return c.Batches > 0 && n >= int64(c.EntriesUpTo) && n <= int64(c.Entries) && c.TakenUpTo > n
}
