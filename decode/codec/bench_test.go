package codec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkDecompress counts plain bytes, of payloads like JSON events.
func BenchmarkDecompress(b *testing.B) {
	for _, size := range []int{1 << 10, 128 << 10, 4 << 20} {
		plain := events(size)
		for _, w := range writers {
			b.Run(fmt.Sprintf("%s/%dKiB", w.name, size>>10), func(b *testing.B) {
				var d Decompressor
				src := w.write(plain)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := d.Decompress(w.codec, src, uint32(size), true); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// events is size bytes of lines that differ in their numbers.
func events(size int) (out []byte) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for len(out) < size {
		out = fmt.Appendf(out, `{"sensor":%d,"time":%d,"temperature":%.2f,"unit":"celsius","place":"hall %d"}`+"\n",
			rnd.IntN(1000), 1700000000000+rnd.Int64N(1e9), rnd.Float64()*40, rnd.IntN(20))
	}
	return out[:size]
}
