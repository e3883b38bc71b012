package bookie

import (
	"encoding/binary"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto/bookiepb"
)

const version2 = 2

// layout is what follows the header of one operation in one direction: sizes
// of the frame without its length, the flags it may have, and how it is read.
type layout struct {
	op    Op
	role  Role
	fits  func(size int, flags uint16) bool
	fixed int // bytes that are always there, with the header
	read  func(*Reader, *Packet, *cursor)
}

// Sizes of frames without entries, in bytes.
const (
	sizeRead      = sizeHeader + 2*sizeID
	sizeAnswer    = sizeHeader + sizeStatus + 2*sizeID
	sizeBatchRead = sizeRead + sizeID + 4 + 8
	sizeBatch     = sizeAnswer + sizeID
)

// layouts are the operations of version 2 by their number there: one row a
// direction.
var layouts = map[byte][]layout{
	1: {
		{AddEntry, Request, func(n int, f uint16) bool {
			return n >= sizeHeader+sizeMasterKey+sizeStored && f&^(flagRecoveryAdd|flagHighPriority) == 0
		}, sizeHeader + sizeMasterKey + sizeStored, (*Reader).addRequest},
		{AddEntry, Response, func(n int, f uint16) bool { return n == sizeAnswer && f == 0 }, sizeAnswer, (*Reader).answer},
	},
	2: {
		{ReadEntry, Request, fitsRead(sizeRead), sizeRead, (*Reader).readRequest},
		{ReadEntry, Response, func(n int, f uint16) bool {
			return f == 0 && (n == sizeAnswer || n >= sizeAnswer+sizeStored)
		}, sizeAnswer, (*Reader).readResponse},
	},
	3: {
		{Auth, Either, func(n int, f uint16) bool { return n >= sizeHeader+leastAuth && f == 0 }, sizeHeader + leastAuth, (*Reader).auth},
	},
	7: {
		{BatchReadEntry, Request, fitsRead(sizeBatchRead), sizeBatchRead, (*Reader).batchRequest},
		{BatchReadEntry, Response, func(n int, f uint16) bool {
			return f == 0 && (n == sizeAnswer || n >= sizeBatch)
		}, sizeAnswer, (*Reader).batchResponse},
	},
}

// leastAuth is the size of the smallest AuthMessage: two empty fields.
const leastAuth = 4

// fitsRead says whether a request to read has a size: with a master key where
// it fences.
func fitsRead(plain int) func(int, uint16) bool {
	return func(n int, f uint16) bool {
		if f&^knownFlags != 0 || f&flagRecoveryAdd != 0 {
			return false
		}
		return n == plain || n == plain+sizeMasterKey && f&flagFencing != 0
	}
}

// layoutOf finds the layout of a frame by its header and size, nil if none
// fits.
func layoutOf(header []byte, size int) *layout {
	if header[0] != version2 {
		return nil
	}
	flags := binary.BigEndian.Uint16(header[2:])
	rows := layouts[header[1]]
	for i := range rows {
		if rows[i].fits(size, flags) {
			return &rows[i]
		}
	}
	return nil
}

// read2 reads a frame of version 2; size is what it has by its length.
func (r *Reader) read2(p *Packet, b []byte, size int) {
	l := layoutOf(b, size)
	if l == nil {
		p.Version, p.Op, p.Fault, p.Rest = int(b[0]), -Op(b[1]), "unknown_layout", b[sizeHeader:]
		if rows := layouts[b[1]]; rows != nil {
			p.Op = rows[0].op
		}
		return
	}
	p.Version, p.Op, p.Role = version2, l.op, l.role
	if p.Role != Response {
		p.Flags = binary.BigEndian.Uint16(b[2:])
	}
	c := cursor{b: b[sizeHeader:]}
	l.read(r, p, &c)
	if c.short && p.Fault == "" {
		p.Fault = cutFault
	}
}

// ids reads ledger and entry id, as far as they are there.
func (p *Packet) ids(c *cursor) {
	p.Ledger, p.HasLedger = c.int64(), !c.short
	p.Entry, p.HasEntry = c.int64(), !c.short
}

func (r *Reader) addRequest(p *Packet, c *cursor) {
	p.MasterKey = c.bytes(sizeMasterKey)
	body := c.b
	p.ids(c)
	if p.HasEntry {
		r.entry(p, body)
	}
}

func (r *Reader) readRequest(p *Packet, c *cursor) {
	p.ids(c)
	if len(c.b) > 0 {
		p.MasterKey = c.bytes(sizeMasterKey)
	}
}

func (r *Reader) batchRequest(p *Packet, c *cursor) {
	p.ids(c)
	p.TxnID, p.HasTxn = uint64(c.int64()), !c.short
	p.MaxCount, p.MaxSize = int32(c.uint32()), c.int64()
	if len(c.b) > 0 {
		p.MasterKey = c.bytes(sizeMasterKey)
	}
}

// answer reads what all responses begin with.
func (r *Reader) answer(p *Packet, c *cursor) {
	code := c.uint32()
	if p.HasStatus = !c.short; p.HasStatus {
		p.Status = statusOf(code)
	}
	p.ids(c)
}

// statusOf gives the outcome that a code of version 2 stands for. One without
// a name stays what it is: no named one has its number.
func statusOf(code uint32) Status {
	if s, ok := statuses[code]; ok {
		return s
	}
	return Status(code)
}

func (r *Reader) readResponse(p *Packet, c *cursor) {
	r.answer(p, c)
	if len(c.b) > 0 {
		r.entry(p, c.b)
	}
}

func (r *Reader) batchResponse(p *Packet, c *cursor) {
	r.answer(p, c)
	if len(c.b) == 0 {
		return
	}
	p.TxnID, p.HasTxn = uint64(c.int64()), !c.short
	for len(c.b) > 0 && p.Fault == "" {
		size := c.uint32()
		if !c.short && uint64(size) > uint64(len(c.b)) && !r.cut {
			p.Fault, p.Rest = "entry_cut", c.b
			return
		}
		r.entry(p, c.bytes(int(min(uint64(size), uint64(len(c.b))))))
	}
}

func (r *Reader) auth(p *Packet, c *cursor) {
	err := r.message.Parse(authMessage, c.b)
	if err != nil {
		p.Rest = c.b
		if !r.cut {
			p.Fault = "unparsable: " + err.Error()
			return
		}
	}
	p.Fields, p.Parent = &r.message, wire.Top
}

var authMessage = compile(&bookiepb.AuthMessage{})
