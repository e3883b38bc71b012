package session

import (
	"maps"
	"slices"
)

// end gives what stays open when a connection ends, oldest first, and the
// connection itself.
func (s *Session) end(c *Conn) {
	why := "capture_end"
	if c.closed() {
		why = "conn_closed"
	}
	s.leftOver(c, why)
	for _, id := range slices.Sorted(maps.Keys(c.Producers)) {
		p := c.Producers[id]
		for _, x := range p.sends.rest() {
			s.unansweredSend(p, &x, why)
		}
		p.sends = sendQueue{}
	}
	s.event.Producer = nil
	for _, id := range slices.Sorted(maps.Keys(c.Consumers)) {
		s.unackedAll(c.Consumers[id], why)
		c.Consumers[id].deliveries = deliveries{}
	}
	s.event.Consumer = nil
	s.closedLeg(c)
	s.emit(ConnectionEnd)
}

// closed says whether a side has ended the connection.
func (c *Conn) closed() bool { return c.TCP.RSTFrom >= 0 || c.TCP.FINFrom >= 0 }

// leftOver gives the open requests of all kinds but SENDs.
func (s *Session) leftOver(c *Conn, why string) {
	type question struct {
		Exchange
		about request
	}
	var open []question
	ask := func(x Exchange, r request) {
		x.Request, x.HasRequest, x.Result, x.Why = r.Ref, true, Unanswered, why
		open = append(open, question{x, r})
	}
	for id, list := range c.requests.byID {
		for _, r := range list {
			ask(Exchange{Kind: Request, RequestID: id}, r)
		}
	}
	for _, q := range c.pings {
		for _, r := range q {
			ask(Exchange{Kind: Ping}, request{Ref: r})
		}
	}
	for k, r := range c.watches {
		ask(Exchange{Kind: Watch, WatchID: k.id}, request{Ref: r})
	}
	c.unansweredBookie(func(x Exchange, r Ref) { ask(x, request{Ref: r}) })
	if c.connect != nil {
		ask(Exchange{Kind: Connect}, request{Ref: *c.connect})
	}
	if c.challenge != nil {
		ask(Exchange{Kind: Auth}, request{Ref: *c.challenge})
	}
	slices.SortFunc(open, func(a, b question) int {
		if a.Request.before(&b.Request) {
			return -1
		}
		return 1
	})
	for i := range open {
		s.emitRequest(&open[i].about, open[i].Exchange)
	}
	c.requests, c.watches, c.pings, c.connect, c.challenge = openRequests{}, nil, [2][]Ref{}, nil, nil
}
