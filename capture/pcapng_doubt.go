package capture

import (
	"fmt"
	"io"
)

// maxKnownBlock is the largest type number of the blocks that are numbered from
// 1 on, see pcapngKnown.
const maxKnownBlock = 11

// pcapngKnown tells whether a block type is one that files have: those numbered
// from 1 on, sections, and custom blocks (draft-ietf-opsawg-pcapng, section 11.1).
func pcapngKnown(kind uint32) bool {
	return kind >= 1 && kind <= maxKnownBlock || kind == pcapngSection || kind == 0xbad || kind == 0x40000bad
}

// plausible checks a whole block: type, length and the length at its end.
func (r *pcapngReader) plausible(b []byte) (length int, ok bool) {
	if len(b) < pcapngFrame {
		return 0, false
	}
	order := r.order
	if isPcapng(b) {
		order, _ = sectionOrder(b)
	}
	n := order.u32(b[4:])
	if !blockLength(n) || !pcapngKnown(order.u32(b)) || int(n) > len(b) {
		return 0, false
	}
	return int(n), order.u32(b[n-4:]) == n
}

// breaks tells garbage at the end of a file, which is a warning and io.EOF, from
// damage within it.
func (r *pcapngReader) breaks(format string, args ...any) error {
	l := lookAhead(r.w, r.plausible)
	what := fmt.Sprintf(format, args...)
	switch {
	case l.found:
		return r.log.broken(r.packets, r.at, "the file is damaged: %s; blocks begin again at byte %d", what, l.goOn)
	case l.distant:
		return r.log.broken(r.packets, r.at, "the file is damaged: %s, and no block in the %d bytes from there", what, l.seen)
	}
	r.log.warn(r.packets, r.at, "the last %d bytes are left out: %s", l.seen, what)
	r.w.take(l.seen)
	return io.EOF
}

// cut is called where the file ends inside a block: there of length bytes are left.
func (r *pcapngReader) cut(there, length int) error {
	if l := lookAhead(r.w, r.plausible); l.found {
		return r.log.broken(r.packets, r.at, "the file is damaged: a block of %d bytes where %d bytes are left; blocks begin again at byte %d",
			length, there, l.goOn)
	}
	r.log.warn(r.packets, r.at, "the file ends inside a pcapng block: %d of %d bytes are there", there, length)
	return nil
}
