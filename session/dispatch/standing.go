package dispatch

// Standing is what is to be said of a subscription as a whole, over all of its
// consumers.
type Standing struct {
	Topic, Subscription string
	Redelivered         int64 // of the delivered messages, those that it had got before
	Unacked             int64 // messages that were delivered, and are acknowledged by no consumer so far
}

// Standings gives all subscriptions of topics that are stored, as they are now.
func (t *Tracker) Standings() []Standing {
	out := make([]Standing, 0, len(t.subs))
	for _, s := range t.subs {
		if s.Topic.stored {
			out = append(out, Standing{s.Topic.Name, s.Name, s.redelivered, s.unacked()})
		}
	}
	return out
}

// unacked counts each message once, however often it was delivered.
func (s *Subscription) unacked() (n int64) {
	for e := s.first; e != nil; e = e.next {
		if e.State != Acked {
			n += int64(e.Left)
		}
	}
	return n
}

// cameBefore counts messages that are delivered once more.
func (c *Consumer) cameBefore(messages int64) {
	c.Redelivered += messages
	c.Sub.redelivered += messages
}
