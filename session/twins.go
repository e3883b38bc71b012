package session

import (
	"net/netip"

	"pulsar-dissect/decode"
)

// ProxyDelay is the time that a proxy took for an exchange: of the front leg,
// which has its twin on the back.
type ProxyDelay struct {
	Twin     Elsewhere // the request on the back
	Request  int64     // ns from the request on the front to that on the back
	Response int64     // ns from the response on the back to that on the front
}

// twinKey names an exchange on both legs alike.
type twinKey struct {
	kind ExchangeKind
	a, b uint64
}

// twin is an exchange of a back.
type twin struct {
	at                Elsewhere
	request, response int64
	client            netip.Addr
}

// askedKey names what a proxy asks for many clients on a connection of its own,
// under request ids of its own.
type askedKey struct {
	command int32
	topic   string
}

func (x *Exchange) twinKey() (k twinKey, ok bool) {
	k.kind = x.Kind
	switch x.Kind {
	case Request:
		k.a = x.RequestID
	case Send:
		k.a, k.b = x.ProducerID, x.SequenceID
	case Watch:
		k.a, k.b = x.WatchID, uint64(x.Request.Type)
	case Connect, Ping:
	default:
		return k, false
	}
	return k, x.whole() && x.Request.Direction == decode.ClientToServer
}

// whole says whether both sides are there, with their times.
func (x *Exchange) whole() bool {
	_, ok := x.Latency()
	return ok
}

// twinOf notes an exchange of a back, and finds the one that an exchange of a
// front has there. Responses pass the back first.
func (s *Session) twinOf(c *Conn, x *Exchange) {
	if c.front != nil || c.back != nil {
		s.twinOnLegs(c, x)
	} else if len(s.proxies.known.values) > 0 {
		s.twinAsked(c, x)
	}
}

func (s *Session) twinOnLegs(c *Conn, x *Exchange) {
	k, ok := x.twinKey()
	if !ok {
		return
	}
	if c.front != nil {
		if c.twins == nil {
			c.twins = &recent[twinKey, twin]{limit: s.limits.Legs}
		}
		s.letGoLeg(c.twins.put(k, newTwin(c, x)))
	}
	if c.back != nil && c.back.twins != nil {
		if t, ok := c.back.twins.take(k); ok {
			x.follow(t)
		}
	}
}

func newTwin(c *Conn, x *Exchange) twin {
	ns, _ := x.Latency()
	return twin{Elsewhere{c.ID, x.Request.Offset, ns, true}, x.Request.Time, x.Response.Time, c.clientEnd().Addr()}
}

func (x *Exchange) follow(t twin) {
	x.Proxy = &ProxyDelay{t.at, t.request - x.Request.Time, x.Response.Time - t.response}
}

// twinAsked ties what a client asks a Pulsar proxy about a topic to what the
// proxy asks a broker for it meanwhile.
func (s *Session) twinAsked(c *Conn, x *Exchange) {
	if x.Kind != Request || x.Topic == "" || !x.whole() {
		return
	}
	t, k := &s.proxies, askedKey{x.Request.Type, x.Topic}
	if _, proxy := t.known.get(c.serverEnd()); !proxy {
		t.asked.put(k, newTwin(c, x))
		return
	}
	asked, ok := t.asked.get(k)
	if !ok || asked.client != c.serverEnd().Addr() || asked.request < x.Request.Time || asked.response > x.Response.Time {
		return
	}
	t.asked.take(k)
	x.follow(asked)
}
