package diagnose

import (
	"strconv"

	"pulsar-dissect/session"
	"pulsar-dissect/session/dispatch"
)

// Dispatch gives what follows deliveries, subscriptions and consumers for all
// rules together. A rule asks for it in its Start and watches it; it has seen an
// event before the rule does.
func (r *Reporter) Dispatch() *dispatch.Tracker { return r.engine.Dispatch() }

// Dispatch gives what follows deliveries, subscriptions and consumers of the
// run, so that a face can show its verdicts without paying twice. To be asked
// for before the first event.
func (e *Engine) Dispatch() *dispatch.Tracker {
	if e.dispatch == nil {
		e.dispatch = dispatch.New(e.options.Dispatch)
	}
	return e.dispatch
}

// aboutConsumer is the subject of what concerns one consumer.
func aboutConsumer(c *dispatch.Consumer) Subject {
	return Subject{Conn: c.Conn.Name, ConnID: c.Conn.ID, Topic: c.Topic, Subscription: c.Subscription, Consumer: nameOf(c)}
}

// nameOf is the name of a consumer, or its id where no name is known.
func nameOf(c *dispatch.Consumer) string {
	if c.Name != "" {
		return c.Name
	}
	return "consumer " + strconv.FormatUint(c.ID, 10)
}

// called is a consumer in a sentence.
func called(c *dispatch.Consumer) string {
	if c.Name == "" {
		return nameOf(c)
	}
	return "consumer " + c.Name
}

// aboutSubscription is the subject of what concerns a subscription as a whole.
func aboutSubscription(s *dispatch.Subscription) Subject {
	return Subject{ConnID: -1, Topic: s.Topic.Name, Subscription: s.Name}
}

// proofs are the frames among refs that are known, in the order given.
func proofs(refs ...dispatch.Ref) (out []Evidence) {
	for i := range refs {
		if refs[i].Known() {
			v := frame(refs[i].Conn, &refs[i].Ref)
			if refs[i].Type < 0 { // the packet that ended the connection
				v.Type = "end of connection"
				if end, ok := endingOf(refs[i].Conn); ok {
					v.Type, v.Dir = end.how, end.by.String()
				}
			}
			out = append(out, v)
		}
	}
	return out
}

// partialHosts are the hosts of which a connection was not captured whole.
type partialHosts map[string]bool

// note takes the end of a connection. Both ends count: where its start is
// missing, it may not be known which is the client.
func (p partialHosts) note(c *session.Conn) {
	if whole(c) {
		return
	}
	for _, end := range c.TCP.Ends {
		p[end.AddrPort().Addr().String()] = true
	}
}
