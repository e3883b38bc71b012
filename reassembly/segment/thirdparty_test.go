package segment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pulsar-dissect/capture/link"
)

// thirdParty has what is in captures made by others. Segments, bytes and reasons
// are those that an independent decoder finds, where it knows the link type; what
// it does not know (FabricPath, NFLOG, home address and routing headers) has right
// checksums for its proof.
var thirdParty = []struct{ name, want string }{
	{"deepflow__pulsar-producer.pcap", "69 segments, 1476 bytes, partial 65, wrong 4"},
	{"gopacket__linux_sll_oversized_addr.pcapng", "208 segments, 79895 bytes (6343 captured), unknown 9, right 75, wrong 124, bad_tcp 1"},
	{"gopacket__test_loopback.pcap", "24 segments, 56331 bytes, partial 24"},
	{"ppp__IPv4-TSO.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"ppp__NullLoopback.pcap", "1 segments, 403 bytes, partial 1, not_ip 1, not_tcp 1"},
	{"ppp__Sll2Packet.pcap", "1 segments, 0 bytes, partial 1"},
	{"ppp__SllPacket.pcap", "1 segments, 1208 bytes (40 captured), unknown 1"},
	{"ppp__four_ipv6_http_streams.pcap", "81 segments, 34770 bytes, right 81"},
	{"ppp__frag_http_req.pcap", "1 segments, 1460 bytes, right 1, fragment 10"},
	{"ppp__ip4_bad_fragment.pcap", "0 segments, 0 bytes, short 1"},
	{"ppp__ip4_fragments.pcap", "0 segments, 0 bytes, not_tcp 9, fragment 44"},
	{"ppp__ip6_fragments.pcap", "0 segments, 0 bytes, not_tcp 4, fragment 32"},
	{"ppp__linktype_ipv4.pcap", "0 segments, 0 bytes, not_tcp 2"},
	{"ppp__linktype_ipv6.pcap", "1 segments, 0 bytes, right 1"},
	{"ppp__many_interfaces-1.pcapng", "32 segments, 3045 bytes, right 32, not_tcp 32"},
	{"ppp__microsecs_big_endian.pcap", "0 segments, 0 bytes, unknown_link_type 13"},
	{"ppp__one_ipv6_http_stream.pcap", "19 segments, 6843 bytes, right 19"},
	{"ppp__one_tcp_stream.pcap", "36 segments, 25233 bytes, right 36"},
	{"ppp__raw_ip.pcap", "92 segments, 24437 bytes, right 50, partial 42, not_tcp 8"},
	{"ppp__sll2.pcap", "3 segments, 31 bytes, right 3"},
	{"suri-sll2__input.pcap", "5 segments, 82 bytes, right 5"},
	{"suri__frag-eth-vlan-ip-tcp-syn.pcap", "1 segments, 0 bytes, right 1, fragment 2"},
	{"suri__frag-ip-tcp.pcap", "1 segments, 1000 bytes, right 1, fragment 2"},
	{"suri__tcp-leading-gap.pcap", "7 segments, 8 bytes, right 7"},
	{"suri__tcp-overlap.pcap", "7 segments, 8 bytes, right 7"},
	{"suri__tcp-rst-with-data.pcap", "8 segments, 30 bytes, right 8"},
	{"suri__tcp-simple-gap2.pcap", "7 segments, 8 bytes, right 7"},
	{"suri__truncated.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__802.1ad_QinQ.pcap", "0 segments, 0 bytes, not_ip 2"},
	{"tcpdump__LINKTYPE_IPV4.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__LINKTYPE_IPV6.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__LINKTYPE_PKTAP.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__LINKTYPE_RAW_ipv4.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__LINKTYPE_RAW_ipv6.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__bigtcp-ipv4-vxlan-ipv4.pcap", "1 segments, 80000 bytes, partial 1, in vxlan 1"},
	{"tcpdump__bigtcp-ipv6-hbh.pcap", "1 segments, 80000 bytes, partial 1"},
	{"tcpdump__bigtcp-ipv6.pcap", "1 segments, 79968 bytes, partial 1"},
	{"tcpdump__dsa.pcap", "0 segments, 0 bytes, not_ip 2, not_tcp 6"},
	{"tcpdump__edsa.pcap", "0 segments, 0 bytes, not_ip 4, not_tcp 6"},
	{"tcpdump__gso-ipv4-vxlan-ipv4.pcap", "1 segments, 6990 bytes, partial 1, in vxlan 1"},
	{"tcpdump__gso-ipv4-vxlan-ipv6.pcap", "1 segments, 4134 bytes, partial 1, in vxlan 1"},
	{"tcpdump__gso-ipv6-geneve-ipv4.pcap", "1 segments, 6890 bytes, partial 1, in geneve 1"},
	{"tcpdump__ip6_frag_asan.pcap", "0 segments, 0 bytes, short 1"},
	{"tcpdump__ipv4_invalid_hdr_length.pcap", "0 segments, 0 bytes, bad_ip 1"},
	{"tcpdump__ipv4_invalid_total_length.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"tcpdump__ipv4_invalid_total_length_2.pcap", "0 segments, 0 bytes, bad_ip 1"},
	{"tcpdump__ipv4_tcp_http_xml.pcap", "1 segments, 605 bytes, right 1"},
	{"tcpdump__ipv4_tcp_http_xml_tso.pcap", "1 segments, 1976 bytes, partial 1"},
	{"tcpdump__ipv6_jumbogram_invalid_length.pcap", "0 segments, 0 bytes, bad_ip 1"},
	{"zeek__cisco-fabric-path.pcap", "32 segments, 0 bytes, right 32, not_ip 2, not_tcp 96"},
	{"zeek__fragmented-1.pcap", "0 segments, 0 bytes, not_tcp 1, fragment 2"},
	{"zeek__fragmented-2.pcap", "0 segments, 0 bytes, fragment 3"},
	{"zeek__fragmented-3.pcap", "0 segments, 0 bytes, fragment 5"},
	{"zeek__fragmented-4.pcap", "3 segments, 69 bytes, right 3, fragment 3"},
	{"zeek__fragmented-syn.pcap", "1 segments, 0 bytes, right 1, fragment 1"},
	{"zeek__geneve.pcap", "0 segments, 0 bytes, not_tcp 6, in geneve 6"},
	{"zeek__gre-erspan3-dot1q.pcap", "0 segments, 0 bytes, not_tcp 2, in erspan 2"},
	{"zeek__gre-sample.pcap", "22 segments, 2623 bytes, right 22, not_tcp 18, in gre 40"},
	{"zeek__gre-within-gre.pcap", "0 segments, 0 bytes, not_tcp 628, in gre 1256"},
	{"zeek__handshake-reorder.pcap", "14 segments, 5143 bytes, right 14"},
	{"zeek__ip-bogus-header-len.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"zeek__ip-discarder-truncated-tcp-oob.pcapng", "0 segments, 0 bytes, short 1"},
	{"zeek__ip4-tcp-bad-chksum.pcap", "1 segments, 0 bytes, wrong 1"},
	{"zeek__ip4-tcp-good-chksum.pcap", "1 segments, 0 bytes, right 1"},
	{"zeek__ip4-trunc.pcap", "0 segments, 0 bytes, short 1"},
	{"zeek__ip6-ext-trunc.pcap", "0 segments, 0 bytes, short 1"},
	{"zeek__ip6-hoa-tcp-good-chksum.pcap", "1 segments, 0 bytes, right 1"},
	{"zeek__ip6-route0-tcp-good-chksum.pcap", "1 segments, 0 bytes, right 1"},
	{"zeek__ip6-tcp-bad-chksum.pcap", "1 segments, 0 bytes, wrong 1"},
	{"zeek__ip6-trunc.pcap", "0 segments, 0 bytes, short 1"},
	{"zeek__ipv4-internally-truncated-header.pcap", "0 segments, 0 bytes, short 1"},
	{"zeek__ipv6-hbh-routing0.pcap", "0 segments, 0 bytes, not_tcp 1"},
	{"zeek__ipv6-http-atomic-frag.pcap", "36 segments, 412 bytes, right 32, partial 4, not_tcp 2"},
	{"zeek__linux_dlt_sll2.pcap", "0 segments, 0 bytes, not_ip 2, not_tcp 4"},
	{"zeek__linuxsll-arp.pcap", "0 segments, 0 bytes, not_ip 12"},
	{"zeek__localhost-bad-chksum.pcap", "10 segments, 506 bytes, right 4, partial 6"},
	{"zeek__missing-syn.pcap", "21 segments, 9515 bytes, right 21"},
	{"zeek__mixed-vlan-mpls.pcap", "47 segments, 12979 bytes, right 25, wrong 22"},
	{"zeek__nflog-http.pcap", "13 segments, 1682 bytes, right 6, partial 7"},
	{"zeek__no-handshake.pcap", "1 segments, 136 bytes, right 1"},
	{"zeek__payload-syn.pcap", "6 segments, 100 bytes, right 6"},
	{"zeek__payload-synack.pcap", "6 segments, 110 bytes, right 6"},
	{"zeek__pppoe-over-qinq.pcap", "86 segments, 34556 bytes, right 86"},
	{"zeek__pppoe.pcap", "0 segments, 0 bytes, not_ip 40, not_tcp 25"},
	{"zeek__q-in-q.pcap", "0 segments, 0 bytes, not_ip 1, not_tcp 4"},
	{"zeek__reassembly.pcap", "117 segments, 34434 bytes (34370 captured), unknown 5, right 102, wrong 10"},
	{"zeek__retransmit-fast009.pcap", "39 segments, 28547 bytes (0 captured), unknown 21, partial 18"},
	{"zeek__ssh-dups.pcap", "377 segments, 31912 bytes, right 225, partial 152"},
	{"zeek__tcp-fast-open.pcap", "16 segments, 1658 bytes, right 16"},
	{"zeek__tcp-http-with-padding.pcap", "25 segments, 207 bytes, right 14, wrong 11"},
	{"zeek__trunc-hdr.pcap", "0 segments, 0 bytes, short 1"},
	{"zeek__truncated-header.pcap", "24 segments, 605 bytes (0 captured), unknown 12, right 12"},
	{"zeek__vlan-collisions.pcap", "42 segments, 15429 bytes, right 42"},
	{"zeek__vlan-pcp-dei.pcapng", "9 segments, 0 bytes, right 9"},
	{"zeek__vlan-qinqinq.pcap", "14 segments, 5143 bytes, right 14"},
	{"zeek__vxlan-encapsulated-http.pcap", "12 segments, 9299 bytes, right 12, in vxlan 12"},
	{"zeek__vxlan-inner-tcp-bad-checksum.pcap", "1 segments, 0 bytes, wrong 1, in vxlan 1"},
	{"zeek__vxlan.pcap", "0 segments, 0 bytes, not_ip 2, not_tcp 8, in vxlan 10"},
}

func TestThirdParty(t *testing.T) {
	for _, c := range thirdParty {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(t, shared(t, "thirdparty", c.name)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// describe says in one line what a capture gave.
func describe(t *testing.T, path string) string {
	p := NewParser(Limits{})
	captured, length := 0, 0
	var sums [Wrong + 1]int
	for _, pkt := range readCapture(t, path) {
		var out Segment
		if p.Parse(&pkt, &out) == OK {
			captured, length = captured+len(out.Data), length+out.Length
			sums[out.Checksum]++
		}
	}
	s := p.Stats()
	b := new(strings.Builder)
	fmt.Fprintf(b, "%d segments, %d bytes", s.Packets[OK], length)
	if captured < length {
		fmt.Fprintf(b, " (%d captured)", captured)
	}
	for sum, name := range []string{"unknown", "right", "partial", "wrong"} {
		count(b, name, uint64(sums[sum]))
	}
	for r := OK + 1; r < Reasons; r++ {
		count(b, r.String(), s.Packets[r])
	}
	for k := link.None + 1; k < link.Kinds; k++ {
		count(b, "in "+k.String(), s.Tunnels[k])
	}
	return b.String()
}

func count(b *strings.Builder, name string, n uint64) {
	if n > 0 {
		fmt.Fprintf(b, ", %s %d", name, n)
	}
}

// tags counts the segments of each network.
func tags(t *testing.T, name string) map[uint64]int {
	p := NewParser(Limits{})
	m := map[uint64]int{}
	for _, pkt := range readCapture(t, shared(t, "thirdparty", name)) {
		var out Segment
		if p.Parse(&pkt, &out) == OK {
			m[out.Tag]++
		}
	}
	return m
}

// Networks that a tag tells apart, and those without one.
func TestThirdPartyTags(t *testing.T) {
	for _, c := range []struct {
		name     string
		networks []int // segments of each, ascending
		untagged int   // of them
	}{
		{"zeek__vlan-collisions.pcap", []int{14, 14, 14}, 14}, // one 4-tuple on two VLANs and outside
		{"zeek__vlan-qinqinq.pcap", []int{14}, 0},
		{"zeek__vxlan-encapsulated-http.pcap", []int{12}, 0},
		{"zeek__pppoe-over-qinq.pcap", []int{86}, 0},
		{"zeek__gre-sample.pcap", []int{22}, 22},
		{"ppp__sll2.pcap", []int{3}, 3},
	} {
		m := tags(t, c.name)
		got := slices.Sorted(maps.Values(m))
		if !slices.Equal(got, c.networks) || m[0] != c.untagged {
			t.Errorf("%s: segments by network %v, untagged %d; want %v, %d", c.name, got, m[0], c.networks, c.untagged)
		}
	}
}
