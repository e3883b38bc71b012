package diagnose

import (
	"fmt"
	"time"

	"pulsar-dissect/session/dispatch"
)

var ackHole = &Rule{
	Name:     "ack-hole",
	Severity: Warning,
	Title:    "Acknowledgements leave holes",
	Meaning: "Later messages are acknowledged, an earlier one is not. The broker keeps the ranges between the holes: with more than " +
		"managedLedgerMaxUnackedRangesToPersist (10,000 by default) it forgets some when it restarts, and delivers those messages again. " +
		"The backlog of the subscription counts from the oldest hole on, and its ledgers cannot be deleted.",
	Advice: "Find out what became of the oldest unacknowledged message: an application that lost it, or holds it. Acknowledge it, give it back, or set an ack timeout.",
	Blind:  "Holes that were there before the capture began.",
	Follow: func(r *Reporter) {
		w := &holeWatch{Reporter: r, of: newPerSubscription[holeState](r)}
		r.Dispatch().Watch(dispatch.Watcher{Acked: w.acked, Ended: w.ended})
	},
}

type holeWatch struct {
	*Reporter
	of      perSubscription[holeState]
	entries []*dispatch.Entry // of the look at hand
}

// holeState is what is known of a subscription.
type holeState struct {
	told toldHole // last
	acks int      // entries acknowledged since it had no consumer
}

// toldHole is what a hole was told by.
type toldHole struct {
	oldest dispatch.Position
	bad    bool
}

// acksBetween is how many acknowledged entries go by between two looks at how
// many ranges there are.
const acksBetween = 1000

// acked looks whether the oldest that is not acknowledged is old.
func (w *holeWatch) acked(c *dispatch.Consumer, e *dispatch.Entry) {
	s := c.Sub
	x, old := w.of.of(s), w.Dispatch().Now()-int64(w.Thresholds.AckHoleAge)
	if x.acks++; x.acks%acksBetween != 0 && s.AllOpenAfter(old) {
		return
	}
	oldest := s.OldestOpen()
	if oldest == nil || oldest.Compare(e.Position) >= 0 {
		return
	}
	if oldest.First().Time <= old && x.told != (toldHole{oldest.Position, true}) || x.acks%acksBetween == 0 {
		w.look(s, true)
	}
}

func (w *holeWatch) ended(c *dispatch.Consumer, _ *dispatch.Verdict) {
	if c.Sub == nil {
		return
	}
	w.look(c.Sub, false)
	if len(c.Sub.Attached()) == 0 {
		w.of.of(c.Sub).acks = 0
		if !c.Durable { // it ends with its consumer
			w.of.of(c.Sub).told = toldHole{}
		}
	}
}

// holes are what a subscription has not acknowledged below what it has.
type holes struct {
	ranges  int // acknowledged ranges above the oldest hole
	entries int // in holes
	oldest  *dispatch.Entry
	newest  *dispatch.Entry // acknowledged
}

func holesOf(entries []*dispatch.Entry) (h holes) {
	open, pending := false, 0
	for _, e := range entries {
		if e.State != dispatch.Acked {
			if h.oldest == nil {
				h.oldest = e
			}
			open, pending = true, pending+1
			continue
		}
		if h.oldest == nil {
			continue
		}
		if open {
			h.ranges, h.entries, open, pending = h.ranges+1, h.entries+pending, false, 0
		}
		h.newest = e
	}
	return h
}

// seldom is the age below which a hole is not worth a word.
const seldom = time.Second

// look tells of the holes of a subscription. Unless they are many or old, only
// at the end of a consumer.
func (w *holeWatch) look(s *dispatch.Subscription, running bool) {
	w.entries = s.AppendEntries(w.entries[:0])
	h := holesOf(w.entries)
	if h.ranges == 0 || !gaplessAll(h.oldest.Consumer, h.newest.Consumer) {
		return
	}
	age := time.Duration(w.Dispatch().Now() - h.oldest.First().Time)
	bad := h.ranges >= w.Thresholds.AckHoleRanges || age >= w.Thresholds.AckHoleAge
	x := w.of.of(s)
	if t := &x.told; !bad && (running || age < seldom) || t.oldest == h.oldest.Position && (t.bad || !bad) {
		return
	}
	x.told = toldHole{h.oldest.Position, bad}
	f := Finding{Severity: Info, Subject: aboutSubscription(s), Evidence: proofs(h.oldest.Last, h.newest.End),
		Detail: fmt.Sprintf("%s not acknowledged between %s of acknowledged ones; the oldest, %s, was delivered %s before (to consumer %s), the newest acknowledged is %s.",
			waiting(h.entries), counted(h.ranges, "range"), h.oldest.Position, lasting(int64(age)), h.oldest.Consumer.Name, h.newest.Position)}
	if bad {
		f.Severity = Warning
	}
	w.Report(f)
}

func gaplessAll(consumers ...*dispatch.Consumer) bool {
	for _, c := range consumers {
		if !gapless(c.Conn) {
			return false
		}
	}
	return true
}
