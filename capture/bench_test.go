package capture

import (
	"bytes"
	"fmt"
	"testing"
	"time"
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

// BenchmarkReorder holds back the packets of 50 ms.
func BenchmarkReorder(b *testing.B) {
	packets := benchBytes / 1530
	benchWith(b, Options{Reorder: 50 * time.Millisecond}, pcapBytes(packets, 1514), packets)
}

func BenchmarkCodecs(b *testing.B) {
	data := basePcap(b)
	body := data[pcapHeaderSize:]
	times := benchBytes / len(body) / 4
	data = append(data, bytes.Repeat(body, times-1)...)
	for name := range packers {
		b.Run(name, func(b *testing.B) {
			benchRead(b, pack(b, name, data), times*basePackets)
			b.SetBytes(int64(len(data)))
		})
	}
}

func benchRead(b *testing.B, data []byte, packets int) {
	benchWith(b, Options{}, data, packets)
}

func benchWith(b *testing.B, o Options, data []byte, packets int) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		o.Stdin = bytes.NewReader(data)
		s, err := Open([]string{"-"}, o)
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
