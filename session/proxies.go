package session

import (
	"hash/crc32"
	"net/netip"
	"slices"

	"pulsar-dissect/decode"
	"pulsar-dissect/proto/field"
	"pulsar-dissect/proto/pb"
)

// LegRole says which side of a proxy a connection is on.
type LegRole uint8

// The roles.
const (
	Front LegRole = iota // client to proxy
	Back                 // proxy to broker
)

// String is the name that the JSON output uses.
func (r LegRole) String() string { return [...]string{"front", "back"}[r] }

// Leg says that a connection goes on behind a proxy, or comes from one.
type Leg struct {
	Role   LegRole // of the connection that has it
	Other  int     // number of the other leg
	ToldBy string  // PROXY: the address in its preface; frames: the proxy passed on the same
}

// proxyTable finds the two legs of what a proxy passes on. HAProxy names the
// front's client in the PROXY preface of the back. A Pulsar proxy makes a
// CONNECT of its own, by which the back is told, and then passes on frames as
// they are: the first of them tell the front.
type proxyTable struct {
	limit    int
	clients  map[netip.AddrPort]*Conn         // open connections
	prefixed recent[netip.AddrPort, *Conn]    // backs whose front was not seen yet, by its client
	fronts   []*relay                         // of Pulsar proxies, oldest first
	known    recent[netip.AddrPort, struct{}] // where Pulsar proxies listen
	asked    recent[askedKey, twin]           // what proxies asked brokers on connections of their own
}

func (t *proxyTable) setLimit(n int) {
	t.limit, t.prefixed.limit, t.known.limit, t.asked.limit = n, n, n, n
}

// relay is what a front sent first, behind the handshake.
type relay struct {
	front  *Conn
	prints []print
}

// print tells a frame from others.
type print struct {
	command int32
	size    int64
	sum     uint32 // CRC32-C of the command
}

// suspicion is what a back may be the other leg of.
type suspicion struct {
	fronts []*relay
	seen   int // frames
}

// Limits of how fronts and backs are compared.
const (
	comparedFrames = 8
	longestConnect = 60e9 // ns from a client's CONNECT to that of the proxy
)

// opened takes the first news of a connection.
func (s *Session) opened(c *Conn) {
	t := &s.proxies
	if t.clients == nil {
		t.clients = map[netip.AddrPort]*Conn{}
	}
	at := c.clientEnd()
	t.clients[at] = c
	if back, ok := t.prefixed.take(at); ok {
		c.legTo(back, "PROXY")
	}
}

func (c *Conn) clientEnd() netip.AddrPort { return c.TCP.Ends[c.Client].AddrPort() }
func (c *Conn) serverEnd() netip.AddrPort { return c.TCP.Ends[c.Client.Other()].AddrPort() }

// legTo ties a front to its back. Each has one of a kind.
func (c *Conn) legTo(back *Conn, toldBy string) {
	if c == back || c.back != nil || back.front != nil {
		return
	}
	c.back, back.front = back, c
	c.Legs = append(c.Legs, Leg{Front, back.ID, toldBy})
	back.Legs = append(back.Legs, Leg{Back, c.ID, toldBy})
}

// prefaced takes a PROXY preface: the source in it is the front's client.
func (s *Session) prefaced(c *Conn, p *decode.Proxy) {
	if !p.Source.IsValid() {
		return
	}
	at := proxied(p)
	if front := s.proxies.clients[at]; front != nil && front != c {
		front.legTo(c, "PROXY")
		return
	}
	s.letGoLeg(s.proxies.prefixed.put(at, c))
}

func proxied(p *decode.Proxy) netip.AddrPort {
	return netip.AddrPortFrom(p.Source.Addr().Unmap(), p.Source.Port())
}

// unprefaced takes a back off those that wait for their front.
func (s *Session) unprefaced(c *Conn) {
	if waiting, _ := s.proxies.prefixed.get(proxied(c.Proxy)); waiting == c {
		s.proxies.prefixed.take(proxied(c.Proxy))
	}
}

func (s *Session) letGoLeg(letGo bool) {
	if letGo {
		s.counters.Legs++
	}
}

// connectOfProxy takes a CONNECT: that of a client which wants a broker behind
// a proxy, or that of the proxy.
func (s *Session) connectOfProxy(c *Conn, f *decode.Frame) {
	t := &s.proxies
	if c.ProxyToBroker != "" {
		t.known.put(c.serverEnd(), struct{}{})
		c.relay = &relay{front: c}
		if t.fronts = append(t.fronts, c.relay); len(t.fronts) > t.limit {
			t.fronts = slices.Delete(t.fronts, 0, 1)
			s.counters.Legs++
		}
		return
	}
	if f.Text(field.CommandConnectProxyVersion) == nil && f.Text(field.CommandConnectOriginalPrincipal) == nil {
		return
	}
	c.suspicion = &suspicion{}
	for _, r := range t.fronts {
		if r.front.ClientVersion == c.ClientVersion && f.Last.Time-r.front.connectTime < longestConnect {
			c.suspicion.fronts = append(c.suspicion.fronts, r)
		}
	}
}

// handshakes are the commands that a Pulsar proxy does not just pass on.
var handshakes = map[int32]bool{
	int32(pb.BaseCommand_CONNECT): true, int32(pb.BaseCommand_AUTH_RESPONSE): true,
	int32(pb.BaseCommand_PING): true, int32(pb.BaseCommand_PONG): true,
}

// relayed compares what a front and a back send first.
func (s *Session) relayed(c *Conn, f *decode.Frame) {
	records := c.relay != nil && len(c.relay.prints) < comparedFrames
	if f.Direction != decode.ClientToServer || handshakes[f.Type] || !records && c.suspicion == nil {
		return
	}
	p := print{f.Type, f.Size, crc32.Checksum(f.Base.Data, castagnoli)}
	if records {
		c.relay.prints = append(c.relay.prints, p)
	}
	if c.suspicion != nil {
		s.compare(c, p)
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// compare keeps the fronts that sent the same frame in the same place. A single
// one that is left is the other leg.
func (s *Session) compare(c *Conn, p print) {
	x := c.suspicion
	x.fronts = slices.DeleteFunc(x.fronts, func(r *relay) bool {
		return r.front.back != nil || x.seen >= len(r.prints) || r.prints[x.seen] != p
	})
	x.seen++
	switch {
	case len(x.fronts) == 1:
		front := x.fronts[0].front
		front.legTo(c, "frames")
		s.forgetRelay(front)
	case len(x.fronts) > 1 && x.seen < comparedFrames:
		return
	}
	c.suspicion = nil
}

// forgetRelay takes a front off the list of those whose other leg is sought.
func (s *Session) forgetRelay(c *Conn) {
	if c.relay == nil {
		return
	}
	t := &s.proxies
	t.fronts = slices.DeleteFunc(t.fronts, func(r *relay) bool { return r == c.relay })
	c.relay = nil
}

// closedLeg forgets a connection that has ended.
func (s *Session) closedLeg(c *Conn) {
	if at := c.clientEnd(); s.proxies.clients[at] == c {
		delete(s.proxies.clients, at)
	}
	if c.Proxy != nil {
		s.unprefaced(c)
	}
	s.forgetRelay(c)
	if c.back != nil {
		c.back.front = nil
	}
	c.suspicion, c.back, c.twins = nil, nil, nil
}
