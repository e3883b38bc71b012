package segment

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pulsar-dissect/capture"
)

func endpoint(s string) Endpoint {
	a := netip.MustParseAddrPort(s)
	return Endpoint{Addr: a.Addr().As16(), Port: a.Port()}
}

func TestEveryFieldIsSet(t *testing.T) {
	out := Segment{Sequence: 1, Tag: 99, Checksum: Wrong, Data: []byte("before"), Length: -1}
	why := NewParser(Limits{}).Parse(packet(rawIP, ip4Bytes(6, 1, 0, signed4("payload"))), &out)
	want := Segment{
		Source: endpoint("10.0.0.1:40000"), Destination: endpoint("10.0.0.2:6650"),
		Sequence: 0xfffffff0, Acknowledgement: 77, Flags: PSH | ACK, Window: 512,
		Checksum: Right, Data: []byte("payload"), Print: PrintOf([]byte("payload")), Length: 7,
	}
	if why != OK || fmt.Sprint(out) != fmt.Sprint(want) {
		t.Errorf("%v, %v; want %v", out, why, want)
	}
	if s := out.Source.String() + " " + endpoint("[2001:db8::1]:1").String(); s != "10.0.0.1:40000 [2001:db8::1]:1" {
		t.Error(s)
	}
}

// edit changes one byte of a packet.
func edit(b []byte, at int, value byte) []byte {
	b[at] = value
	return b
}

func length4(b []byte, n int) []byte {
	binary.BigEndian.PutUint16(b[2:], uint16(n))
	return b
}

func length6(b []byte, n int) []byte {
	binary.BigEndian.PutUint16(b[4:], uint16(n))
	return b
}

func jumboBytes(length int) []byte {
	return binary.BigEndian.AppendUint32([]byte{optionJumbo, 4}, uint32(length))
}

// Lengths: what the headers say, and what of it is there. A segment of 5 bytes.
func TestLengths(t *testing.T) {
	four := func() []byte { return ip4Bytes(6, 1, 0, signed4("12345")) }
	six := func() []byte { return ip6Bytes(6, signed6("12345")) }
	padded := func(b []byte) []byte { return append(b, "padding"...) }
	withJumbo := func(n int) []byte {
		return length6(ip6Bytes(0, extensionBytes(6, jumboBytes(n), signed6("12345"))), 0)
	}
	for _, c := range []struct {
		name   string
		ip     []byte
		why    Reason
		data   string
		length int
	}{
		{"IPv4", four(), OK, "12345", 5},
		{"IPv4, padding", padded(four()), OK, "12345", 5},
		{"IPv4, total length 0", length4(four(), 0), OK, "12345", 5},
		{"IPv4, total length beyond what is there", length4(four(), 1052), OK, "12345", 1000},
		{"IPv4, total length inside the payload", length4(four(), 55), OK, "123", 3},
		{"IPv4, total length inside the TCP options", length4(four(), 45), BadTCP, "", 0},
		{"IPv4, total length inside the TCP header", length4(four(), 30), BadTCP, "", 0},
		{"IPv4, total length inside the IP header", length4(four(), 19), BadIP, "", 0},
		{"IPv4, header length 16", edit(four(), 0, 0x44), BadIP, "", 0},
		{"IPv4, header length beyond total length", edit(four(), 0, 0x4f), BadIP, "", 0},
		{"IPv4, another protocol", edit(four(), 9, 1), NotTCP, "", 0},
		{"IPv4, data offset 4", edit(four(), 32, 4<<4), BadTCP, "", 0},
		{"IPv4, data offset beyond the segment", edit(four(), 32, 15<<4), BadTCP, "", 0},
		{"IP version 5", edit(four(), 0, 0x55), NotIP, "", 0},
		{"nothing", nil, Short, "", 0},
		{"IPv6", six(), OK, "12345", 5},
		{"IPv6, padding", padded(six()), OK, "12345", 5},
		{"IPv6, payload length 0", length6(six(), 0), OK, "12345", 5},
		{"IPv6, payload length beyond what is there", length6(six(), 1032), OK, "12345", 1000},
		{"IPv6, payload length inside the TCP header", length6(six(), 19), BadTCP, "", 0},
		{"IPv6, no next header", edit(six(), 6, 59), NotTCP, "", 0},
		{"IPv6, encrypted", edit(six(), 6, 50), NotTCP, "", 0},
		{"IPv6, jumbo", withJumbo(8 + 37), OK, "12345", 5},
		{"IPv6, jumbo, padding", padded(withJumbo(8 + 37)), OK, "12345", 5},
		{"IPv6, jumbo longer than the packet", withJumbo(70000), BadIP, "", 0},
		{"IPv6, jumbo shorter than its own header", withJumbo(7), BadIP, "", 0},
		{"IPv6, jumbo beside a payload length", length6(withJumbo(70000), 45), OK, "12345", 5},
		{"IPv6, payload length 0, other hop-by-hop options", length6(ip6Bytes(0, extensionBytes(6, []byte{0, 5, 2, 0, 0}, signed6("12345"))), 0), OK, "12345", 5},
		{"IPv6, extension header beyond the payload", length6(ip6Bytes(60, extensionBytes(6, nil, nil)), 4), BadIP, "", 0},
		{"IPv6, extension header longer than the payload", ip6Bytes(60, []byte{6, 9, 0, 0, 0, 0, 0, 0}), BadIP, "", 0},
	} {
		got, why := parse(rawIP, c.ip)
		if why != c.why {
			t.Errorf("%s: %v, want %v", c.name, why, c.why)
		} else if why == OK && (string(got.Data) != c.data || got.Length != c.length) {
			t.Errorf("%s: %q of %d bytes; want %q of %d", c.name, got.Data, got.Length, c.data, c.length)
		}
	}
}

// Where offloading left no length, it is that of the packet on the wire, if the
// container's word for it can be true.
func TestUnstatedLengthOfACutPacket(t *testing.T) {
	four := length4(ip4Bytes(6, 1, 0, tcpBytes(hello)), 0)
	six := length6(ip6Bytes(6, tcpBytes(hello)), 0)
	outer := length4(ip4Bytes(4, 1, 0, four), 0)
	for name, ip := range map[string][]byte{"IPv4": four, "IPv6": six, "IPv4 in IPv4": outer} {
		for _, c := range []struct{ claimed, length int }{
			{len(ip), len(hello)}, {5, len(hello) - 100}, {1 << 40, len(hello) - 100},
		} {
			var out Segment
			why := NewParser(Limits{}).Parse(&capture.Packet{Link: rawIP, Data: ip[:len(ip)-100], OrigLen: c.claimed}, &out)
			if why != OK || len(out.Data) != len(hello)-100 || out.Length != c.length {
				t.Errorf("%s of %d bytes on the wire: %v, %d of %d bytes; want %d", name, c.claimed, why, len(out.Data), out.Length, c.length)
			}
		}
	}
}

// Extension headers in a row; those that name another address than the header
// does count for the checksum and for the connection.
func TestExtensionHeaders(t *testing.T) {
	final := []byte{0x20, 0x01, 0x0d, 0xb8, 15: 9}
	home := []byte{0x20, 0x01, 0x0d, 0xb8, 15: 8}
	route := func(kind, left byte, addresses ...[]byte) []byte {
		b := []byte{kind, left, 0, 0, 0, 0}
		for _, a := range addresses {
			b = append(b, a...)
		}
		return b
	}
	toFinal := signed(tcpBytes(hello), address6[0], final)
	fromHome := signed(tcpBytes(hello), home, address6[1])
	here := signed6(hello)
	ah := append([]byte{6, 4, 0, 0, 23: 0}, here...) // (4 + 2) * 4 bytes
	const source, destination = "[2001:db8::1]:40000", "[2001:db8::2]:6650"
	for _, c := range []struct {
		name                string
		ip                  []byte
		source, destination string
	}{
		{"hop-by-hop", ip6Bytes(0, extensionBytes(6, nil, here)), source, destination},
		{"destination options, mobility", ip6Bytes(60, extensionBytes(135, nil, extensionBytes(6, nil, here))), source, destination},
		{"authentication", ip6Bytes(51, ah), source, destination},
		{"atomic fragment", ip6Bytes(44, fragment6Bytes(6, 5, 0, false, here)), source, destination},
		{"routing type 0, arrived", ip6Bytes(43, extensionBytes(6, route(0, 0, home, final), here)), source, destination},
		{"routing type 0, on its way", ip6Bytes(43, extensionBytes(6, route(0, 1, home, final), toFinal)), source, "[2001:db8::9]:6650"},
		{"routing type 2", ip6Bytes(43, extensionBytes(6, route(2, 1, final), toFinal)), source, "[2001:db8::9]:6650"},
		{"segment routing", ip6Bytes(43, extensionBytes(6, route(4, 1, final, home), toFinal)), source, "[2001:db8::9]:6650"},
		{"routing with more segments left than there are", ip6Bytes(43, extensionBytes(6, route(0, 3, home, final), here)), source, destination},
		{"routing of a type unknown", ip6Bytes(43, extensionBytes(6, route(253, 1, home), here)), source, destination},
		{"home address", ip6Bytes(60, extensionBytes(6, append([]byte{1, 2, 0, 0, optionHomeAddress, 16}, home...), fromHome)), "[2001:db8::8]:40000", destination},
	} {
		got, why := parse(rawIP, c.ip)
		if why != OK || got.Checksum != Right || string(got.Data) != hello {
			t.Errorf("%s: %v, checksum %v, %d bytes", c.name, why, got.Checksum, len(got.Data))
		}
		if got.Source != endpoint(c.source) || got.Destination != endpoint(c.destination) {
			t.Errorf("%s: %v > %v, want %s > %s", c.name, got.Source, got.Destination, c.source, c.destination)
		}
	}
}

// vxlanBytes puts an IP packet into VXLAN network 42.
func vxlanBytes(ip []byte) []byte {
	frame := append([]byte{0x08, 0, 0, 0, 0, 0, 42, 0}, make([]byte, 12)...)
	return udpBytes(50000, 4789, append(append(frame, 0x08, 0x00), ip...))
}

// ethernetBytes puts an IPv4 packet behind VLAN tags.
func ethernetBytes(ip []byte, vlans ...byte) []byte {
	b := make([]byte, 12)
	for _, id := range vlans {
		b = append(b, 0x81, 0, 0, id)
	}
	return append(append(b, 0x08, 0x00), ip...)
}

func TestTunnels(t *testing.T) {
	inner := ip4Bytes(6, 1, 0, signed4(hello))
	deep := func(n int) []byte {
		ip := inner
		for range n {
			ip = ip4Bytes(4, 1, 0, ip)
		}
		return ip
	}
	for _, c := range []struct {
		name string
		link capture.LinkType
		data []byte
		why  Reason
		tag  bool
	}{
		{"VXLAN", 1, ethernetBytes(ip4Bytes(17, 1, 0, vxlanBytes(inner))), OK, true},
		{"VXLAN in IPv6", rawIP, ip6Bytes(17, vxlanBytes(inner)), OK, true},
		{"VLAN", 1, ethernetBytes(inner, 7), OK, true},
		{"six in each other", rawIP, deep(6), OK, false},
		{"seven in each other", rawIP, deep(7), TooDeep, false},
		{"UDP without a header", rawIP, ip4Bytes(17, 1, 0, []byte("short")), NotTCP, false},
		{"UDP of another port", rawIP, ip4Bytes(17, 1, 0, udpBytes(1, 53, inner)), NotTCP, false},
		{"ARP", 1, append(make([]byte, 12), 0x08, 0x06), NotIP, false},
		{"a link type without a row", 147, inner, UnknownLinkType, false},
	} {
		got, why := parse(c.link, c.data)
		if why != c.why {
			t.Errorf("%s: %v, want %v", c.name, why, c.why)
		} else if why == OK && (got.Checksum != Right || string(got.Data) != hello || got.Tag != 0 != c.tag) {
			t.Errorf("%s: checksum %v, %d bytes, tag %x", c.name, got.Checksum, len(got.Data), got.Tag)
		}
	}
	a, _ := parse(1, ethernetBytes(ip4Bytes(17, 1, 0, vxlanBytes(inner)), 7))
	b, _ := parse(1, ethernetBytes(ip4Bytes(17, 1, 0, vxlanBytes(inner)), 8))
	if a.Tag == b.Tag {
		t.Error("the VLAN around a tunnel is not in the tag")
	}
}

// samples: a packet of each sort, with the bytes of headers in front of hello.
var samples = []struct {
	name string
	link capture.LinkType
	data []byte
}{
	{"plain", rawIP, ip4Bytes(6, 1, 0, signed4(hello))},
	{"VLAN", 1, ethernetBytes(ip4Bytes(6, 1, 0, signed4(hello)), 7)},
	{"IPv6 with every extension header", rawIP, ip6Bytes(0, extensionBytes(43, nil, extensionBytes(60,
		[]byte{2, 0, 0, 0, 0, 0}, append([]byte{44, 0, 0, 0, 0, 0, 0, 0}, fragment6Bytes(51, 5, 0, false,
			append([]byte{6, 4, 0, 0, 23: 0}, signed6(hello)...))...))))},
	{"VXLAN in IPv6", rawIP, ip6Bytes(17, vxlanBytes(ip4Bytes(6, 1, 0, signed4(hello))))},
	{"IPv6 in IPv4", rawIP, ip4Bytes(41, 1, 0, ip6Bytes(6, signed6(hello)))},
}

func TestTruncatedAtEveryByte(t *testing.T) {
	for _, s := range samples {
		if got, why := parse(s.link, s.data); why != OK || got.Checksum != Right || string(got.Data) != hello {
			t.Fatalf("%s: %v, checksum %v, %q", s.name, why, got.Checksum, got.Data)
		}
		headers := len(s.data) - len(hello)
		for n := range s.data {
			var out Segment
			why := NewParser(Limits{}).Parse(&capture.Packet{Link: s.link, Data: s.data[:n:n], OrigLen: len(s.data)}, &out)
			data := hello[:max(0, n-headers)]
			switch {
			case n < headers-12 && why != Short && why != NotTCP: // 12 bytes of TCP options may lack
				t.Errorf("%s, %d bytes: %v", s.name, n, why)
			case n >= headers-12 && (why != OK || string(out.Data) != data || out.Length != len(hello) || out.Checksum != Unknown):
				t.Errorf("%s, %d bytes: %v, %d of %d bytes, checksum %v", s.name, n, why, len(out.Data), out.Length, out.Checksum)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	p := NewParser(Limits{})
	var out Segment
	for _, s := range samples {
		pkt := packet(s.link, s.data)
		if n := testing.AllocsPerRun(100, func() { p.Parse(pkt, &out) }); n != 0 {
			t.Errorf("%s: %v allocations a packet", s.name, n)
		}
	}
}

func TestStats(t *testing.T) {
	p := NewParser(Limits{})
	var out Segment
	for _, s := range samples {
		p.Parse(packet(s.link, s.data), &out)
	}
	p.Parse(packet(105, nil), &out)
	s := p.Stats()
	if s.Packets[OK] != 5 || s.Packets[UnknownLinkType] != 1 {
		t.Errorf("by reason: %v", s.Packets)
	}
	if got := fmt.Sprint(s.Links); got != "[{1 EN10MB true 1} {101 RAW true 4} {105 IEEE802_11 false 1}]" {
		t.Errorf("by link type: %s", got)
	}
	if got := strings.Trim(fmt.Sprint(s.Tunnels), "[]"); got != "0 0 1 0 0 1 0 0" {
		t.Errorf("by tunnel: %s", got)
	}
}
