package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

var permitPerEntry = &Rule{
	Name:     "permit-per-entry",
	Severity: Warning,
	Title:    "Client counts a permit for each batch, the broker for each message",
	Meaning: "Each message of a batch takes a permit. This client grants one for the whole batch, so that it runs out of permits, " +
		"the sooner the larger the batches are, and is stuck.",
	Advice: "It is a fault of the client: update it. Until then a larger receiver queue puts it off, and producers without batching avoid it.",
	Blind:  "From 20 batches on, of which the client has granted some anew.",
	Lint:   true,
	Kinds:  []session.Kind{session.PermitsChanged},
	Start: func(r *Reporter) Watch {
		told := map[*dispatch.Consumer]bool{}
		r.Dispatch().Watch(dispatch.Watcher{Ended: func(c *dispatch.Consumer, _ *dispatch.Verdict) { delete(told, c) }})
		return func(e *session.Event) {
			if e.Kind != session.PermitsChanged || !e.Permits.Flow || !e.Permits.BaselineKnown {
				return
			}
			c := r.Dispatch().Of(e)
			if c == nil || told[c] || c.Flows < 2 || c.Batches < leastBatches || !perEntry(c) || !gapless(c.Conn) {
				return
			}
			told[c] = true
			r.Warn(aboutConsumer(c), fmt.Sprintf("It got %s with %d messages and granted %d permits after the first %d; %d are outstanding.",
				waiting(c.Entries), c.Used, refills(c), c.FirstFlow, c.Outstanding()), append(proofs(c.Subscribed), here(e))...)
		}
	},
}

// leastBatches is from how many on it is not chance.
const leastBatches = 20
