package main

import (
	"sort"

	"pulsar-dissect/diagnose"
)

// fileSpans says which file a packet is in, by its number in the run: where
// numbers go on in another file than before. Files that were captured at the
// same time take turns, so there may be too many to keep.
type fileSpans struct {
	spans []fileSpan
	full  bool
}

type fileSpan struct {
	from uint64 // packet
	file int
}

// fileSpansKept is how many spans are kept: files of later packets are unknown.
const fileSpansKept = 100_000

// unknownFile stands for a file that is not known.
const unknownFile = -1

// add notes the file of a packet. Those that --reorder moved are left out.
func (s *fileSpans) add(packet uint64, file int) {
	n := len(s.spans)
	switch {
	case s.full, n > 0 && (s.spans[n-1].file == file || packet < s.spans[n-1].from):
		return
	case n == fileSpansKept:
		s.full = true
		s.spans = append(s.spans, fileSpan{packet, unknownFile})
		return
	}
	s.spans = append(s.spans, fileSpan{packet, file})
}

func (s *fileSpans) of(packet uint64) int {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].from > packet })
	if i == 0 {
		return unknownFile
	}
	return s.spans[i-1].file
}

// locate tells the evidence of findings which files it is in.
func (s *fileSpans) locate(found []*diagnose.Finding) {
	for _, f := range found {
		for i := range f.Evidence {
			f.Evidence[i].File = s.of(f.Evidence[i].Packet)
		}
	}
}
