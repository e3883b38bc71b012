package dispatch

import "time"

// Cause says why nothing moved.
type Cause uint8

// The causes of a stall, as far as the wire tells.
const (
	CauseUnknown     Cause = iota
	CausePermits           // no consumer that could get messages had permits
	CauseUnacked           // consumers had permits, and as many unacknowledged messages as they may have
	CauseKey               // Key_Shared: another consumer has unacknowledged messages of the key
	CauseTransaction       // a transaction was open that had written to the topic
	CauseBroker            // consumers had permits, and the broker went on of itself
)

// Ending says how a stall ended.
type Ending uint8

// How a stall ended.
const (
	Moved    Ending = iota // messages were delivered
	Attached               // a consumer joined the subscription
	Detached               // a consumer left it
	RunEnd                 // not before the end of the run
	Ongoing                // it has not: this is how it stands
)

// Stall is a time in which a subscription had messages to deliver and consumers,
// and none moved.
type Stall struct {
	Sub       *Subscription
	Cause     Cause
	Span      // ns since the Unix epoch
	Ending    Ending
	Waiting   int         // entries, at its end
	Fresh     int         // of these, never delivered
	Front     Position    // of these, what had waited longest
	Consumers []*Consumer // that could have got messages
	Consumer  *Consumer   // whom it is about: without permits, with most unacknowledged messages, or with those of the key
	Unacked   int64       // messages that Consumer had not acknowledged when delivery stopped
	Key       string      // CauseKey
	Held      int         // CauseKey: entries of the key that Consumer has
	Before    Ref         // the last delivery before, if any was seen
	Resumed   Ref         // FLOW, ACK or CLOSE_CONSUMER that let it go on, where one did
	After     Ref         // what ended it
}

// Duration is how long it lasted.
func (s *Stall) Duration() time.Duration { return time.Duration(s.To - s.From) }

// Times that tell one stall from another.
const (
	shortestStall = 500 * time.Millisecond // shorter ones are not told
	promptly      = 500 * time.Millisecond // what a broker does as a consequence, it does within this
)

// stallFrom is since when the subscription has had messages and consumers, and
// nothing moved.
func (s *Subscription) stallFrom() (from int64, stalled bool) {
	front := s.owed.front()
	if front == nil || len(s.attached) == 0 {
		return 0, false
	}
	from = max(front.since, s.settled)
	if s.Type != keyShared {
		from = max(from, s.progress.Time)
	}
	return from, true
}

// candidates are the consumers that could get messages.
func (s *Subscription) candidates() (out []*Consumer) {
	told := false
	for _, c := range s.attached {
		told = told || c.Activity == IsActive
	}
	for _, c := range s.attached {
		if c.Activity != IsInactive && (!told || c.Activity == IsActive) {
			out = append(out, c)
		}
	}
	return out
}

// endStall tells of a stall that ends now, if there is one.
func (t *Tracker) endStall(s *Subscription, how Ending, at Ref) {
	from, stalled := s.stallFrom()
	to := t.now
	if how == Detached && at.Known() {
		to = at.Time
	}
	if !stalled || to-from < int64(shortestStall) || t.anyGone(s) {
		return
	}
	x := t.stall(s, Span{from, to}, how, at)
	s.settled = t.now
	for _, f := range t.stalled {
		f(&x)
	}
}

// stall describes a stall as it stands.
func (t *Tracker) stall(s *Subscription, when Span, how Ending, at Ref) Stall {
	x := Stall{Sub: s, Span: when, Ending: how, Waiting: s.owed.len(), Fresh: s.owed.fresh, Front: s.owed.front().Position,
		Consumers: s.candidates(), Before: s.progress, After: at}
	t.explain(s, &x)
	return x
}

// anyGone ends consumers whose connections are closed, if there are any. That
// ends the stall.
func (t *Tracker) anyGone(s *Subscription) bool {
	before := len(s.attached)
	if !s.reaping {
		s.reaping = true
		t.reap(s)
		s.reaping = false
	}
	return len(s.attached) < before
}

// explain finds the cause of a stall.
func (t *Tracker) explain(s *Subscription, x *Stall) {
	for _, try := range [...]func(*Tracker, *Subscription, *Stall) bool{
		(*Tracker).forTransaction, (*Tracker).forKey, (*Tracker).forPermits, (*Tracker).forUnacked, (*Tracker).forBroker,
	} {
		if len(x.Consumers) == 0 || try(t, s, x) {
			return
		}
	}
}

func (t *Tracker) forTransaction(s *Subscription, x *Stall) bool {
	if s.Topic.openTxns == 0 {
		return false
	}
	x.Cause = CauseTransaction
	return true
}

// forPermits: all that could get messages had no permits for nearly all of the
// time.
func (t *Tracker) forPermits(_ *Subscription, x *Stall) bool {
	for _, c := range x.Consumers {
		if !c.Known || !c.NoPermits.covers(x.Span) {
			return false
		}
	}
	x.Cause, x.Consumer = CausePermits, x.Consumers[0]
	if c := x.Consumer; c.NoPermits.To != 0 {
		x.Resumed = c.LastFlow
	}
	x.Unacked = x.Consumer.Unacked()
	return true
}

// covers says whether s has nearly all of o.
func (s Span) covers(o Span) bool {
	if s.From == 0 || s.From > o.From+int64(promptly) {
		return false
	}
	return s.To == 0 || s.To >= o.To-int64(promptly)
}

// forUnacked: consumers had permits, and it went on just after half of what was
// not acknowledged had been, or never.
func (t *Tracker) forUnacked(s *Subscription, x *Stall) bool {
	worst := x.Consumers[0]
	for _, c := range x.Consumers {
		if !c.Known || c.NoPermits.covers(x.Span) {
			continue
		}
		if c.unackedAtLatest > worst.unackedAtLatest {
			worst = c
		}
	}
	acted := s.acks.Known() && s.acks.Time >= x.From
	went := x.Ending == Moved && acted && x.To-s.acks.Time <= int64(promptly) && worst.Unacked() <= worst.unackedAtLatest/2
	never := x.Ending != Moved && s.acts <= x.From && worst.Unacked() > 0 && x.Fresh > 0
	if worst.unackedAtLatest == 0 || !went && !never {
		return false
	}
	x.Cause, x.Consumer, x.Unacked = CauseUnacked, worst, worst.unackedAtLatest
	if went {
		x.Resumed = s.acks
	}
	return true
}

// forBroker: it went on although no consumer had done anything.
func (t *Tracker) forBroker(s *Subscription, x *Stall) bool {
	if x.Ending != Moved || x.To-s.acts <= int64(promptly) {
		return false
	}
	x.Cause, x.Consumer = CauseBroker, x.Consumers[0]
	return true
}

// heldKey is what was held when an ACK came, which may have let go of it.
type heldKey struct {
	front   Position
	holder  *Consumer
	entries int
	key     string
}

// noteHeld remembers who holds the key of what has waited longest.
func (t *Tracker) noteHeld(s *Subscription) {
	front := s.owed.front()
	if s.Type != keyShared || front == nil || t.now-front.since < int64(shortestStall) {
		return
	}
	if c, n := s.Holder(front.key, nil); c != nil {
		s.held = heldKey{front.Position, c, n, front.key}
	}
}

// forKey: another consumer has unacknowledged messages of the key, or had until
// the last ACK, and a consumer without them had permits.
func (t *Tracker) forKey(s *Subscription, x *Stall) bool {
	front := s.owed.front()
	if s.Type != keyShared || front.key == "" {
		return false
	}
	held := heldKey{key: front.key}
	if held.holder, held.entries = s.Holder(front.key, nil); held.holder == nil && s.held.front == front.Position {
		held = s.held
		x.Resumed = s.acks
	}
	switch {
	case held.holder == nil:
		return false
	case held.holder.NoPermits.covers(x.Span): // it is the one to get them
		x.Cause, x.Resumed = CausePermits, held.holder.LastFlow
	case anyPermits(x.Consumers, held.holder, x.Span):
		x.Cause, x.Key, x.Held = CauseKey, held.key, held.entries
	default:
		return false
	}
	x.Consumer, x.Unacked = held.holder, held.holder.Unacked()
	return true
}

// anyPermits says whether a consumer other than the holder had permits.
func anyPermits(of []*Consumer, holder *Consumer, when Span) bool {
	for _, c := range of {
		if c != holder && !c.NoPermits.covers(when) {
			return true
		}
	}
	return false
}
