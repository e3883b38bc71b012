package session

import (
	"maps"
	"slices"
)

// end gives what stays open when a connection ends, oldest first, and the
// connection itself.
func (s *Session) end(c *Conn) {
	why := "capture_end"
	if c.TCP.RSTFrom >= 0 || c.TCP.FINFrom >= 0 {
		why = "conn_closed"
	}
	s.leftOver(c, why)
	for _, id := range slices.Sorted(maps.Keys(c.Producers)) {
		p := c.Producers[id]
		for _, x := range p.sends.rest() {
			s.unansweredSend(c, p, &x, why)
		}
		p.sends = sendQueue{}
	}
	s.event.Producer = nil
	for _, id := range slices.Sorted(maps.Keys(c.Consumers)) {
		s.unackedAll(c, c.Consumers[id], why)
		c.Consumers[id].deliveries = deliveries{}
	}
	s.event.Consumer = nil
	s.emit(ConnectionEnd)
}

// leftOver gives the open requests of all kinds but SENDs.
func (s *Session) leftOver(c *Conn, why string) {
	var open []Exchange
	for id, list := range c.requests {
		for _, r := range list {
			open = append(open, Exchange{Kind: Request, RequestID: id, Request: r.Ref})
		}
	}
	for _, q := range c.pings {
		for _, r := range q {
			open = append(open, Exchange{Kind: Ping, Request: r})
		}
	}
	for k, r := range c.watches {
		open = append(open, Exchange{Kind: Watch, WatchID: k.id, Request: r})
	}
	if c.connect != nil {
		open = append(open, Exchange{Kind: Connect, Request: *c.connect})
	}
	if c.challenge != nil {
		open = append(open, Exchange{Kind: Auth, Request: *c.challenge})
	}
	slices.SortFunc(open, func(a, b Exchange) int {
		if a.Request.before(&b.Request) {
			return -1
		}
		return 1
	})
	for i := range open {
		x := &open[i]
		x.Result, x.HasRequest, x.Why = Unanswered, true, why
		s.emitExchange(*x)
	}
	c.requests, c.watches, c.pings, c.connect, c.challenge = nil, nil, [2][]Ref{}, nil, nil
}
