package diagnose

import (
	"fmt"

	"pulsar-dissect/session"
)

var overDelivery = &Rule{
	Name:     "over-delivery",
	Severity: Warning,
	Title:    "Broker delivers although there are no permits",
	Meaning: "Permits are used up, and the broker goes on sending. Some of that is normal: it estimates how many messages an entry has and " +
		"sends batches whole. This is more than one of its reads can bring.",
	Advice: "The client's memory is at risk. Look for a broker version with a known fault in flow control, and for a proxy that answers for the client.",
	Blind:  "Where a FLOW was not captured. With a gap in the connection nothing is said.",
	Lint:   true,
	Kinds:  []session.Kind{session.PermitsChanged},
	Start: func(r *Reporter) Watch {
		r.Dispatch()
		over := newPerConsumer[overdraft](r)
		return func(e *session.Event) {
			if e.Kind == session.PermitsChanged && e.Permits.BaselineKnown {
				r.overdrawn(e, over)
			}
		}
	},
}

// overdraft counts entries that came while no permits were left.
type overdraft struct{ entries int }

func (r *Reporter) overdrawn(e *session.Event, over perConsumer[overdraft]) {
	p, c := e.Permits, r.Dispatch().Of(e)
	if p.Flow || p.Outstanding+p.N > 0 {
		if x := over.at(c); x != nil {
			x.entries = 0
		}
		return
	}
	x := over.of(c)
	if x.entries++; x.entries == r.Thresholds.OverDelivery+1 && gapless(e.Conn) {
		r.Warn(about(e), fmt.Sprintf("%d entries came after the last permit was used; %d permits are outstanding.",
			x.entries, p.Outstanding), here(e))
	}
}
