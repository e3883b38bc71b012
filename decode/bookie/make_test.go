package bookie

import (
	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/bookiepb"
)

var masterKey = make([]byte, sizeMasterKey)

// stored7 is entry 4 of ledger 7, with the entry of a message.
var stored7 = wiremake.StoredEntry{Ledger: 7, Entry: 4, LastAddConfirmed: 3, Length: 120, Body: []byte("\x0e\x01\x00\x00\x00\x00\x00\x00\x00\x02\x08\x01abc")}

const code = uint32(0) // EOK

func auth() []byte {
	return wiremake.Bytes(&bookiepb.AuthMessage{AuthPluginName: proto.String("plain"), Payload: []byte("secret")})
}

func header(op bookiepb.OperationType, txn uint64) *bookiepb.BKPacketHeader {
	v := bookiepb.ProtocolVersion_VERSION_THREE
	return &bookiepb.BKPacketHeader{Version: &v, Operation: &op, TxnId: &txn}
}

func status(s bookiepb.StatusCode) *bookiepb.StatusCode { return &s }

func int64p(v int64) *int64 { return &v }

// sample is a frame with what is to be read from it.
type sample struct {
	name   string
	frame  []byte
	op     Op
	role   Role
	ledger int64 // -2: none
	entry  int64
	status string // empty: none
	txn    uint64 // 0: none
	stored int    // entries in it
}

// samples are all kinds of frames.
var samples = []sample{
	{"add request", wiremake.Bookie2(1, 0, masterKey, stored7.Bytes()), AddEntry, Request, 7, 4, "", 0, 1},
	{"recovery add request", wiremake.Bookie2(1, 2, masterKey, stored7.Bytes()), AddEntry, Request, 7, 4, "", 0, 1},
	{"add response", wiremake.Bookie2(1, 0, code, 7, 4), AddEntry, Response, 7, 4, "EOK", 0, 0},
	{"add response, fenced", wiremake.Bookie2(1, 0, uint32(104), 7, 4), AddEntry, Response, 7, 4, "EFENCED", 0, 0},
	{"read request", wiremake.Bookie2(2, 0, 7, 4), ReadEntry, Request, 7, 4, "", 0, 0},
	{"read request, high priority", wiremake.Bookie2(2, 4, 7, 4), ReadEntry, Request, 7, 4, "", 0, 0},
	{"fencing read request", wiremake.Bookie2(2, 1, 7, -1, masterKey), ReadEntry, Request, 7, -1, "", 0, 0},
	{"read response", wiremake.Bookie2(2, 0, code, 7, 4, stored7.Bytes()), ReadEntry, Response, 7, 4, "EOK", 0, 1},
	{"read response, last entry", wiremake.Bookie2(2, 0, code, 7, -1, stored7.Bytes()), ReadEntry, Response, 7, -1, "EOK", 0, 1},
	{"read response, no entry", wiremake.Bookie2(2, 0, uint32(2), 7, 4), ReadEntry, Response, 7, 4, "ENOENTRY", 0, 0},
	{"auth", wiremake.Bookie2(3, 0, auth()), Auth, Either, -2, 0, "", 0, 0},
	{"batched read request", wiremake.Bookie2(7, 0, 7, 4, 99, uint32(50), 4096), BatchReadEntry, Request, 7, 4, "", 99, 0},
	{"batched read response", wiremake.Bookie2(7, 0, code, 7, 4, 99, uint32(len(stored7.Bytes())), stored7.Bytes(),
		uint32(len(stored8.Bytes())), stored8.Bytes()), BatchReadEntry, Response, 7, 4, "EOK", 99, 2},

	{"v3 add request", wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_ADD_ENTRY, 5), AddRequest: &bookiepb.AddRequest{
		LedgerId: int64p(7), EntryId: int64p(4), MasterKey: masterKey, Body: stored7.Bytes(), WriteFlags: proto.Int32(1)}}),
		AddEntry, Request, 7, 4, "", 5, 1},
	{"v3 add response", wiremake.Bookie3(&bookiepb.Response{Header: header(bookiepb.OperationType_ADD_ENTRY, 5), Status: status(bookiepb.StatusCode_EOK),
		AddResponse: &bookiepb.AddResponse{Status: status(bookiepb.StatusCode_EOK), LedgerId: int64p(7), EntryId: int64p(4)}}),
		AddEntry, Response, 7, 4, "EOK", 5, 0},
	{"v3 long poll", wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_READ_ENTRY, 1<<40), ReadRequest: &bookiepb.ReadRequest{
		Flag: bookiepb.ReadRequest_ENTRY_PIGGYBACK.Enum(), LedgerId: int64p(7), EntryId: int64p(5), PreviousLAC: int64p(4), TimeOut: int64p(1000)}}),
		ReadEntry, Request, 7, 5, "", 1 << 40, 0},
	{"v3 read response", wiremake.Bookie3(&bookiepb.Response{Header: header(bookiepb.OperationType_READ_ENTRY, 6), Status: status(bookiepb.StatusCode_EOK),
		ReadResponse: &bookiepb.ReadResponse{Status: status(bookiepb.StatusCode_EOK), LedgerId: int64p(7), EntryId: int64p(4), Body: stored7.Bytes(), MaxLAC: int64p(9)}}),
		ReadEntry, Response, 7, 4, "EOK", 6, 1},
	{"v3 refused read", wiremake.Bookie3(&bookiepb.Response{Header: header(bookiepb.OperationType_READ_ENTRY, 6), Status: status(bookiepb.StatusCode_EOK),
		ReadResponse: &bookiepb.ReadResponse{Status: status(bookiepb.StatusCode_ENOLEDGER), LedgerId: int64p(7), EntryId: int64p(4)}}),
		ReadEntry, Response, 7, 4, "ENOLEDGER", 6, 0},
	{"v3 not authenticated", wiremake.Bookie3(&bookiepb.Response{Header: header(bookiepb.OperationType_READ_ENTRY, 6), Status: status(bookiepb.StatusCode_EUA)}),
		ReadEntry, Response, -2, 0, "EUA", 6, 0},
	{"v3 read lac", wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_READ_LAC, 7), ReadLacRequest: &bookiepb.ReadLacRequest{LedgerId: int64p(7)}}),
		ReadLAC, Request, 7, -2, "", 7, 0},
	{"v3 lac", wiremake.Bookie3(&bookiepb.Response{Header: header(bookiepb.OperationType_READ_LAC, 7), Status: status(bookiepb.StatusCode_EOK),
		ReadLacResponse: &bookiepb.ReadLacResponse{Status: status(bookiepb.StatusCode_EOK), LedgerId: int64p(7),
			LacBody: []byte{0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 42, 1, 2, 3, 4}, LastEntryBody: stored7.Bytes()}}),
		ReadLAC, Response, 7, -2, "EOK", 7, 1},
	{"v3 info request", wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_GET_BOOKIE_INFO, 8),
		GetBookieInfoRequest: &bookiepb.GetBookieInfoRequest{Requested: int64p(3)}}), Op(bookiepb.OperationType_GET_BOOKIE_INFO), Request, -2, 0, "", 8, 0},
	{"v3 start TLS", wiremake.Bookie3(&bookiepb.Request{Header: header(bookiepb.OperationType_START_TLS, 0), StartTLSRequest: &bookiepb.StartTLSRequest{}}),
		StartTLS, Request, -2, 0, "", 0, 0},
}

var stored8 = wiremake.StoredEntry{Ledger: 7, Entry: 5, LastAddConfirmed: 4, Length: 135, Body: stored7.Body}
