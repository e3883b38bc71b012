package segment

import (
	"slices"

	"pulsar-dissect/capture"
	"pulsar-dissect/capture/link"
)

// Stats is what a Parser has counted so far.
type Stats struct {
	Packets   [Reasons]uint64    // by Reason; OK: the segments
	Cut       uint64             // segments of whose payload the snap length left a part, or nothing
	Links     []LinkCount        // by link type, lowest number first
	Tunnels   [link.Kinds]uint64 // packets seen inside each kind
	Fragments FragmentStats
}

// LinkCount is the packets of one link type; those of one not Supported were
// not read.
type LinkCount struct {
	Type      capture.LinkType
	Name      string
	Supported bool
	Packets   uint64
}

// FragmentStats counts fragments (Received, Cut, Dropped) and fragmented IP packets.
type FragmentStats struct {
	Received     uint64 // fragments
	Cut          uint64 // fragments not captured whole, left out
	Dropped      uint64 // fragments larger than the limit, left out
	Assembled    uint64 // packets put together
	Expired      uint64 // packets given up after Limits.FragmentAge
	Evicted      uint64 // packets given up at a limit of bytes or number
	Pending      int    // packets waiting now
	PendingBytes int    // bytes they hold
}

// Stats gives the counters as they are now.
func (p *Parser) Stats() Stats {
	return Stats{
		Packets: p.counts.reasons, Cut: p.counts.cut, Links: p.counts.linkCounts(),
		Tunnels: p.counts.tunnels, Fragments: p.fragments.stats(),
	}
}

type counts struct {
	reasons [Reasons]uint64
	cut     uint64
	tunnels [link.Kinds]uint64
	links   map[capture.LinkType]*uint64
	last    capture.LinkType // the counter of the packet before is at hand
	counter *uint64
}

func newCounts() counts { return counts{links: map[capture.LinkType]*uint64{}} }

func (c *counts) link(t capture.LinkType) {
	if c.counter == nil || c.last != t {
		c.last, c.counter = t, c.find(t)
	}
	*c.counter++
}

func (c *counts) find(t capture.LinkType) *uint64 {
	if c.links[t] == nil {
		c.links[t] = new(uint64)
	}
	return c.links[t]
}

func (c *counts) linkCounts() []LinkCount {
	var all []LinkCount
	for t, n := range c.links {
		all = append(all, LinkCount{Type: t, Name: link.Name(t), Supported: link.Supported(t), Packets: *n})
	}
	slices.SortFunc(all, func(a, b LinkCount) int { return int(a.Type) - int(b.Type) })
	return all
}
