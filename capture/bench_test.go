package capture

import (
	"bytes"
	"fmt"
	"testing"
)

// Data of about 64 MiB: packets of one size, read from memory.
const benchBytes = 64 << 20

func BenchmarkPcap(b *testing.B)   { benchSizes(b, pcapBytes) }
func BenchmarkPcapng(b *testing.B) { benchSizes(b, pcapngBytes) }

func benchSizes(b *testing.B, build func(packets int, size int) []byte) {
	for _, size := range []int{100, 1514, 65000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			packets := benchBytes / (size + 16)
			benchRead(b, build(packets, size), packets)
		})
	}
}

func benchRead(b *testing.B, data []byte, packets int) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(data)})
		if err != nil {
			b.Fatal(err)
		}
		got := 0
		for _, err := range s.Packets() {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != packets {
			b.Fatalf("%d packets, want %d", got, packets)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(packets), "ns/packet")
}
