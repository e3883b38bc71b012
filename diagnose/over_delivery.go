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
	Kinds:  []session.Kind{session.PermitsChanged, session.ConnectionEnd},
	Start: func(r *Reporter) Watch {
		over := perConn[map[uint64]int]{}
		return func(e *session.Event) {
			switch e.Kind {
			case session.ConnectionEnd:
				delete(over, e.Conn.ID)
			case session.PermitsChanged:
				r.overdrawn(e, over.of(e.Conn))
			}
		}
	},
}

// overdrawn counts entries that came while no permits were left.
func (r *Reporter) overdrawn(e *session.Event, over *map[uint64]int) {
	p := e.Permits
	if *over == nil {
		*over = map[uint64]int{}
	}
	if p.Flow || p.Outstanding+p.N > 0 || !p.BaselineKnown {
		delete(*over, p.ConsumerID)
		return
	}
	if (*over)[p.ConsumerID]++; (*over)[p.ConsumerID] == r.Thresholds.OverDelivery+1 && gapless(e.Conn) {
		r.Warn(about(e), fmt.Sprintf("%d entries came after the last permit was used; %d permits are outstanding.",
			(*over)[p.ConsumerID], p.Outstanding), here(e))
	}
}
