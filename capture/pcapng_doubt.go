package capture

import "fmt"

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

func (r *pcapngReader) suspect() suspect {
	return suspect{r.w, r.log, r.packets, r.plausible, "blocks"}
}

func (r *pcapngReader) breaks(format string, args ...any) error {
	return r.suspect().breaks(fmt.Sprintf(format, args...))
}

// cut is called where the file ends inside a block: there of length bytes are left.
func (r *pcapngReader) cut(there, length int) error {
	if err := r.suspect().cut(there, length); err != nil {
		return err
	}
	r.log.warn(r.packets, r.at, "the file ends inside a pcapng block: %d of %d bytes are there", there, length)
	return nil
}
