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
	asked   dispatch.Position // the open entry that made the rule look
	oldest  dispatch.Position
	bad     bool
	finding *Finding
}

// acksBetween is how many acknowledged entries go by between two looks at how
// many ranges there are.
const acksBetween = 1000

// acked looks whether the oldest that is not acknowledged is old.
func (w *holeWatch) acked(c *dispatch.Consumer, e *dispatch.Entry) {
	s := c.Sub
	x, old := w.of.of(s), w.Dispatch().Now()-int64(w.Thresholds.AckHoleAge)
	if x.told.finding != nil && x.told.oldest == e.Position {
		x.told.closed(e)
	}
	if x.acks++; x.acks%acksBetween != 0 && s.AllOpenAfter(old) {
		return
	}
	oldest := s.OldestOpen()
	if oldest == nil || oldest.Compare(e.Position) >= 0 {
		return
	}
	if oldest.First().Time <= old && !(x.told.bad && x.told.asked == oldest.Position) || x.acks%acksBetween == 0 {
		w.look(s, oldest.Position, true)
	}
}

// closed: what was told of has been acknowledged after all.
func (t *toldHole) closed(e *dispatch.Entry) {
	f := t.finding
	f.Severity, f.Advice = Info, closedAdvice
	f.Detail += fmt.Sprintf(" It was acknowledged at %s, %s after its first delivery.", clock(e.End.Time), lasting(e.End.Time-e.First().Time))
	t.oldest, t.bad = dispatch.Position{}, false
}

const closedAdvice = "Nothing is left to do for this message. If it often takes that long, look at what the application does with a message before it acknowledges it."

func (w *holeWatch) ended(c *dispatch.Consumer, _ *dispatch.Verdict) {
	if c.Sub == nil {
		return
	}
	w.look(c.Sub, dispatch.Position{}, false)
	if len(c.Sub.Attached()) == 0 {
		w.of.of(c.Sub).acks = 0
		if !c.Durable { // it ends with its consumer
			w.of.of(c.Sub).told = toldHole{}
		}
	}
}

// holes are what a subscription has not acknowledged below what it has.
type holes struct {
	ranges  int             // acknowledged ranges above the oldest hole
	entries int             // in holes
	oldest  *dispatch.Entry // that was delivered first of these
	newest  *dispatch.Entry // acknowledged
}

func holesOf(entries []*dispatch.Entry) (h holes) {
	var pending holes
	for _, e := range entries {
		if e.State != dispatch.Acked {
			pending.entries++
			pending.oldest = deliveredFirst(pending.oldest, e)
			continue
		}
		if pending.entries > 0 {
			h.ranges, h.entries, h.oldest = h.ranges+1, h.entries+pending.entries, deliveredFirst(h.oldest, pending.oldest)
			pending = holes{}
		}
		if h.ranges > 0 {
			h.newest = e
		}
	}
	return h
}

func deliveredFirst(a, b *dispatch.Entry) *dispatch.Entry {
	if a == nil || b.First().Time < a.First().Time {
		return b
	}
	return a
}

// seldom is the age below which a hole is not worth a word.
const seldom = time.Second

// look tells of the holes of a subscription. Unless they are many or old, only
// at the end of a consumer.
func (w *holeWatch) look(s *dispatch.Subscription, asked dispatch.Position, running bool) {
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
	x.told = toldHole{asked, h.oldest.Position, bad, w.tell(s, &h, bad, age, x.told.finding)}
}

// tell reports holes. What is told of a subscription is how it stands now.
func (w *holeWatch) tell(s *dispatch.Subscription, h *holes, bad bool, age time.Duration, first *Finding) *Finding {
	f := Finding{Severity: Info, Advice: w.rule.Advice, Subject: aboutSubscription(s), Evidence: proofs(append(deliveries(h.oldest), h.newest.End)...),
		Detail: fmt.Sprintf("%s not acknowledged between %s of acknowledged ones; the oldest, %s, was %s; the newest acknowledged is %s.",
			waiting(h.entries), counted(h.ranges, "range"), h.oldest.Position, lastHad(h.oldest, age), h.newest.Position)}
	if bad {
		f.Severity = Warning
	}
	if first != nil {
		first.Count++
		first.Severity, first.Advice, first.Detail, first.Evidence = f.Severity, f.Advice, f.Detail, f.Evidence
		return first
	}
	return w.Report(f)
}

// deliveries are the first and the last of an entry.
func deliveries(e *dispatch.Entry) []dispatch.Ref {
	if e.Deliveries == 1 {
		return []dispatch.Ref{e.Last}
	}
	return []dispatch.Ref{*e.First(), e.Last}
}

// lastHad says when an entry was delivered and who got it last.
func lastHad(e *dispatch.Entry, age time.Duration) string {
	text := "delivered " + lasting(int64(age)) + " before to " + called(e.Consumer)
	if e.Deliveries > 1 {
		text = fmt.Sprintf("delivered %s before for the first time, %d times in all, last at %s to %s", lasting(int64(age)), e.Deliveries,
			clock(e.Last.Time), called(e.Consumer))
	}
	return text + left[e.State]
}

// left says what a consumer did with an entry that it did not acknowledge.
var left = map[dispatch.State]string{dispatch.Returned: ", which gave it back", dispatch.Orphaned: ", which has ended since"}

func gaplessAll(consumers ...*dispatch.Consumer) bool {
	for _, c := range consumers {
		if !gapless(c.Conn) {
			return false
		}
	}
	return true
}
