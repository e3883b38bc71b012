package bookie

import "pulsar-dissect/decode/wire"

// cutFault is the Fault of a packet that breaks off, in the capture or on the
// wire.
const cutFault = "cut"

// Reader reads the packets of one connection; it remembers which digest the
// entries have. It is not safe for concurrent use.
type Reader struct {
	usual   Digest
	packet  Packet
	message wire.Walk
	cut     bool // the bytes at hand are not the whole frame
	noSums  bool // digests need not be verified
}

// Read reads the frame whose bytes, without the length ahead of it, are b. size
// is its length as stated: where b has less, the capture cut it. What cannot be
// read is the packet's Fault.
func (r *Reader) Read(b []byte, size int) *Packet {
	p := &r.packet
	*p = Packet{Stored: p.Stored[:0]}
	r.cut = len(b) < size
	switch {
	case len(b) < sizeHeader:
		p.Fault = cutFault
	case b[0] == headerTag:
		r.read3(p, b)
	default:
		r.read2(p, b, size)
	}
	return p
}

// entry reads an entry that travels in the packet.
func (r *Reader) entry(p *Packet, b []byte) {
	s, fault := stored(b, r.cut, r.noSums, &r.usual)
	if fault != "" {
		p.Rest = b[min(len(b), sizeStored):]
		if !r.cut {
			p.Fault = fault
		}
		return
	}
	p.Stored = append(p.Stored, s)
}
