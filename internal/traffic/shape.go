package traffic

import (
	"fmt"
	"io"
)

// Shape says what the traffic is like.
type Shape struct {
	Source  string // capture whose connections are repeated
	Segment int    // payload bytes of a segment at most; 0: a Pulsar frame each
	Dense   bool   // what a side sends is put together to large runs
	Late    int    // of 1,000 packets with payload, as many come behind later ones
	Lost    int    // of 1,000 packets with payload, as many are lacking
}

// Write writes a pcap file of at least the given size in bytes that ends with a
// whole connection.
func Write(to io.Writer, s Shape, size int64) error {
	all, err := scripts(s.Source)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Source, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: no connections to repeat", s.Source)
	}
	if s.Dense {
		for i := range all {
			all[i] = all[i].dense()
		}
	}
	w := newWriter(to, &s)
	for n := 0; w.bytes < size; n++ {
		w.write(n, all[n%len(all)].renamed(n), s.Segment)
	}
	return w.Flush()
}
