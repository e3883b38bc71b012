package capture

import (
	"fmt"
	"io"
)

// The pcapng file format:
// https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
// Blocks of type, length, body and the length again; a section header begins
// and says the byte order of what follows it.
const (
	pcapngSection   = 0x0a0d0d0a // reads the same in both byte orders
	pcapngOrder     = 0x1a2b3c4d
	pcapngFrame     = 12 // bytes of a block beside its body
	pcapngMajor     = 1
	pcapngSecretTLS = 0x544c534b // "TLSK": a TLS key log
)

// pcapngBlocks says what is done with a block of which type (section 11.1 of
// the draft). Others are skipped: name resolution, journal, custom and unknown ones.
var pcapngBlocks = [...]func(r *pcapngReader, body []byte, p *Packet) bool{
	1:  (*pcapngReader).interfaceDescription,
	2:  (*pcapngReader).obsoletePacket,
	3:  (*pcapngReader).simplePacket,
	5:  (*pcapngReader).interfaceStatistics,
	6:  (*pcapngReader).enhancedPacket,
	10: (*pcapngReader).decryptionSecrets,
}

func isPcapng(b []byte) bool {
	return len(b) >= 4 && littleEndian.u32(b) == pcapngSection
}

// pcapngReader walks the blocks of a pcapng file.
type pcapngReader struct {
	w          *window
	log        *fileLog
	order      byteOrder
	skipping   bool  // inside a section of a version that is not known
	at         int64 // offset of the block at hand
	cutOff     bool  // the file ends inside it
	sections   int
	interfaces []pcapngInterface
	packets    uint64
	last       int64 // time of the packet before, ns
	timeless   bool  // a packet without time was told of
	readable   bool  // a section was of a known version
}

func openPcapng(w *window, log *fileLog) (container, error) {
	b := w.peek(pcapngFrame)
	if len(b) < pcapngFrame {
		return nil, fmt.Errorf("begins as a pcapng file, but is cut off in its header: %d of %d bytes", len(b), pcapngFrame)
	}
	if _, ok := sectionOrder(b); !ok {
		return nil, fmt.Errorf("begins as a pcapng file, but its byte-order magic is %x in place of 1a2b3c4d or 4d3c2b1a", b[8:12])
	}
	return &pcapngReader{w: w, log: log}, nil
}

// sectionOrder finds the byte order of a section from the start of its header.
func sectionOrder(b []byte) (byteOrder, bool) {
	for _, order := range []byteOrder{littleEndian, bigEndian} {
		if order.u32(b[8:]) == pcapngOrder {
			return order, true
		}
	}
	return littleEndian, false
}

func (r *pcapngReader) next(p *Packet) error {
	for {
		kind, body, err := r.block()
		if err != nil {
			return err
		}
		if r.use(kind, body, p) {
			return nil
		}
	}
}

// use does what the table says with a block and tells whether it filled p.
func (r *pcapngReader) use(kind uint32, body []byte, p *Packet) bool {
	if kind == pcapngSection {
		r.section(body)
		return false
	}
	if r.skipping || kind >= uint32(len(pcapngBlocks)) || pcapngBlocks[kind] == nil {
		return false
	}
	return pcapngBlocks[kind](r, body, p)
}

// block takes the next block and gives its body, or what the end of the file
// leaves of it.
func (r *pcapngReader) block() (kind uint32, body []byte, err error) {
	kind, length, err := r.header()
	if err != nil {
		return 0, nil, err
	}
	b := r.w.peek(length)
	if len(b) < length {
		return r.cutBlock(kind, len(b), length)
	}
	if again := r.order.u32(b[length-4:]); int(again) != length {
		r.log.warn(r.packets, r.at, "a pcapng block of %d bytes says %d at its end", length, again)
	}
	r.w.take(length)
	return kind, b[8 : length-4], nil
}

// header reads what stands before the body and checks it.
func (r *pcapngReader) header() (kind uint32, length int, err error) {
	r.at = r.w.offset
	b := r.w.peek(pcapngFrame)
	if len(b) < pcapngFrame {
		return 0, 0, r.end(len(b))
	}
	order := r.order
	if isPcapng(b) {
		var ok bool
		if order, ok = sectionOrder(b); !ok {
			return 0, 0, r.breaks("a section header with the byte-order magic %x, where 1a2b3c4d or 4d3c2b1a is expected", b[8:12])
		}
	}
	n := order.u32(b[4:])
	if !blockLength(n) {
		return 0, 0, r.breaks("a block of %d bytes, where a multiple of 4 from %d to %d is expected", n, pcapngFrame, maxCaptured)
	}
	r.order = order
	return order.u32(b), int(n), nil
}

func (r *pcapngReader) cutBlock(kind uint32, there, length int) (uint32, []byte, error) {
	if err := r.cut(there, length); err != nil {
		return 0, nil, err
	}
	r.cutOff = true
	b := r.w.peek(there)
	r.w.take(there)
	return kind, b[8:], nil
}

// blockLength tells whether a block can be that long, in bytes.
func blockLength(n uint32) bool {
	return n >= pcapngFrame && n%4 == 0 && n <= maxCaptured
}

func (r *pcapngReader) section(body []byte) {
	r.interfaces = r.interfaces[:0]
	r.sections++
	r.skipping = false
	if len(body) < 8 {
		return
	}
	major, minor := r.order.u16(body[4:]), r.order.u16(body[6:])
	if r.skipping = major != pcapngMajor; r.skipping {
		r.log.warn(r.packets, r.at, "a section of pcapng version %d.%d is skipped: only 1.x is known", major, minor)
		return
	}
	r.readable = true
}

// end is reached where less than the frame of a block is left.
func (r *pcapngReader) end(left int) error {
	if left > 0 {
		r.log.warn(r.packets, r.at, "the file ends inside a pcapng block header: %d of %d bytes", left, pcapngFrame)
	}
	r.w.take(left)
	if r.skipping && !r.readable {
		return r.log.broken(0, r.at, "no section of this file is of a pcapng version that is known")
	}
	return io.EOF
}
