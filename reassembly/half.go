package reassembly

import "pulsar-dissect/reassembly/segment"

// farAway is the distance in sequence numbers, in bytes, beyond which a
// segment cannot belong to the stream at hand: no window is that large.
const farAway = 1 << 24

// recentPieces is how many released segments are remembered by fingerprint, so
// that a retransmission with other bytes is noticed.
const recentPieces = 8

// half is one direction of a connection. Offsets are those of the stream.
type half struct {
	isnKnown bool
	isn      uint32
	based    bool   // origin is known
	origin   uint32 // sequence number of offset 0
	next     int64  // offset of the next byte to release
	top      int64  // highest offset seen
	came     int64  // packet time by which the last released bytes had come, ns
	acked    int64  // highest offset that the peer acknowledged
	ackSeen  bool   // ackRaw is set, while the origin is not known
	ackRaw   uint32
	fin      int64 // offset of the FIN, or -1

	trusted uint64 // segments with a right checksum
	likely  uint64 // segments whose checksum was left to the card or is not known

	held    held    // behind a hole
	spare   []piece // wrong checksums, for holes that nothing else fills
	waiting bool    // is in the queue of directions to be looked at again
	lost    losses  // bytes that were not captured so far and likely never will be

	recent *[recentPieces]released
	oldest uint8 // index in recent that is overwritten next
}

// released remembers bytes that have been given out.
type released struct {
	offset int64
	length int
	print  segment.Print
}

// setOrigin fixes offset 0 at a sequence number.
func (h *half) setOrigin(sequence uint32) {
	h.based, h.origin = true, sequence
	if h.ackSeen {
		h.acked = int64(int32(h.ackRaw - sequence))
	}
}

// offset unwraps a sequence number (RFC 9293, section 3.4) near the place where
// the stream stands. What would lie further back than any window lies ahead: the
// capture may lack more than half of the sequence space.
func (h *half) offset(sequence uint32) int64 {
	ahead := int64(sequence - h.origin - uint32(h.next))
	if ahead >= 1<<32-largestWindow {
		ahead -= 1 << 32
	}
	return h.next + ahead
}

// far says whether a sequence number is too far from the stream to belong to
// it.
func (h *half) far(sequence uint32) bool {
	d := int32(sequence - h.origin - uint32(h.next))
	return d > farAway || d < -farAway
}

// largestWindow is the largest window that can be announced, in bytes (RFC
// 7323, section 2.3).
const largestWindow = 1 << 30

// acknowledge notes the peer's acknowledgement number and says whether it is
// news.
func (h *half) acknowledge(sequence uint32) bool {
	if !h.based {
		h.ackSeen, h.ackRaw = true, sequence
		return false
	}
	a := h.offset(sequence)
	if a <= h.acked {
		return false
	}
	h.acked = a
	return true
}

// heldSince is the least order among the bytes that may still be released:
// those behind a hole, and where the peer has more than was captured, those
// with wrong checksums that may have to do.
func (h *half) heldSince() (least uint64, ok bool) {
	if h.held.any() {
		least, ok = h.held.oldest().at.Order, true
	}
	if !h.isLost() {
		return least, ok
	}
	for i := range h.spare {
		if o := h.spare[i].at.Order; !ok || o < least {
			least, ok = o, true
		}
	}
	return least, ok
}

// cost is what keeping the bytes of the direction takes, in bytes.
func (h *half) cost() int { return h.held.cost + h.spareCost() }

func (h *half) spareCost() (sum int) {
	for i := range h.spare {
		sum += h.spare[i].cost()
	}
	return sum
}

// remember keeps the fingerprint of released bytes.
func (h *half) remember(p *piece) {
	if h.recent == nil {
		h.recent = new([recentPieces]released)
	}
	if p.print == 0 {
		p.print = segment.PrintOf(p.data)
	}
	h.recent[h.oldest] = released{p.offset, len(p.data), p.print}
	h.oldest = (h.oldest + 1) % recentPieces
}

// contradicts counts the bytes of data that differ from what was released
// before, as far as that is remembered: where data holds a whole released
// piece again.
func (h *half) contradicts(offset int64, data []byte) (at, bytes int64) {
	if h.recent == nil {
		return 0, 0
	}
	for _, r := range h.recent {
		from := r.offset - offset
		if r.length == 0 || from < 0 || from+int64(r.length) > int64(len(data)) {
			continue
		}
		if segment.PrintOf(data[from:from+int64(r.length)]) != r.print {
			return r.offset, int64(r.length)
		}
	}
	return 0, 0
}

// takeSpare moves what segments with wrong checksums have for the hole
// [from, to) to the held pieces.
func (h *half) takeSpare(from, to int64) {
	keep := h.spare[:0]
	for _, p := range h.spare {
		if lo, hi := max(p.offset, from), min(p.end(), to); lo < hi {
			part := p
			part.offset, part.data = lo, p.data[lo-p.offset:hi-p.offset]
			h.held.put(part)
		}
		if p.end() > to {
			keep = append(keep, p)
		}
	}
	clear(h.spare[len(keep):])
	h.spare = keep
}

// dropSpare forgets segments with wrong checksums that the stream has passed.
func (h *half) dropSpare() {
	keep := h.spare[:0]
	for _, p := range h.spare {
		if p.end() > h.next {
			keep = append(keep, p)
		}
	}
	clear(h.spare[len(keep):])
	h.spare = keep
}
