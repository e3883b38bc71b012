package segment

import (
	"fmt"
	"testing"
)

// BenchmarkParse: one real packet over and over, so only the parse is measured.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"base", "link-ipv6", "link-vlan", "link-vxlan", "link-gtpu", "link-erspan2", "net-clean", "tso-bigmsgs"} {
		b.Run(name, func(b *testing.B) {
			packets := readCapture(b, shared(b, "captures", name+".pcap"))
			p := NewParser(Limits{})
			var out Segment
			var bytes int64
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				pkt := &packets[i%len(packets)]
				if p.Parse(pkt, &out) != OK {
					b.Fatal("no segment")
				}
				bytes += int64(len(pkt.Data))
			}
			b.SetBytes(bytes / int64(b.N))
		})
	}
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{20, 100, 1460, 65160} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := make([]byte, n)
			b.SetBytes(int64(n))
			for range b.N {
				sum(data)
			}
		})
	}
}

// BenchmarkFragments: every packet in three fragments.
func BenchmarkFragments(b *testing.B) {
	packets := readCapture(b, shared(b, "captures", "link-frag.pcap"))
	p := NewParser(Limits{})
	var out Segment
	b.ReportAllocs()
	for i := range b.N {
		p.Parse(&packets[i%len(packets)], &out)
	}
}
