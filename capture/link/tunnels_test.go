package link

import (
	"bytes"
	"testing"
)

// tunnelled is what stands between the outer IP packet (or UDP) and the inner.
type tunnelled struct {
	name        string
	protocol    uint8
	source      uint16
	destination uint16
	header      string // hex
	ip          []byte
	what        Kind
	tag         uint64
}

var tunnelFrames = []tunnelled{
	{"IPv4 in IP", 4, 0, 0, "", packet4, IPIP, 0},
	{"IPv6 in IP", 41, 0, 0, "", packet6, SixIn, 0},
	{"GRE", 47, 0, 0, "0000 0800", packet4, GRE, 0},
	{"GRE, IPv6", 47, 0, 0, "0000 86dd", packet6, GRE, 0},
	{"GRE with checksum", 47, 0, 0, "8000 0800 12340000", packet4, GRE, 0},
	{"GRE with key", 47, 0, 0, "2000 0800 00000500", packet4, GRE, 0},
	{"GRE with checksum, key and sequence", 47, 0, 0, "b000 0800 12340000 00000500 00000001", packet4, GRE, 0},
	{"GRE TAP", 47, 0, 0, "0000 6558" + eth4, packet4, GRE, 0},
	{"GRE TAP, VLAN", 47, 0, 0, "0000 6558" + macs + "8100 0005 0800", packet4, GRE, vlanTag(5)},
	{"NVGRE", 47, 0, 0, "2000 6558 00000501" + eth4, packet4, GRE, mix(0, nvgreSpace, 5)},
	{"NVGRE with checksum", 47, 0, 0, "a000 6558 12340000 00000502" + eth4, packet4, GRE, mix(0, nvgreSpace, 5)},
	{"GRE, MPLS", 47, 0, 0, "0000 8847 00010140", packet4, GRE, 0},
	{"ERSPAN I", 47, 0, 0, "0000 88be" + eth4, packet4, ERSPAN, 0},
	{"ERSPAN II", 47, 0, 0, "1000 88be 00000001 1005000100000000" + eth4, packet4, ERSPAN, 0},
	{"ERSPAN III", 47, 0, 0, "1000 22eb 00000001 20050001 00000000 00008000" + eth4, packet4, ERSPAN, 0},
	{"ERSPAN III with a subheader", 47, 0, 0, "1000 22eb 00000001 20050001 00000000 00008001 1122334455667788" + eth6, packet6, ERSPAN, 0},
	{"ERSPAN III, IP packet", 47, 0, 0, "1000 22eb 00000001 20050001 00000000 00000800", packet4, ERSPAN, 0},
	{"VXLAN", 17, 50000, 4789, "08000000 00002a00" + eth4, packet4, VXLAN, mix(0, vxlanSpace, 42)},
	{"VXLAN, the older port", 17, 50000, 8472, "08000000 00002a00" + eth6, packet6, VXLAN, mix(0, vxlanSpace, 42)},
	{"VXLAN with a group policy, VLAN inside", 17, 1, 4789, "88000001 00002a00" + macs + "8100 0005 0800", packet4, VXLAN, mix(mix(0, vxlanSpace, 42), vlanSpace, 5)},
	{"GENEVE", 17, 50000, 6081, "0000 6558 00002a00" + eth4, packet4, GENEVE, mix(0, geneveSpace, 42)},
	{"GENEVE with options, IPv6", 17, 50000, 6081, "0200 86dd 00002a00 0102800100000000", packet6, GENEVE, mix(0, geneveSpace, 42)},
	{"GTP-U", 17, 50000, 2152, "30ff 0014 00000001", packet4, GTPU, 0},
	{"GTP-U, answer", 17, 2152, 50000, "30ff 0014 00000001", packet6, GTPU, 0},
	{"GTP-U with sequence number", 17, 2152, 2152, "32ff 0018 00000001 0001 00 00", packet4, GTPU, 0},
	{"GTP-U with extension headers", 17, 2152, 2152, "34ff 0024 00000001 0000 00 85 01100085 02 000000000000 00", packet4, GTPU, 0},
}

func (f tunnelled) open(data []byte) ([]byte, uint64, Kind, Reason) {
	return Tunnel(f.protocol, f.source, f.destination, data)
}

func TestTunnel(t *testing.T) {
	for _, f := range tunnelFrames {
		t.Run(f.name, func(t *testing.T) {
			ip, tag, what, why := f.open(after(f.header, f.ip))
			if why != OK || what != f.what || !bytes.HasPrefix(ip, f.ip) {
				t.Fatalf("got %v, %x, %v; want %v, %x", what, ip, why, f.what, f.ip)
			}
			if tag != f.tag {
				t.Errorf("tag %x, want %x", tag, f.tag)
			}
		})
	}
}

// A UDP tunnel that is cut inside its first 8 bytes is not known as one.
func TestTunnelTruncated(t *testing.T) {
	for _, f := range tunnelFrames {
		whole := append(unhex(f.header), f.ip...)
		header := len(whole) - len(f.ip)
		for n := range whole {
			ip, _, what, why := f.open(whole[:n:n])
			switch {
			case n < header && f.protocol == 17 && n < 8:
				if what != None || ip != nil {
					t.Errorf("%s, %d bytes: %v, %x", f.name, n, what, ip)
				}
			case n < header && why != Short:
				t.Errorf("%s, %d of %d header bytes: %x, %v; want short", f.name, n, header, ip, why)
			case n > header && (why != OK || !bytes.Equal(ip, whole[header:n])):
				t.Errorf("%s, %d bytes of IP: %x, %v", f.name, n-header, ip, why)
			}
		}
	}
}

func TestTunnelRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		tunnelled
		why Reason
	}{
		{"TCP", tunnelled{protocol: 6, destination: 4789, header: "0800000000002a00" + eth4}, OK},
		{"UDP of another port", tunnelled{protocol: 17, source: 4789, destination: 53, header: "0800000000002a00" + eth4}, OK},
		{"no VXLAN on its port", tunnelled{protocol: 17, destination: 4789, header: "0000000000002a00" + eth4}, OK},
		{"no GENEVE on its port", tunnelled{protocol: 17, destination: 6081, header: "4000655800002a00" + eth4}, OK},
		{"GTP-U echo request", tunnelled{protocol: 17, destination: 2152, header: "3201000400000000 00010000"}, OK},
		{"GTP', not GTP", tunnelled{protocol: 17, destination: 2152, header: "20ff001400000001 45"}, OK},
		{"GTP-U extension of no length", tunnelled{protocol: 17, destination: 2152, header: "34ff001400000001 00000085 00", what: GTPU}, NotIP},
		{"ARP in VXLAN", tunnelled{protocol: 17, destination: 4789, header: "0800000000002a00" + macs + "0806 0001", what: VXLAN}, NotIP},
		{"PPTP", tunnelled{protocol: 47, header: "2001 880b 00000001", what: GRE}, NotIP},
		{"GRE with a source route", tunnelled{protocol: 47, header: "4000 0800 00000000", what: GRE}, NotIP},
		{"GRE keepalive", tunnelled{protocol: 47, header: "0000 0000", what: GRE}, NotIP},
	} {
		ip, _, what, why := c.open(unhex(c.header))
		if ip != nil || what != c.what || why != c.why {
			t.Errorf("%s: %v, %x, %v; want %v, %v", c.name, what, ip, why, c.what, c.why)
		}
	}
}

func TestTunnelAllocates(t *testing.T) {
	for _, f := range tunnelFrames {
		data := after(f.header, f.ip)
		if n := testing.AllocsPerRun(10, func() { f.open(data) }); n != 0 {
			t.Errorf("%s: %v allocations a packet", f.name, n)
		}
	}
}

// FuzzTunnel: never a panic, and what comes out is the end of what went in.
func FuzzTunnel(f *testing.F) {
	for _, s := range tunnelFrames {
		f.Add(s.protocol, s.source, s.destination, after(s.header, s.ip))
	}
	f.Fuzz(func(t *testing.T, protocol uint8, source, destination uint16, data []byte) {
		ip, _, what, why := Tunnel(protocol, source, destination, data)
		if ip != nil && (what == None || why != OK) {
			t.Fatalf("%v, %v with %x", what, why, ip)
		}
		if !bytes.HasSuffix(data, ip) {
			t.Fatal("bytes from elsewhere")
		}
	})
}
