package bookie

import (
	"encoding/binary"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/bookiepb"
)

// Sight is what stands at a position that may begin a frame.
type Sight uint8

// The sights.
const (
	None  Sight = iota // no frame
	Short              // too few bytes to tell
	Cut                // the beginning of a frame that goes on beyond the bytes
	Whole              // a whole frame
)

// Limits of lengths that are believed, in bytes.
const (
	leastLength = sizeHeader + leastAuth
	maxLength   = 256 << 20
)

// Size reads the length at the start of b, which begins a frame of a stream
// that is known: the size of the frame with its length in bytes, 0 if that
// takes more bytes. ok is false where no frame can begin there.
func Size(b []byte) (size int, ok bool) {
	if len(b) <= sizeLength {
		return 0, true
	}
	n := int64(binary.BigEndian.Uint32(b))
	if v := b[sizeLength]; n < leastLength || n > maxLength || v != version2 && v != headerTag {
		return 0, false
	}
	return sizeLength + int(n), true
}

// Looker tells frames of bookies from other bytes. It is not safe for
// concurrent use.
type Looker struct{ reader Reader }

// Look tells what stands at the start of b, where the length of a frame may
// be, its size in bytes with the length, and who sends it. A frame of Pulsar
// never looks like one: its command would have to be 32 MiB long.
func (l *Looker) Look(b []byte) (what Sight, size int, role Role) {
	size, ok := Size(b)
	switch {
	case !ok:
		return None, 0, Either
	case len(b) < sizeLength+sizeHeader:
		return Short, 0, Either
	}
	n := size - sizeLength
	b = b[sizeLength:min(len(b), size)]
	if enough(b, n) {
		what, role = l.frame(b, n)
	} else if what = begins(b, n); what == Short && len(b) == n {
		what = None
	}
	return what, size, role
}

// enough says whether the part of a frame that has a fixed place is there.
func enough(b []byte, size int) bool {
	if b[0] == headerTag {
		return begins3(b) > Short
	}
	l := layoutOf(b, size)
	return l != nil && len(b) >= l.fixed
}

// begins looks at the first bytes of a frame.
func begins(b []byte, size int) Sight {
	if b[0] == headerTag {
		return begins3(b)
	}
	if layoutOf(b, size) == nil {
		return None
	}
	return Short
}

// frame reads what there is of a frame, without its digests, and judges it.
func (l *Looker) frame(b []byte, size int) (Sight, Role) {
	l.reader.noSums = true
	p := l.reader.Read(b, size)
	cut := len(b) < size
	switch {
	case p.Fault != "" && !(cut && p.Fault == cutFault) || !p.sound(cut):
		return None, Either
	case cut:
		return Cut, p.Role
	}
	return Whole, p.Role
}

// sound says whether a packet is such as peers send.
func (p *Packet) sound(cut bool) bool {
	if p.HasStatus && bookiepb.StatusCode_name[int32(p.Status)] == "" || p.Ledger < 0 || p.Entry < -1 {
		return false
	}
	if p.Op == AddEntry && p.Entry < 0 || p.MaxSize < 0 {
		return false
	}
	if w := p.Fields; w != nil && !cut && w.Found&wire.MissingRequired != 0 {
		return false
	}
	return p.soundEntries()
}

func (p *Packet) soundEntries() bool {
	for i := range p.Stored {
		s := &p.Stored[i]
		if s.Ledger != p.Ledger || s.LastAddConfirmed < -1 || s.LastAddConfirmed > s.Entry || s.Length < 0 {
			return false
		}
		if i == 0 && p.HasEntry && p.Entry >= 0 && s.Entry != p.Entry {
			return false
		}
	}
	return true
}
