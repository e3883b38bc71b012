package capture

import (
	"fmt"
	"io"
)

// The pcap file format: https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/
// 24 bytes of file header, then records of 16 bytes of header and the packet.
const (
	pcapHeaderSize   = 24
	pcapRecordSize   = 16
	pcapModifiedSize = 24 // interface index, protocol and packet type follow
)

// pcapVariant is one row of the table of magic numbers.
type pcapVariant struct {
	magic     uint32
	name      string
	record    int    // size of a record header, in bytes
	unit      int64  // of the fraction of the time, in ns
	fractions uint32 // that make a second
}

var pcapVariants = []pcapVariant{
	{0xa1b2c3d4, "pcap", pcapRecordSize, 1000, 1e6},
	{0xa1b23c4d, "pcap with ns", pcapRecordSize, 1, 1e9},
	{0xa1b2cd34, "modified pcap", pcapModifiedSize, 1000, 1e6},
}

// pcapMagic finds the variant and the byte order that the first 4 bytes tell.
func pcapMagic(b []byte) (pcapVariant, byteOrder, bool) {
	for _, order := range []byteOrder{littleEndian, bigEndian} {
		for _, v := range pcapVariants {
			if len(b) >= 4 && order.u32(b) == v.magic {
				return v, order, true
			}
		}
	}
	return pcapVariant{}, littleEndian, false
}

func isPcap(b []byte) bool {
	_, _, ok := pcapMagic(b)
	return ok
}

// pcapReader walks the records of a pcap file.
type pcapReader struct {
	pcapVariant
	log     *fileLog
	w       *window
	order   byteOrder
	link    LinkType
	usual   uint32 // largest capture length that needs no witness, in bytes
	known   doubt  // doubts that are a habit of this file
	second  uint32 // of the record before
	packets uint64
}

func openPcap(w *window, log *fileLog) (container, error) {
	r := &pcapReader{w: w, log: log}
	return r, r.readHeader()
}

func (r *pcapReader) readHeader() error {
	b := r.w.peek(pcapHeaderSize)
	if len(b) < pcapHeaderSize {
		return fmt.Errorf("begins as a pcap file, but is cut off in its header: %d of %d bytes", len(b), pcapHeaderSize)
	}
	r.pcapVariant, r.order, _ = pcapMagic(b)
	r.link = LinkType(r.order.u32(b[20:]) & 0xffff) // the upper half tells of frame check sequences
	r.usual = max(usualCaptured, min(r.order.u32(b[16:]), maxCaptured))
	r.second = 0
	if major, minor := r.order.u16(b[4:]), r.order.u16(b[6:]); major != 2 {
		r.log.warn(0, r.w.offset+4, "pcap version %d.%d is read as 2.4", major, minor)
	}
	r.w.take(pcapHeaderSize)
	return nil
}

// pcapRecord is a record header.
type pcapRecord struct{ second, fraction, captured, original uint32 }

func (r *pcapReader) parse(b []byte) pcapRecord {
	_ = b[15]
	return pcapRecord{r.order.u32(b), r.order.u32(b[4:]), r.order.u32(b[8:]), r.order.u32(b[12:])}
}

func (r *pcapReader) next(p *Packet) error {
	for {
		b := r.w.peek(r.record)
		if len(b) < r.record {
			return r.end(len(b))
		}
		rec := r.parse(b)
		if d := r.doubts(rec, r.second); d != 0 {
			again, err := r.examine(rec, d)
			if err != nil {
				return err
			}
			if again {
				continue
			}
		}
		return r.give(p, rec)
	}
}

// give hands out a record, and of a record that the file's end cuts what is there.
func (r *pcapReader) give(p *Packet, rec pcapRecord) error {
	size := r.record + int(rec.captured)
	b := r.w.peek(size)
	if len(b) < size {
		if err := r.cut(len(b), size); err != nil {
			return err
		}
		b = r.w.peek(len(b))
	}
	r.w.take(len(b))
	r.packets++
	r.second = rec.second
	p.Number = r.packets
	p.Time = int64(rec.second)*1e9 + int64(rec.fraction)*r.unit
	p.TimeUnknown = false
	p.Link = r.link
	p.Data = b[r.record:]
	p.OrigLen = int(rec.original)
	p.FileEnds = len(b) < size
	return nil
}

// end is reached where less than a record header is left.
func (r *pcapReader) end(left int) error {
	if left > 0 {
		r.log.warn(r.packets, r.w.offset, "the file ends inside a packet header: %d of %d bytes", left, r.record)
	}
	r.w.take(left)
	return io.EOF
}
