package segment

import (
	"testing"

	"pulsar-dissect/capture"
)

// FuzzParse: two packets through one parser. Never a panic, never more data than
// the packet had on the wire, never more kept than the limits say.
func FuzzParse(f *testing.F) {
	for _, s := range samples {
		f.Add(uint32(s.link), s.data, s.data, len(s.data))
	}
	parts := cut(signed4(hello)[:160])
	f.Add(uint32(rawIP), parts[0].ip4(1), parts[1].ip4(1), 200)
	f.Add(uint32(rawIP), parts[1].ip6(1), parts[0].ip6(1), 0)
	f.Fuzz(func(t *testing.T, link uint32, first, second []byte, wire int) {
		limits := Limits{FragmentBytes: 4096, FragmentDatagrams: 2}
		p := NewParser(limits)
		for _, data := range [][]byte{first, second} {
			var out Segment
			why := p.Parse(&capture.Packet{Link: capture.LinkType(link), Data: data, OrigLen: wire}, &out)
			if why == OK && len(out.Data) > out.Length {
				t.Fatalf("%d bytes of %d", len(out.Data), out.Length)
			}
			if s := p.Stats().Fragments; s.PendingBytes > limits.FragmentBytes || s.Pending > limits.FragmentDatagrams {
				t.Fatalf("kept %+v", s)
			}
		}
	})
}
