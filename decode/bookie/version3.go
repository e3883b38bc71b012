package bookie

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"pulsar-dissect/decode/wire"
	"pulsar-dissect/proto"
	"pulsar-dissect/proto/bookiepb"
	"pulsar-dissect/proto/field"
)

const version3 = 3

var (
	request  = compile(&bookiepb.Request{})
	response = compile(&bookiepb.Response{})
)

func compile(m protoreflect.ProtoMessage) *wire.Table {
	return wire.Compile(m.ProtoReflect().Descriptor(), proto.IsSecret)
}

// body says where an operation has its fields in a Request or Response, and in
// which of these its entry lies, 0 where it has none.
type body struct{ request, response, added, read int32 }

// bodies are the operations of version 3: one row each.
var bodies = map[Op]body{
	ReadEntry:                            {field.RequestReadRequest, field.ResponseReadResponse, 0, field.ReadResponseBody},
	AddEntry:                             {field.RequestAddRequest, field.ResponseAddResponse, field.AddRequestBody, 0},
	Auth:                                 {field.RequestAuthRequest, field.ResponseAuthResponse, 0, 0},
	Op(bookiepb.OperationType_WRITE_LAC): {field.RequestWriteLacRequest, field.ResponseWriteLacResponse, 0, 0},
	ReadLAC:                              {field.RequestReadLacRequest, field.ResponseReadLacResponse, 0, field.ReadLacResponseLastEntryBody},
	Op(bookiepb.OperationType_GET_BOOKIE_INFO): {field.RequestGetBookieInfoRequest, field.ResponseGetBookieInfoResponse, 0, 0},
	StartTLS:                                {field.RequestStartTLSRequest, field.ResponseStartTLSResponse, 0, 0},
	Op(bookiepb.OperationType_FORCE_LEDGER): {field.RequestForceLedgerRequest, field.ResponseForceLedgerResponse, 0, 0},
	Op(bookiepb.OperationType_GET_LIST_OF_ENTRIES_OF_LEDGER): {field.RequestGetListOfEntriesOfLedgerRequest,
		field.ResponseGetListOfEntriesOfLedgerResponse, 0, 0},
}

// read3 reads a frame of version 3.
func (r *Reader) read3(p *Packet, b []byte) {
	p.Version = version3
	p.Role = role3(b)
	table := request
	if p.Role == Response {
		table = response
	}
	w := &r.message
	if err := w.Parse(table, b); err != nil && !r.cut {
		p.Fault = "unparsable: " + err.Error()
	}
	head, ok := w.Sub(wire.Top, field.RequestHeader)
	if !ok {
		return
	}
	p.Header = w
	op, _ := w.Int32(head, field.BKPacketHeaderOperation)
	p.Op = Op(op)
	p.TxnID, p.HasTxn = w.Uint(head, field.BKPacketHeaderTxnId)
	p.status(w, wire.Top, field.ResponseStatus)
	r.operation(p, w)
}

// status reads an outcome. The one of the operation counts where the one
// around it is well.
func (p *Packet) status(w *wire.Walk, parent int, number int32) {
	if p.Role != Response || p.HasStatus && p.Status != OK {
		return
	}
	if v, ok := w.Int32(parent, number); ok {
		p.Status, p.HasStatus = Status(v), true
	}
}

// operation reads the fields of the operation.
func (r *Reader) operation(p *Packet, w *wire.Walk) {
	row := bodies[p.Op]
	at, entry := row.request, row.added
	if p.Role == Response {
		at, entry = row.response, row.read
	}
	sub, ok := w.Sub(wire.Top, at)
	if !ok {
		if r.cut && p.Status == OK {
			p.HasStatus = false // the one of the operation may be another
		}
		return
	}
	p.Fields, p.Parent = w, sub
	p.named(w)
	if body, ok := w.Text(sub, field.ReadLacResponseLacBody); ok && p.Op == ReadLAC && p.Role == Response {
		c := cursor{b: body}
		_, p.LAC = c.int64(), c.int64()
		p.HasLAC = !c.short
	}
	if entry == 0 {
		return
	}
	if b, ok := w.Text(sub, entry); ok && len(b) > 0 {
		r.entry(p, b)
	}
}

// Fields of BKPacketHeader and where it is.
const (
	HeaderField   = field.RequestHeader // of Request and Response
	PriorityField = field.BKPacketHeaderPriority
)

// FieldTable is the message whose fields Fields holds, where there are any.
func (p *Packet) FieldTable() *wire.Table {
	if p.Parent == wire.Top {
		return p.Fields.Table
	}
	return p.Fields.Nodes[p.Parent].Field.Message
}

// named reads the fields that several operations have, by their names.
func (p *Packet) named(w *wire.Walk) {
	for _, f := range p.FieldTable().Fields {
		switch f.Name {
		case "status":
			p.status(w, p.Parent, f.Number)
		case "ledgerId":
			p.Ledger, p.HasLedger = w.Int64(p.Parent, f.Number)
		case "entryId":
			p.Entry, p.HasEntry = w.Int64(p.Parent, f.Number)
		}
	}
}
