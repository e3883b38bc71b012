package link

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pulsar-dissect/capture"
)

// packet4 and packet6 stand for IP packets: only their first byte matters here.
var (
	packet4 = unhex("45000014 00004000 40060000 0a000001 0a000002")
	packet6 = unhex("60000000 00000640 20010db8000000000000000000000001 20010db8000000000000000000000002")
)

const (
	macs = "020000000001 020000000002 "
	eth4 = macs + "0800"
	eth6 = macs + "86dd"
)

// frame is what stands in front of an IP packet, and what is to be made of it.
type frame struct {
	name   string
	link   capture.LinkType
	header string // hex
	ip     []byte
	tag    uint64
}

func vlanTag(ids ...uint32) (tag uint64) {
	for _, id := range ids {
		tag = mix(tag, vlanSpace, id)
	}
	return tag
}

var frames = []frame{
	{"Ethernet", 1, eth4, packet4, 0},
	{"Ethernet, IPv6", 1, eth6, packet6, 0},
	{"802.1Q", 1, macs + "8100 000a 0800", packet4, vlanTag(10)},
	{"802.1Q with priority and DEI", 1, macs + "8100 f00a 86dd", packet6, vlanTag(10)},
	{"802.1Q priority tag", 1, macs + "8100 e000 0800", packet4, 0},
	{"802.1ad and 802.1Q", 1, macs + "88a8 0064 8100 000a 0800", packet4, vlanTag(100, 10)},
	{"0x9100", 1, macs + "9100 0064 8100 000a 0800", packet4, vlanTag(100, 10)},
	{"0x9200", 1, macs + "9200 0064 0800", packet4, vlanTag(100)},
	{"three tags", 1, macs + "88a8 0001 8100 0002 8100 0003 0800", packet4, vlanTag(1, 2, 3)},
	{"MPLS", 1, macs + "8847 00010140", packet4, 0},
	{"MPLS, two labels, IPv6", 1, macs + "8848 00010040 00020140", packet6, 0},
	{"MPLS pseudowire", 1, macs + "8847 00010140 00000007" + eth4, packet4, 0},
	{"MPLS pseudowire with a VLAN", 1, macs + "8847 00010140 00000007" + macs + "8100 0005 0800", packet4, vlanTag(5)},
	{"VLAN, then MPLS", 1, macs + "8100 000a 8847 00010140", packet4, vlanTag(10)},
	{"PPPoE", 1, macs + "8864 1100 0001 0016 0021", packet4, 0},
	{"PPPoE in two VLANs, IPv6", 1, macs + "88a8 0001 8100 0002 8864 1100 0001 0030 0057", packet6, vlanTag(1, 2)},
	{"FabricPath", 1, macs + "8903 0040" + eth4, packet4, 0},
	{"NULL, little-endian", 0, "02000000", packet4, 0},
	{"NULL, big-endian", 0, "00000002", packet4, 0},
	{"NULL, IPv6 of Linux", 0, "0a000000", packet6, 0},
	{"NULL, IPv6 of Windows", 0, "17000000", packet6, 0},
	{"NULL, IPv6 of NetBSD", 0, "18000000", packet6, 0},
	{"NULL, IPv6 of FreeBSD", 0, "1c000000", packet6, 0},
	{"NULL, IPv6 of macOS", 0, "0000001e", packet6, 0},
	{"LOOP", 108, "00000002", packet4, 0},
	{"RAW 12", 12, "", packet4, 0},
	{"RAW 14", 14, "", packet4, 0},
	{"RAW 101", 101, "", packet6, 0},
	{"IPV4", 228, "", packet4, 0},
	{"IPV6", 229, "", packet6, 0},
	{"SLL", 113, "0000 0001 0006 0200000000010000 0800", packet4, 0},
	{"SLL with an address length beyond its field", 113, "0000 0001 c506 0200000000010000 86dd", packet6, 0},
	{"SLL with a VLAN", 113, "0000 0001 0006 0200000000010000 8100 000a 0800", packet4, vlanTag(10)},
	{"SLL2", 276, "0800 0000 00000002 0001 00 06 0200000000010000", packet4, 0},
	{"PPP", 9, "0021", packet4, 0},
	{"PPP with HDLC framing", 9, "ff03 0057", packet6, 0},
	{"PPP, protocol field compressed", 9, "ff03 21", packet4, 0},
	{"PPP, MPLS", 9, "0281 00010140", packet4, 0},
	{"PPP_SERIAL", 50, "ff03 0021", packet4, 0},
	{"PPP_SERIAL, Cisco HDLC", 50, "0f00 86dd", packet6, 0},
	{"PPP_ETHER", 51, "1100 0001 0016 0021", packet4, 0},
	{"C_HDLC", 104, "8f00 0800", packet4, 0},
	{"NFLOG", 239, "02000000 0800 0100 0800 0003 0500 0a00 69000000 1800 0900", packet4, 0},
	{"NFLOG, big-endian", 239, "0a000000 0008 0001 0800 0003 002c 0009", packet6, 0},
	{"DSA, no VLAN tag on the wire", 284, macs + "c0080005 0800", packet4, 0},
	{"DSA, VLAN tag on the wire", 284, macs + "e0080005 0800", packet4, vlanTag(5)},
	{"EDSA", 285, macs + "dada 0000 e0000005 86dd", packet6, vlanTag(5)},
	{"PKTAP, Ethernet", 258, "10000000 01000000 01000000 00000000" + eth4, packet4, 0},
	{"PKTAP, RAW", 258, "0c000000 01000000 0c000000", packet6, 0},
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// after gives header and rest as one packet, with the padding of a short frame.
func after(header string, rest []byte) []byte {
	return append(append(unhex(header), rest...), 0xee, 0xee, 0xee)
}

func TestNetwork(t *testing.T) {
	for _, f := range frames {
		t.Run(f.name, func(t *testing.T) {
			ip, tag, why := Network(f.link, after(f.header, f.ip))
			if why != OK || !bytes.HasPrefix(ip, f.ip) || len(ip) != len(f.ip)+3 {
				t.Fatalf("got %x, %v; want %x and 3 bytes of padding", ip, why, f.ip)
			}
			if tag != f.tag {
				t.Errorf("tag %x, want %x", tag, f.tag)
			}
		})
	}
}

// Whatever is cut off, what is left is Short or (where a header ends) an IP
// packet without its end.
func TestNetworkTruncated(t *testing.T) {
	for _, f := range frames {
		whole := append(unhex(f.header), f.ip...)
		header := len(whole) - len(f.ip)
		for n := range whole {
			ip, _, why := Network(f.link, whole[:n:n])
			switch {
			case n < header && why != Short:
				t.Errorf("%s, %d of %d header bytes: %x, %v; want short", f.name, n, header, ip, why)
			case n > header && (why != OK || !bytes.Equal(ip, whole[header:n])):
				t.Errorf("%s, %d bytes of IP: %x, %v", f.name, n-header, ip, why)
			}
		}
	}
}

func TestNetworkRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		link capture.LinkType
		data string
		why  Reason
	}{
		{"ARP", 1, macs + "0806 0001080006040001", NotIP},
		{"802.3 length and LLC", 1, macs + "0026 424203000000", NotIP},
		{"ARP in a VLAN", 1, macs + "8100 000a 0806 0001080006040001", NotIP},
		{"PPPoE discovery", 1, macs + "8863 1109 0000 0004", NotIP},
		{"PPPoE, LCP", 1, macs + "8864 1100 0001 0004 c021 01010004", NotIP},
		{"PPP, LCP", 9, "ff03 c021 01010004", NotIP},
		{"MPLS, neither IP nor a control word", 1, macs + "8847 00010140 ff000000", NotIP},
		{"MPLS, no bottom", 1, macs + "8847" + strings.Repeat("00010040", 17), TooDeep},
		{"17 VLAN tags", 1, macs + strings.Repeat("8100 0001", 17) + "0800 45", TooDeep},
		{"NULL, AppleTalk", 0, "10000000", NotIP},
		{"SLL, ARP", 113, "0000 0001 0006 0200000000010000 0806", NotIP},
		{"NFLOG, an attribute shorter than itself", 239, "02000000 0300 0100 00000000", NotIP},
		{"NFLOG without a packet", 239, "02000000 0800 0100 08000003", Short},
		{"PKTAP shorter than its header", 258, "04000000 01000000 01000000", NotIP},
		{"PKTAP longer than the packet", 258, "ffffffff 01000000 01000000", Short},
		{"PKTAP in PKTAP", 258, "0c000000 01000000 02010000 0c000000 01000000 01000000", UnknownLinkType},
		{"802.11", 105, "0800", UnknownLinkType},
		{"no such link type", 4000000000, "45", UnknownLinkType},
	} {
		if ip, _, why := Network(c.link, unhex(c.data)); why != c.why || ip != nil {
			t.Errorf("%s: %x, %v; want %v", c.name, ip, why, c.why)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		link      capture.LinkType
		name      string
		supported bool
	}{
		{1, "EN10MB", true}, {276, "LINUX_SLL2", true}, {258, "PKTAP", true},
		{105, "IEEE802_11", false}, {9999, "LINKTYPE_9999", false}, {319, "LINKTYPE_319", false},
	} {
		if got := Name(c.link); got != c.name || Supported(c.link) != c.supported {
			t.Errorf("%d: %s, supported %v; want %s, %v", c.link, got, Supported(c.link), c.name, c.supported)
		}
	}
	if Short.String() != "short" || Reason(200).String() != "unknown" || GTPU.String() != "gtp-u" || Kind(200).String() != "unknown" {
		t.Error("a reason or kind has the wrong name")
	}
}

// The tag tells networks apart: by number, by kind of number, and by order.
func TestTag(t *testing.T) {
	seen := map[uint64]string{0: "none"}
	for name, tag := range map[string]uint64{
		"VLAN 5": vlanTag(5), "VLAN 6": vlanTag(6), "VLAN 5, 6": vlanTag(5, 6), "VLAN 6, 5": vlanTag(6, 5),
		"VLAN 5, 5": vlanTag(5, 5), "VNI 5": mix(0, vxlanSpace, 5), "VNI 0": mix(0, vxlanSpace, 0),
		"GENEVE 5": mix(0, geneveSpace, 5), "VNI 5 in VLAN 5": Combine(vlanTag(5), mix(0, vxlanSpace, 5)),
	} {
		if other, ok := seen[tag]; ok {
			t.Errorf("%s and %s have one tag", name, other)
		}
		seen[tag] = name
	}
}

func TestNetworkAllocates(t *testing.T) {
	for _, f := range frames {
		data := after(f.header, f.ip)
		if n := testing.AllocsPerRun(10, func() { Network(f.link, data) }); n != 0 {
			t.Errorf("%s: %v allocations a packet", f.name, n)
		}
	}
}

// FuzzNetwork: never a panic, and what comes out is the end of what went in.
func FuzzNetwork(f *testing.F) {
	for _, s := range frames {
		f.Add(uint32(s.link), after(s.header, s.ip))
	}
	f.Fuzz(func(t *testing.T, link uint32, data []byte) {
		ip, _, why := Network(capture.LinkType(link), data)
		if why == OK != (ip != nil) && len(data) > 0 {
			t.Fatalf("%v with %x", why, ip)
		}
		if !bytes.HasSuffix(data, ip) {
			t.Fatal("bytes from elsewhere")
		}
	})
}
