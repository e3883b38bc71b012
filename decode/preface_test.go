package decode

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/internal/wiremake"
)

// proxyV2 is a version 2 preface: the command and version, the family, an
// address block, and what follows it.
func proxyV2(command, family byte, addresses []byte, more ...byte) []byte {
	b := append([]byte("\r\n\r\n\x00\r\nQUIT\n"), 0x20|command, family, 0, byte(len(addresses)+len(more)))
	return append(append(b, addresses...), more...)
}

func v2Addresses(from, to string) (b []byte) {
	a, z := netip.MustParseAddrPort(from), netip.MustParseAddrPort(to)
	b = append(a.Addr().AsSlice(), z.Addr().AsSlice()...)
	return append(b, byte(a.Port()>>8), byte(a.Port()), byte(z.Port()>>8), byte(z.Port()))
}

// Prefaces of proxies before CONNECT, in one segment and byte by byte.
func TestProxyPrefaces(t *testing.T) {
	const from, to, from6, to6 = "192.0.2.1:5000", "192.0.2.2:6650", "[2001:db8::1]:5000", "[2001:db8::2]:6650"
	for _, x := range []struct {
		name, want string
		preface    []byte
	}{
		{"v1", "c2s proxy v1 PROXY 192.0.2.1:5000 > 192.0.2.2:6650", []byte("PROXY TCP4 192.0.2.1 192.0.2.2 5000 6650\r\n")},
		{"v1, IPv6", "c2s proxy v1 PROXY [2001:db8::1]:5000 > [2001:db8::2]:6650", []byte("PROXY TCP6 2001:db8::1 2001:db8::2 5000 6650\r\n")},
		{"v1, unknown", "c2s proxy v1 PROXY invalid AddrPort > invalid AddrPort", []byte("PROXY UNKNOWN\r\n")},
		{"v1, bad addresses", "c2s proxy v1 PROXY invalid AddrPort > invalid AddrPort", []byte("PROXY TCP4 here there 5000 99999\r\n")},
		{"v2", "c2s proxy v2 PROXY 192.0.2.1:5000 > 192.0.2.2:6650", proxyV2(1, 0x11, v2Addresses(from, to))},
		{"v2, IPv6", "c2s proxy v2 PROXY [2001:db8::1]:5000 > [2001:db8::2]:6650", proxyV2(1, 0x21, v2Addresses(from6, to6))},
		{"v2, TLVs", `c2s proxy v2 PROXY 192.0.2.1:5000 > 192.0.2.2:6650 2="name" 5=""`,
			proxyV2(1, 0x11, v2Addresses(from, to), 2, 0, 4, 'n', 'a', 'm', 'e', 5, 0, 0)},
		{"v2, a TLV that is cut", "c2s proxy v2 PROXY 192.0.2.1:5000 > 192.0.2.2:6650", proxyV2(1, 0x11, v2Addresses(from, to), 2, 0, 9, 'n')},
		{"v2, LOCAL", "c2s proxy v2 LOCAL invalid AddrPort > invalid AddrPort", proxyV2(0, 0, nil)},
		{"v2, LOCAL with TLV only", "c2s proxy v2 LOCAL invalid AddrPort > invalid AddrPort", proxyV2(0, 0, nil, 4, 0, 2, 0, 0)},
		{"v2, addresses cut", "c2s proxy v2 PROXY invalid AddrPort > invalid AddrPort", proxyV2(1, 0x21, v2Addresses(from, to))},
		{"v2, Unix sockets", "c2s proxy v2 PROXY invalid AddrPort > invalid AddrPort", proxyV2(1, 0x31, make([]byte, 216))},
	} {
		for _, size := range []int{1, 7, 1000} {
			tape, c := talk()
			for b := range slices.Chunk(slices.Concat(x.preface, wiremake.Frame(connect()), wiremake.Frame(ping())), size) {
				c.Send(client, b)
			}
			got := decodeAll(t, Limits{}, nil, tape.Source())
			if !slices.Equal(got.names(), []string{"CONNECT", "PING"}) || got.events[0] != x.want || len(got.events) != 2 ||
				got.frames[0].Offset != int64(len(x.preface)) || got.frames[0].Resync {
				t.Errorf("%s, %d bytes a segment: %q, %q", x.name, size, got.names(), got.events)
			}
		}
	}
}

// A preface before something else than Pulsar, and one that never becomes
// whole.
func TestProxyPrefaceAlone(t *testing.T) {
	for _, x := range []struct{ name, bytes, want string }{
		{"TLS behind it", "PROXY UNKNOWN\r\n\x16\x03\x01\x02\x00\x01", "end tls SYN"},
		{"HTTP behind it", "PROXY UNKNOWN\r\nGET / HTTP/1.1\r\n", "end http SYN"},
		{"v1 without an end", "PROXY " + strings.Repeat("x", 300), "end unknown SYN"},
		{"v1 that ends early", "PROXY TCP4 1", "end unknown SYN"},
		{"v2 cut", string(proxyV2(1, 0x11, make([]byte, 12)))[:20], "end unknown SYN"},
		{"v2 of version 3", "\r\n\r\n\x00\r\nQUIT\n\x31\x11\x00\x00", "end unknown SYN"},
		{"v2 length beyond all", "\r\n\r\n\x00\r\nQUIT\n\x21\x11\xff\xff" + strings.Repeat("x", 200), "end unknown SYN"},
	} {
		for _, size := range []int{1, 1000} {
			tape, c := talk()
			for b := range slices.Chunk([]byte(x.bytes), size) {
				c.Send(client, b)
			}
			got := decodeAll(t, Limits{}, nil, tape.Source())
			if last := got.events[len(got.events)-1]; last != x.want || len(got.frames) > 0 {
				t.Errorf("%s, %d bytes a segment: %q, %q", x.name, size, got.names(), got.events)
			}
		}
	}
}

// First bytes of other protocols, one byte a segment, cut at each byte: no
// frame, and the name once it can be told.
func TestOtherProtocols(t *testing.T) {
	for _, x := range []struct {
		bytes string
		tells int // bytes that tell the protocol
		want  string
	}{
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 3, "tls"},
		{"\x16\x03\x00\x00\x2f\x01", 3, "tls"},
		{"\x15\x03\x00\x00\x02\x02\x28", 3, "tls"},
		{"\x17\x03\x03\x00\x20", 3, "tls"},
		{"\x16\x07\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 99, "tls"},
		{"GET /admin/v2/clusters HTTP/1.1\r\nHost: x\r\n\r\n", 4, "http"},
		{"POST / HTTP/1.1\r\n", 5, "http"},
		{"HTTP/1.1 200 OK\r\n", 7, "http"},
		{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 14, "http"},
		{"SSH-2.0-OpenSSH_9.6\r\n", 99, "http"},
		{"\r\n\r\n", 99, "http"},
		{"\x05\x01\x00", 99, "http"},
		{"GETTING THINGS DONE", 99, "http"},
		{"AMQP\x00\x00\x09\x01", 99, "http"},
		{"\x00\x00\x00\x24\x00\x12\x00\x03\x00\x00\x00\x01\x00\x0fconsole-producer", 99, "http"}, // Kafka
	} {
		for cut := 1; cut <= len(x.bytes); cut++ {
			tape, c := talk()
			for _, b := range []byte(x.bytes[:cut]) {
				c.Send(client, []byte{b})
			}
			got := decodeAll(t, Limits{}, nil, tape.Source())
			want := "end unknown SYN"
			if cut >= x.tells {
				want = "end " + x.want + " SYN"
			}
			if last := got.events[len(got.events)-1]; last != want || len(got.frames) > 0 || len(got.events) != 1 {
				t.Errorf("%q: %q, %q, want %q", x.bytes[:cut], got.names(), got.events, want)
			}
		}
	}
}

// Close within the size field, and within the sizes.
func TestCloseInTheSize(t *testing.T) {
	frame := wiremake.Frame(connect())
	for n := range 9 {
		tape, c := talk()
		c.Send(client, frame[:n])
		c.Close()
		got := decodeAll(t, Limits{}, nil, tape.Source())
		want := "end unknown SYN"
		if n == 0 {
			want = "end empty SYN"
		}
		if len(got.frames) > 0 || got.events[len(got.events)-1] != want {
			t.Errorf("%d bytes: %q, %q", n, got.names(), got.events)
		}
	}
}

// The middle of other streams is not searched for frames.
func TestOtherProtocolsMidstream(t *testing.T) {
	record := func(n int) string {
		return "\x17\x03\x03" + string([]byte{byte(n >> 8), byte(n)}) + strings.Repeat("\x08", n)
	}
	for _, x := range []struct{ name, bytes, want string }{
		{"TLS records", record(40) + record(300) + record(5), "end tls higher_port"},
		{"one TLS record", record(40), "end tls higher_port"},
		{"HTTP", "HTTP/1.1 200 OK\r\n\r\n", "end http higher_port"},
		{"neither", "\x17\x03\x03\x00\x05text that begins like a record but goes on otherwise", "end unknown higher_port"},
	} {
		tape := wiremake.NewTape()
		c := tape.Midway(40000)
		c.Send(client, []byte(x.bytes))
		got := decodeAll(t, Limits{}, nil, tape.Source())
		if last := got.events[len(got.events)-1]; last != x.want {
			t.Errorf("%s: %q", x.name, got.events)
		}
	}
}

// A forced port is read as Pulsar whatever its first bytes are.
func TestForcedPort(t *testing.T) {
	for _, ports := range [][]uint16{{6650}, {40000}, {1, 40000}} {
		tape, c := talk()
		c.Send(client, []byte("GET / HTTP/1.1\r\n\r\n"), wiremake.Frame(flow(1)), wiremake.Frame(flow(2)))
		got := decodeAll(t, Limits{}, ports, tape.Source())
		if !slices.Equal(got.names(), []string{"FLOW resync", "FLOW"}) {
			t.Errorf("%v: %q, %q", ports, got.names(), got.events)
		}
	}
}
