package session_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	protobuf "google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// legsOf gives the legs of all connections: "0 front 1 PROXY".
func legsOf(e *session.Event) (lines []string) {
	for _, l := range e.Conn.Legs {
		lines = append(lines, fmt.Sprintf("%d %s %d %s", e.Conn.ID, l.Role, l.Other, l.ToldBy))
	}
	return lines
}

func TestLegsOfCaptures(t *testing.T) {
	for name, want := range map[string]struct {
		legs  []string
		twins int // exchanges of fronts that have one
		whole int // exchanges of fronts of the kinds that can have one
	}{
		"haproxy-v2-both": {[]string{"0 front 1 PROXY", "1 back 0 PROXY"}, 26, 26},
		// The first lookups come before anything tells that it is a proxy.
		"proxy-errors":    {[]string{"2 front 3 frames", "3 back 2 frames"}, 19, 8},
		"haproxy-v2-back": {},
		"haproxy-v1-back": {},
	} {
		var legs []string
		twins, whole := 0, 0
		eachEvent(t, small(t, name), session.Options{NoSum: true}, func(e *session.Event) {
			switch e.Kind {
			case session.ConnectionEnd:
				legs = append(legs, legsOf(e)...)
			case session.ExchangeSeen:
				if len(e.Conn.Legs) > 0 && e.Conn.Legs[0].Role == session.Front && couldHaveTwin(e.Exchange) {
					whole++
				}
				if e.Exchange.Proxy != nil {
					twins++
					checkDelay(t, e.Exchange)
				}
			}
		})
		slices.Sort(legs)
		if !slices.Equal(legs, want.legs) || twins != want.twins || whole != want.whole {
			t.Errorf("%s: legs %q, %d of %d exchanges have a twin", name, legs, twins, whole)
		}
	}
}

func couldHaveTwin(x *session.Exchange) bool {
	if _, ok := x.Latency(); !ok {
		return false
	}
	return x.Kind == session.Send || x.Kind == session.Request || x.Kind == session.Connect && x.Request.Offset == 0 && x.Response.Offset == 0
}

// checkDelay: the ways to and from the back, and the time there, are the time
// on the front.
func checkDelay(t *testing.T, x *session.Exchange) {
	t.Helper()
	p := x.Proxy
	ns, _ := x.Latency()
	if p.Request < 0 || p.Response < 0 || p.Request+p.Twin.Latency+p.Response != ns {
		t.Errorf("%s in packet %d: %d ns = %d + %d + %d", decode.TypeName(x.Request.Type), x.Request.Packet, ns, p.Request, p.Twin.Latency, p.Response)
	}
}

// The time that HAProxy took to connect, by the times of packets 4, 11, 13 and
// 15 of the capture.
func TestProxyDelayOfCapture(t *testing.T) {
	found := false
	eachEvent(t, small(t, "haproxy-v2-both"), session.Options{NoSum: true}, func(e *session.Event) {
		if e.Kind != session.ExchangeSeen || e.Exchange.Kind != session.Connect || e.Exchange.Proxy == nil {
			return
		}
		found = true
		if p := e.Exchange.Proxy; p.Request != 32_167_000 || p.Response != 89_000 || p.Twin.Conn != 1 || p.Twin.Offset != 28 {
			t.Errorf("%+v", *p)
		}
	})
	if !found {
		t.Error("CONNECT has no twin")
	}
}

func connectFrame(c *pb.CommandConnect) []byte {
	c.ClientVersion = protobuf.String("made")
	return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(), Connect: c})
}

func lookup(topic string, id uint64) []byte {
	return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_LOOKUP.Enum(), LookupTopic: &pb.CommandLookupTopic{Topic: &topic, RequestId: &id}})
}

func lookupResponse(id uint64) []byte {
	return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_LOOKUP_RESPONSE.Enum(), LookupTopicResponse: &pb.CommandLookupTopicResponse{RequestId: &id}})
}

func throughProxy() []byte {
	return connectFrame(&pb.CommandConnect{ProxyToBrokerUrl: protobuf.String("broker:6650")})
}

func byProxy() []byte { return connectFrame(&pb.CommandConnect{ProxyVersion: protobuf.String("4.0")}) }

func legs(t *testing.T, tape *wiremake.Tape, o session.Options) (lines []string, c session.Counters) {
	c = tapeEvents(t, tape, o, func(e *session.Event) {
		if e.Kind == session.ConnectionEnd {
			lines = append(lines, legsOf(e)...)
		}
	})
	slices.Sort(lines)
	return lines, c
}

// Two clients alike are told apart by the first frame that differs; where none
// does, no leg is guessed.
func TestLegsOfClientsAlike(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames [2][]string // topics that each client asks about
		want   []string
	}{
		{"the first frame differs", [2][]string{{"a"}, {"b"}}, []string{"0 front 2 frames", "1 front 3 frames", "2 back 0 frames", "3 back 1 frames"}},
		{"the second frame differs", [2][]string{{"a", "b"}, {"a", "c"}}, []string{"0 front 2 frames", "1 front 3 frames", "2 back 0 frames", "3 back 1 frames"}},
		{"none differs", [2][]string{{"a"}, {"a"}}, nil},
	} {
		tape := wiremake.NewTape()
		fronts := [2]*wiremake.Talk{talk(tape, "10.0.0.1:40000", "10.0.0.3:6655"), talk(tape, "10.0.0.1:40001", "10.0.0.3:6655")}
		for _, f := range fronts {
			f.Send(wiremake.Client, throughProxy())
		}
		backs := [2]*wiremake.Talk{talk(tape, "10.0.0.3:50000", "10.0.0.2:6650"), talk(tape, "10.0.0.3:50001", "10.0.0.2:6650")}
		for _, b := range backs {
			b.Send(wiremake.Client, byProxy())
		}
		for i := range fronts {
			for id, topic := range c.frames[i] {
				fronts[i].Send(wiremake.Client, lookup(topic, uint64(id)))
			}
		}
		for i := range backs {
			for id, topic := range c.frames[i] {
				backs[i].Send(wiremake.Client, lookup(topic, uint64(id)))
			}
		}
		if got, _ := legs(t, tape, session.Options{}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

// Clients of other versions, and frames that the client did not send, tie
// nothing.
func TestNoLegs(t *testing.T) {
	for name, c := range map[string]struct{ connect, first []byte }{
		"another version": {wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONNECT.Enum(), Connect: &pb.CommandConnect{
			ClientVersion: protobuf.String("other"), ProxyVersion: protobuf.String("4.0")}}), lookup("a", 0)},
		"another frame": {byProxy(), lookup("b", 0)},
		"no proxy":      {connectFrame(&pb.CommandConnect{}), lookup("a", 0)},
	} {
		tape := wiremake.NewTape()
		front := talk(tape, "10.0.0.1:40000", "10.0.0.3:6655")
		front.Send(wiremake.Client, throughProxy())
		back := talk(tape, "10.0.0.3:50000", "10.0.0.2:6650")
		back.Send(wiremake.Client, c.connect)
		front.Send(wiremake.Client, lookup("a", 0))
		back.Send(wiremake.Client, c.first)
		if got, _ := legs(t, tape, session.Options{}); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func preface(client netip.AddrPort) []byte {
	return []byte(fmt.Sprintf("PROXY TCP4 %s 10.0.0.2 %d 7001\r\n", client.Addr(), client.Port()))
}

// The preface may come before the client has said anything; a connection in the
// middle of two proxies has two legs.
func TestLegsByPreface(t *testing.T) {
	tape := wiremake.NewTape()
	front := talk(tape, "10.0.0.1:40000", "10.0.0.4:7001")
	middle := talk(tape, "10.0.0.4:50000", "10.0.0.3:6655")
	middle.Send(wiremake.Client, preface(front.Ends[wiremake.Client]))
	front.Send(wiremake.Client, throughProxy())
	middle.Send(wiremake.Client, throughProxy())
	back := talk(tape, "10.0.0.3:60000", "10.0.0.2:6650")
	back.Send(wiremake.Client, byProxy())
	for _, c := range []*wiremake.Talk{front, middle, back} {
		c.Send(wiremake.Client, lookup("a", 0))
	}
	for _, c := range []*wiremake.Talk{back, middle, front} {
		c.Send(wiremake.Server, lookupResponse(0))
	}
	var twins []string
	var got []string
	tapeEvents(t, tape, session.Options{}, func(e *session.Event) {
		if e.Kind == session.ConnectionEnd {
			got = append(got, legsOf(e)...)
		}
		if e.Kind == session.ExchangeSeen && e.Exchange.Proxy != nil {
			p := e.Exchange.Proxy
			twins = append(twins, fmt.Sprintf("%d in %d: %d+%d ms", e.Conn.ID, p.Twin.Conn, p.Request/1e6, p.Response/1e6))
		}
	})
	slices.Sort(got)
	want := []string{"0 front 1 PROXY", "1 back 0 PROXY", "1 front 2 frames", "2 back 1 frames"}
	if !slices.Equal(got, want) {
		t.Errorf("legs %q", got)
	}
	if want := []string{"1 in 2: 1+1 ms", "0 in 1: 1+1 ms"}; !slices.Equal(twins, want) {
		t.Errorf("twins %q, expected %q", twins, want)
	}
}

// Backs and fronts that wait are bounded.
func TestLegsAreBounded(t *testing.T) {
	tape := wiremake.NewTape()
	for port := range uint16(5) {
		c := tape.Talk(50000 + port)
		c.Send(wiremake.Client, preface(netip.AddrPortFrom(netip.MustParseAddr("10.9.9.9"), 1000+port)))
		c.Send(wiremake.Client, throughProxy())
	}
	if got, counters := legs(t, tape, session.Options{Limits: session.Limits{Legs: 2}}); got != nil || counters.Legs != 6 {
		t.Errorf("%q, %d let go, expected 3 prefaces and 3 fronts", got, counters.Legs)
	}
}

// What a proxy asks brokers for a client, on a connection of its own, is told by
// command, topic and time.
func TestLookupsOfProxies(t *testing.T) {
	tape := wiremake.NewTape()
	front := talk(tape, "10.0.0.1:40000", "10.0.0.3:6655")
	front.Send(wiremake.Client, throughProxy())
	pool := talk(tape, "10.0.0.3:50000", "10.0.0.2:6650")
	front.Send(wiremake.Client, lookup("a", 1))
	pool.Send(wiremake.Client, lookup("a", 900), lookup("b", 901))
	pool.Send(wiremake.Server, lookupResponse(901), lookupResponse(900))
	front.Send(wiremake.Server, lookupResponse(1))
	front.Send(wiremake.Client, lookup("b", 2))
	front.Send(wiremake.Server, lookupResponse(2)) // asked before: not for this one
	var twins []string
	tapeEvents(t, tape, session.Options{}, func(e *session.Event) {
		if e.Kind == session.ExchangeSeen && e.Exchange.Proxy != nil {
			p := e.Exchange.Proxy
			twins = append(twins, fmt.Sprintf("%s: %d+%d ms", e.Exchange.Topic, p.Request/1e6, p.Response/1e6))
		}
	})
	if got := strings.Join(twins, ", "); got != "a: 1+1 ms" {
		t.Errorf("twins %q", got)
	}
}

// talk begins a connection between two ends.
func talk(tape *wiremake.Tape, client, server string) *wiremake.Talk {
	c := tape.Midway(0)
	c.Ends = [2]netip.AddrPort{netip.MustParseAddrPort(client), netip.MustParseAddrPort(server)}
	c.SYN(wiremake.Client, 1000)
	c.SYN(wiremake.Server, 9000)
	return c
}
