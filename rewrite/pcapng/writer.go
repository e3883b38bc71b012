package pcapng

import (
	"encoding/binary"
	"io"

	"pulsar-dissect/capture"
)

// Types of blocks (draft-ietf-opsawg-pcapng, section 4).
const (
	sectionHeader       = 0x0a0d0d0a
	interfaceBlock      = 1
	interfaceStatistics = 5
	enhancedPacket      = 6
)

// Codes of options.
const (
	optionComment     = 1
	optionName        = 2 // if_name
	optionResolution  = 9 // if_tsresol
	optionApplication = 4 // shb_userappl
	optionReceived    = 4 // isb_ifrecv
	optionDropped     = 5 // isb_ifdrop
	optionOSDropped   = 7 // isb_osdrop

	byteOrderMagic = 0x1a2b3c4d
	nanoseconds    = 9 // of if_tsresol: 10^-9 s
)

// maxComment is the longest comment that is written, in bytes; an option cannot
// have more than 65,535.
const maxComment = 16 << 10

// Writer writes blocks. After an error of the writer below it nothing more is
// written, and each call gives that error.
type Writer struct {
	w       io.Writer
	block   []byte
	written int64
	err     error
}

// New begins a section. application names the program that writes it.
func New(w io.Writer, application string) *Writer {
	p := &Writer{w: w}
	p.begin(sectionHeader)
	p.u32(byteOrderMagic)
	p.u16(1, 0)                   // version
	p.u32(^uint32(0), ^uint32(0)) // length of the section: not known
	p.option(optionApplication, []byte(application))
	_ = p.end() // Err keeps it
	return p
}

// Written is the number of bytes so far.
func (p *Writer) Written() int64 { return p.written }

// Err is the error of the writer below.
func (p *Writer) Err() error { return p.err }

// Interface describes the next interface: the first one is 0.
func (p *Writer) Interface(link capture.LinkType, name string) error {
	p.begin(interfaceBlock)
	p.u16(uint16(link), 0)
	p.u32(0) // no limit to what was captured of a packet is stated
	if name != "" {
		p.option(optionName, []byte(name))
	}
	p.option(optionResolution, []byte{nanoseconds})
	return p.end()
}

// Packet writes a packet of the interface with this number, with a comment
// unless that is empty.
func (p *Writer) Packet(id uint32, packet *capture.Packet, comment string) error {
	p.begin(enhancedPacket)
	p.u32(id)
	p.time(packet.Time)
	p.u32(uint32(len(packet.Data)), uint32(packet.OrigLen))
	p.bytes(packet.Data)
	p.comment(comment)
	return p.end()
}

// Statistics writes what was counted on an interface up to a time, in ns since
// the Unix epoch.
func (p *Writer) Statistics(id uint32, ns int64, s *capture.InterfaceStats, comment string) error {
	p.begin(interfaceStatistics)
	p.u32(id)
	p.time(ns)
	p.comment(comment)
	p.count(optionReceived, s.Received)
	p.count(optionDropped, s.Dropped)
	p.count(optionOSDropped, s.OSDropped)
	return p.end()
}

func (p *Writer) comment(text string) {
	if text != "" {
		p.option(optionComment, []byte(text[:min(len(text), maxComment)]))
	}
}

func (p *Writer) count(code uint16, n uint64) {
	p.option(code, binary.LittleEndian.AppendUint64(nil, n))
}

// time is in two words, the high one first.
func (p *Writer) time(ns int64) { p.u32(uint32(uint64(ns)>>32), uint32(uint64(ns))) }

func (p *Writer) begin(kind uint32) {
	p.block = p.block[:0]
	p.u32(kind, 0)
}

// end fills in the length of the block, which stands at both of its ends, and
// writes it.
func (p *Writer) end() error {
	if p.err != nil {
		return p.err
	}
	length := uint32(len(p.block) + 4)
	p.u32(length)
	binary.LittleEndian.PutUint32(p.block[4:], length)
	n, err := p.w.Write(p.block)
	p.written += int64(n)
	p.err = err
	return err
}

// option writes an option. There is none that ends the list: the end of the
// block does.
func (p *Writer) option(code uint16, value []byte) {
	p.u16(code, uint16(len(value)))
	p.bytes(value)
}

// bytes are padded to a multiple of 4.
func (p *Writer) bytes(b []byte) {
	p.block = append(p.block, b...)
	for len(p.block)%4 != 0 {
		p.block = append(p.block, 0)
	}
}

func (p *Writer) u16(values ...uint16) {
	for _, v := range values {
		p.block = binary.LittleEndian.AppendUint16(p.block, v)
	}
}

func (p *Writer) u32(values ...uint32) {
	for _, v := range values {
		p.block = binary.LittleEndian.AppendUint32(p.block, v)
	}
}
