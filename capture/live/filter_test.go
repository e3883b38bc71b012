package live

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"golang.org/x/net/bpf"
)

// judge runs what the filter says of packets, as it is compiled for the kernel
// but for where things lie: x/net's machine knows Ethernet frames and nothing of
// the kernel's own.
func judge(t *testing.T, f Filter, frame []byte) bool {
	t.Helper()
	p := &program{net: 14, protocol: bpf.LoadAbsolute{Off: 12, Size: 2}}
	p.packets(&f)
	p.label(accept)
	p.add(bpf.RetConstant{Val: 1})
	p.label(reject)
	p.add(bpf.RetConstant{})
	vm, err := bpf.NewVM(p.resolved())
	if err != nil {
		t.Fatal(err)
	}
	n, err := vm.Run(frame)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

func ethernet(etherType uint16, rest ...byte) []byte {
	return append(binary.BigEndian.AppendUint16(make([]byte, 12), etherType), rest...)
}

func ports(source, destination uint16) []byte {
	return append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, source), destination), make([]byte, 16)...)
}

// ip4 is a packet from 10.1.2.3 to 10.9.8.7, with options of so many bytes.
func ip4(protocol byte, fragment uint16, options int, rest []byte) []byte {
	h := make([]byte, 20+options)
	h[0], h[9] = 0x40|byte(len(h)/4), protocol
	binary.BigEndian.PutUint16(h[6:], fragment)
	copy(h[12:], []byte{10, 1, 2, 3, 10, 9, 8, 7})
	return ethernet(etherIPv4, append(h, rest...)...)
}

// ip6 is a packet from fd00::1 to fd00:1::2.
func ip6(next byte, rest []byte) []byte {
	h := make([]byte, 40)
	h[0], h[6] = 0x60, next
	h[8], h[23] = 0xfd, 1
	h[24], h[27], h[39] = 0xfd, 1, 2
	return ethernet(etherIPv6, append(h, rest...)...)
}

func networks(texts ...string) (nets []netip.Prefix) {
	for _, s := range texts {
		nets = append(nets, netip.MustParsePrefix(s))
	}
	return nets
}

func TestFilter(t *testing.T) {
	pulsar := Filter{Ports: []uint16{6650, 6651}}
	there := ports(40000, 6650)
	for _, c := range []struct {
		name   string
		filter Filter
		frame  []byte
		want   bool
	}{
		{"no filter", Filter{}, ethernet(0x0806), true},
		{"to the port", pulsar, ip4(6, 0, 0, there), true},
		{"from the port", pulsar, ip4(6, 0, 0, ports(6651, 40000)), true},
		{"another port", pulsar, ip4(6, 0, 0, ports(40000, 80)), false},
		{"behind options", pulsar, ip4(6, 0, 8, there), true},
		{"behind options, another port", pulsar, ip4(6, 0, 8, ports(6, 50)), false},
		{"UDP", pulsar, ip4(17, 0, 0, there), false},
		{"first fragment", pulsar, ip4(6, 0x2000, 0, there), true},
		{"first fragment of another port", pulsar, ip4(6, 0x2000, 0, ports(1, 2)), false},
		{"later fragment", pulsar, ip4(6, 0x0010, 0, ports(1, 2)), true},
		{"later fragment of UDP", pulsar, ip4(17, 0x0010, 0, there), false},
		{"VLAN tag", pulsar, ethernet(0x8100, 0, 7, 8, 0), true},
		{"two VLAN tags", pulsar, ethernet(0x88a8, 0, 7, 0x81, 0), true},
		{"ARP", pulsar, ethernet(0x0806), false},
		{"IPv6", pulsar, ip6(6, there), true},
		{"IPv6, another port", pulsar, ip6(6, ports(1, 2)), false},
		{"IPv6 fragment", pulsar, ip6(44, make([]byte, 20)), true},
		{"IPv6 options", pulsar, ip6(0, make([]byte, 20)), true},
		{"IPv6 UDP", pulsar, ip6(17, there), false},
		{"source", Filter{Nets: networks("10.1.2.3/32")}, ip4(17, 0, 0, there), true},
		{"destination", Filter{Nets: networks("10.9.8.7/32")}, ip4(6, 0, 0, there), true},
		{"another address", Filter{Nets: networks("10.9.8.6/32", "fd00::1/128")}, ip4(6, 0, 0, there), false},
		{"network", Filter{Nets: networks("192.168.0.0/16", "10.8.0.0/15")}, ip4(6, 0, 0, there), true},
		{"network just missed", Filter{Nets: networks("10.8.0.0/16")}, ip4(6, 0, 0, there), false},
		{"every IPv4 address", Filter{Nets: networks("0.0.0.0/0")}, ip4(6, 0, 0, there), true},
		{"no IPv6 address", Filter{Nets: networks("0.0.0.0/0")}, ip6(6, there), false},
		{"IPv6 source", Filter{Nets: networks("fd00::1/128")}, ip6(6, there), true},
		{"IPv6 network", Filter{Nets: networks("fd00:1::/33")}, ip6(6, there), true},
		{"IPv6 network just missed", Filter{Nets: networks("fd00:1:8000::/33")}, ip6(17, there), false},
		{"address and port", Filter{Ports: []uint16{6650}, Nets: networks("10.1.0.0/16")}, ip4(6, 0, 0, there), true},
		{"address without the port", Filter{Ports: []uint16{6650}, Nets: networks("10.1.0.0/16")}, ip4(6, 0, 0, ports(1, 2)), false},
		{"port without the address", Filter{Ports: []uint16{6650}, Nets: networks("10.2.0.0/16")}, ip4(6, 0, 0, there), false},
		{"fragment from elsewhere", Filter{Ports: []uint16{6650}, Nets: networks("10.2.0.0/16")}, ip4(6, 0x0010, 0, there), false},
		{"cut short", pulsar, ethernet(etherIPv4, 0x45, 0), false},
	} {
		if got := judge(t, c.filter, c.frame); got != c.want {
			t.Errorf("%s: passes is %v", c.name, got)
		}
	}
}

// Many addresses make jumps longer than the 255 instructions that a conditional
// one reaches.
func TestFilterLong(t *testing.T) {
	f := Filter{Ports: []uint16{6650}}
	for i := range 200 {
		f.Nets = append(f.Nets, netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 77, 0, byte(i)}), 32))
	}
	if judge(t, f, ip4(6, 0, 0, ports(1, 6650))) {
		t.Error("an address that is not named passes")
	}
	f.Nets = append(f.Nets, networks("10.1.2.3/32")...)
	if !judge(t, f, ip4(6, 0, 0, ports(1, 6650))) {
		t.Error("the last address does not pass")
	}
	if _, err := f.compile([]uint32{1, 2, 3}, 100); err != nil {
		t.Error(err)
	}
}
