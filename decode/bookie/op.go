package bookie

import (
	"strconv"

	"pulsar-dissect/proto/bookiepb"
)

// Op is an operation, by its number in version 3 (OperationType); below 0 one of
// version 2 that has no name.
type Op int32

// The operations that carry entries, or need more than a look at their fields.
const (
	ReadEntry      = Op(bookiepb.OperationType_READ_ENTRY)
	AddEntry       = Op(bookiepb.OperationType_ADD_ENTRY)
	Auth           = Op(bookiepb.OperationType_AUTH)
	ReadLAC        = Op(bookiepb.OperationType_READ_LAC)
	StartTLS       = Op(bookiepb.OperationType_START_TLS)
	BatchReadEntry = Op(bookiepb.OperationType_BATCH_READ_ENTRY)
)

// String is the name of OperationType, or UNKNOWN(number).
func (o Op) String() string {
	if name := bookiepb.OperationType_name[int32(o)]; name != "" {
		return name
	}
	return "UNKNOWN(" + strconv.Itoa(int(max(o, -o))) + ")"
}

// Ops are all operations, in the order of their numbers.
func Ops() (ops []Op) {
	d := bookiepb.OperationType(0).Descriptor().Values()
	for i := range d.Len() {
		ops = append(ops, Op(d.Get(i).Number()))
	}
	return ops
}

// OpNames are their names.
func OpNames() (names []string) {
	for _, op := range Ops() {
		names = append(names, op.String())
	}
	return names
}

// Status is the outcome of a request, by its number in version 3 (StatusCode).
type Status int32

// OK is the status of what went well.
const OK = Status(bookiepb.StatusCode_EOK)

// statuses are the return codes of version 2 that have a name.
var statuses = map[uint32]Status{
	0:   OK,
	1:   Status(bookiepb.StatusCode_ENOLEDGER),
	2:   Status(bookiepb.StatusCode_ENOENTRY),
	100: Status(bookiepb.StatusCode_EBADREQ),
	101: Status(bookiepb.StatusCode_EIO),
	102: Status(bookiepb.StatusCode_EUA),
	103: Status(bookiepb.StatusCode_EBADVERSION),
	104: Status(bookiepb.StatusCode_EFENCED),
	105: Status(bookiepb.StatusCode_EREADONLY),
	106: Status(bookiepb.StatusCode_ETOOMANYREQUESTS),
	107: Status(bookiepb.StatusCode_EUNKNOWNLEDGERSTATE),
}

// String is the name of StatusCode, or UNKNOWN(number); of version 2 the
// number is that on the wire.
func (s Status) String() string {
	if name := bookiepb.StatusCode_name[int32(s)]; name != "" {
		return name
	}
	return "UNKNOWN(" + strconv.Itoa(int(s)) + ")"
}

// Statuses are the names of all outcomes, in the order of their numbers.
func Statuses() (names []string) {
	d := bookiepb.StatusCode(0).Descriptor().Values()
	for i := range d.Len() {
		names = append(names, string(d.Get(i).Name()))
	}
	return names
}
