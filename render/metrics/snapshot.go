package metrics

import (
	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
)

// snapshot is what a scrape reads. It is not changed once it is published.
type snapshot struct {
	counts
	version string
	packets traffic                    // captured
	lost    [2]uint64                  // packets, by losers
	open    [decode.Unknown + 1]uint64 // connections by Protocol
	openTCP tcp                        // of them
}

// losers are who had no room for packets.
var losers = [...]string{"kernel", "interface"}

// source takes the counts of where packets come from.
func (s *snapshot) source(stats capture.Stats) {
	for i := range stats.Files {
		f := &stats.Files[i]
		s.packets.count += f.Packets
		s.packets.bytes += f.Bytes
		for _, x := range f.Interfaces {
			s.lost[0] += x.OSDropped
			s.lost[1] += x.Dropped
		}
	}
}
