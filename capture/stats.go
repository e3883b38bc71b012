package capture

import "slices"

// Stats is what has been seen of each file so far.
type Stats struct {
	Files []FileStats // as Source.Files
}

// FileStats counts the packets of one file that have been read from it; with
// several files, or with Options.Reorder, up to a few more than were given out.
type FileStats struct {
	Name      string
	Broken    bool // it could not be opened, or not be read to its end
	Packets   uint64
	Bytes     uint64 // captured
	WireBytes uint64 // that the packets had on the wire
	First     int64  // earliest time, ns since the Unix epoch; 0 if no packet has one
	Last      int64  // latest time, ns
	NoTime    uint64 // packets to which the container gives no time
	Truncated uint64 // packets of which fewer bytes were captured than there were; not one that the file ends in
	Links     []LinkCount

	// StepsBack is how often a packet has an earlier time than the one before
	// it. LargestStepBack is how far a packet lies behind the latest time before
	// it at most, in ns: Options.Reorder of that much puts the file in order.
	StepsBack       uint64
	LargestStepBack int64

	Interfaces []InterfaceStats // those that a pcapng file has statistics of

	before int64 // time of the packet before, ns
}

// LinkCount says how many packets had a link type.
type LinkCount struct {
	Link    LinkType
	Packets uint64
}

// InterfaceStats are the latest counts of an Interface Statistics Block; what it
// leaves out is 0.
type InterfaceStats struct {
	Section   int    // of the file, from 0
	Interface uint32 // of the section, from 0
	Name      string // if_name, may be empty
	Received  uint64 // packets, isb_ifrecv
	Dropped   uint64 // packets the interface had no room for, isb_ifdrop
	OSDropped uint64 // packets the system had no room for, isb_osdrop
}

// Count counts a packet that was read.
func (s *FileStats) Count(p *Packet) {
	s.Packets++
	s.Bytes += uint64(len(p.Data))
	s.WireBytes += uint64(p.OrigLen)
	if len(p.Data) < p.OrigLen && !p.FileEnds {
		s.Truncated++
	}
	if n := len(s.Links); n > 0 && s.Links[n-1].Link == p.Link {
		s.Links[n-1].Packets++
	} else {
		s.addLink(p.Link)
	}
	s.addTime(p)
}

func (s *FileStats) addTime(p *Packet) {
	if p.TimeUnknown {
		s.NoTime++
		return
	}
	if p.Time < s.Last && s.Packets > s.NoTime+1 {
		s.addEarlier(p.Time)
	} else {
		s.addLater(p.Time)
	}
	s.before = p.Time
}

func (s *FileStats) addLater(t int64) {
	if s.Packets == s.NoTime+1 {
		s.First = t
	}
	s.Last = t
}

func (s *FileStats) addEarlier(t int64) {
	if t < s.before {
		s.StepsBack++
	}
	s.LargestStepBack = max(s.LargestStepBack, s.Last-t)
	s.First = min(s.First, t)
}

// addLink counts a link type and puts it last, where the next look goes.
func (s *FileStats) addLink(link LinkType) {
	i := slices.IndexFunc(s.Links, func(c LinkCount) bool { return c.Link == link })
	if i < 0 {
		i = len(s.Links)
		s.Links = append(s.Links, LinkCount{Link: link})
	}
	s.Links[i].Packets++
	last := len(s.Links) - 1
	s.Links[i], s.Links[last] = s.Links[last], s.Links[i]
}

// interfaceStats finds the row of an interface, or makes one.
func (s *FileStats) interfaceStats(section int, id uint32) *InterfaceStats {
	for i := range s.Interfaces {
		if s.Interfaces[i].Section == section && s.Interfaces[i].Interface == id {
			return &s.Interfaces[i]
		}
	}
	s.Interfaces = append(s.Interfaces, InterfaceStats{Section: section, Interface: id})
	return &s.Interfaces[len(s.Interfaces)-1]
}
