package dispatch

import "time"

// Doing says how a consumer is doing.
type Doing uint8

// What a consumer may be doing.
const (
	Unknown          Doing = iota // the capture does not tell
	Flowing                       // it gets messages
	NoPermits                     // the broker may not send: no FLOW came for long enough
	NoMessages                    // it could get messages, none to deliver was seen
	UnackedLimit                  // it has permits and messages wait, but too many are not acknowledged
	AppNotAcking                  // it has got messages and does not acknowledge
	BlockedKey                    // Key_Shared: what waits has a key that another consumer holds
	InactiveFailover              // another consumer of the subscription is the active one
	Closed                        // it has ended
)

// String is the name that the JSON output uses.
func (d Doing) String() string {
	return [...]string{"unknown", "flowing", "no_permits", "no_messages_seen", "unacked_limit", "app_not_acking", "blocked_key",
		"inactive_failover", "closed"}[d]
}

// Verdict is how a consumer is doing at a moment, and since when.
type Verdict struct {
	Consumer *Consumer
	At       int64 // ns since the Unix epoch
	State    Doing
	Since    int64 // ns since the Unix epoch
	Before   Doing // Closed: what it was doing until then
	Permits  int64 // outstanding
	Unacked  int64 // messages
	Oldest   Position
	HasAge   bool
	Age      int64 // ns since the delivery of Oldest
	Waiting  int   // entries that the subscription is known to wait for
	Holder   *Consumer
	Key      string // BlockedKey
}

// Times that verdicts are made by.
const (
	recently   = 5 * time.Second  // delivered within this: it flows
	notAcking  = 60 * time.Second // not acknowledged for so long: the application does not
	neverAcked = 5 * time.Second  // the same where it has acknowledged nothing at all
	unmoved    = time.Second      // messages wait, permits are there and nothing comes for so long
)

// Verdict judges a consumer as of the latest event.
func (t *Tracker) Verdict(c *Consumer) Verdict {
	v := Verdict{Consumer: c, At: t.now, Permits: c.Outstanding(), Unacked: c.Unacked()}
	if e := c.OldestUnacked(); e != nil {
		v.Oldest, v.HasAge, v.Age = e.Position, true, max(t.now-e.Last.Time, 0)
	}
	if c.Sub != nil {
		v.Waiting = c.Sub.Owed()
	}
	for _, judge := range judges {
		if judge(t, c, &v) {
			break
		}
	}
	return v
}

// close makes it a verdict on a consumer that has just ended.
func (v *Verdict) close(c *Consumer) {
	v.Before, v.State, v.Since = v.State, Closed, c.Closed.Time
}

func (v *Verdict) is(d Doing, since int64) bool {
	v.State, v.Since = d, since
	return true
}

// judges are the verdicts there are; the first that fits counts.
var judges = []func(*Tracker, *Consumer, *Verdict) bool{
	isClosed, isInactive, hasNoPermits, isBlockedByKey, isAtLimit, doesNotAck, flows, seesNothing, isUnknown,
}

func isClosed(_ *Tracker, c *Consumer, v *Verdict) bool {
	return c.Closed.Known() && v.is(Closed, c.Closed.Time)
}

func isInactive(_ *Tracker, c *Consumer, v *Verdict) bool {
	return c.Sub != nil && c.Activity == IsInactive && v.is(InactiveFailover, c.ActivitySince)
}

func hasNoPermits(_ *Tracker, c *Consumer, v *Verdict) bool {
	return c.Known && v.Permits <= 0 && v.is(NoPermits, max(c.NoPermits.From, c.Since))
}

func isBlockedByKey(_ *Tracker, c *Consumer, v *Verdict) bool {
	if c.Sub == nil || c.Type != keyShared {
		return false
	}
	front := c.Sub.owed.front()
	if front == nil {
		return false
	}
	v.Key = front.key
	if v.Holder, _ = c.Sub.Holder(front.key, c); v.Holder != nil {
		return v.is(BlockedKey, front.since)
	}
	itself, _ := c.Sub.Holder(front.key, nil)
	return itself == c && v.HasAge && v.Age >= int64(unmoved) && v.is(AppNotAcking, v.At-v.Age)
}

func isAtLimit(t *Tracker, c *Consumer, v *Verdict) bool {
	if c.Sub == nil || v.Unacked == 0 || c.Sub.Topic.openTxns > 0 {
		return false
	}
	from, stalled := c.Sub.stallFrom()
	return stalled && t.now-from >= int64(unmoved) && v.is(UnackedLimit, from)
}

func doesNotAck(_ *Tracker, c *Consumer, v *Verdict) bool {
	limit := notAcking
	if c.Acked == 0 {
		limit = neverAcked
	}
	return v.HasAge && v.Age >= int64(limit) && v.is(AppNotAcking, v.At-v.Age)
}

func flows(t *Tracker, c *Consumer, v *Verdict) bool {
	return c.LastDelivery.Known() && t.now-c.LastDelivery.Time <= int64(recently) && v.is(Flowing, max(c.NoPermits.To, c.Since))
}

func seesNothing(_ *Tracker, c *Consumer, v *Verdict) bool {
	return c.Known && v.Permits > 0 && v.Waiting == 0 && v.is(NoMessages, max(c.LastDelivery.Time, c.Since))
}

func isUnknown(_ *Tracker, c *Consumer, v *Verdict) bool { return v.is(Unknown, c.Since) }
