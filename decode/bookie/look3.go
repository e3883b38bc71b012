package bookie

import (
	"encoding/binary"

	"pulsar-dissect/proto/bookiepb"
)

// Tags of version 3: field number and wire type. A writer of protobuf puts
// fields in the order of their numbers.
const (
	headerTag    = 1<<3 | 2 // header of Request and Response
	versionTag   = 1 << 3
	operationTag = 2 << 3
	txnTag       = 3 << 3
	statusTag    = 2 << 3 // of Response

	leastHeader = 6  // version, operation, txnId of one byte each
	mostHeader  = 32 // with a txnId of ten bytes, and a priority
)

// begins3 looks at the first bytes of a frame of version 3: header, and the tag
// of what follows it. Whole means that they are right.
func begins3(b []byte) Sight {
	if len(b) < 2+leastHeader {
		return Short
	}
	end := 2 + int(b[1])
	if end < 2+leastHeader || end > 2+mostHeader {
		return None
	}
	op := Op(b[5])
	if b[2] != versionTag || b[3] == 0 || b[3] > version3 || b[4] != operationTag || b[6] != txnTag ||
		bookiepb.OperationType_name[int32(op)] == "" {
		return None
	}
	if len(b) < end+2 {
		return Short
	}
	if b[end] == statusTag {
		return Whole
	}
	tag, _ := binary.Uvarint(b[end:])
	if row, ok := bodies[op]; tag&7 != 2 || ok && int32(tag>>3) != row.request {
		return None
	}
	return Whole
}

// role3 tells a response by its status, which follows the header.
func role3(b []byte) Role {
	if len(b) < 2 {
		return Either
	}
	if end := 2 + int(b[1]); end < len(b) && b[end] == statusTag {
		return Response
	}
	return Request
}
