package session_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	protobuf "google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/testkit"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/bookiepb"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

func small(t *testing.T, name string) string {
	return filepath.Join(testkit.Root(t), "testdata", "captures", name, name+".pcap")
}

// tapeEvents calls take for every event of a tape.
func tapeEvents(t *testing.T, tape *wiremake.Tape, o session.Options, take func(*session.Event)) session.Counters {
	t.Helper()
	packets := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{})).Events(wiremake.Overwriting(tape.Source()))
	s := session.New(o)
	for e, err := range s.Events(decode.New(decode.Limits{}, nil).Events(packets)) {
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
	return s.Counters()
}

// One message is seen from client to disk and back.
func TestFromClientToDisk(t *testing.T) {
	added := map[string]*session.Exchange{} // by ledger:entry
	read := map[string]int64{}              // offset of the latest ReadEntry
	sends, reads, delivered, cached := 0, 0, 0, 0
	eachEvent(t, small(t, "bookkeeper"), session.Options{NoSum: true}, func(e *session.Event) {
		switch {
		case e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Bookie:
			x := *e.Exchange
			id := fmt.Sprintf("%d:%d", x.Ask.Ledger, x.Ask.Entry)
			if decode.TypeName(x.Request.Type) == "ADD_ENTRY" {
				added[id] = &x
			} else {
				read[id] = x.Request.Offset
				reads++
			}
		case e.Kind == session.ExchangeSeen && e.Exchange.Kind == session.Send:
			x := e.Exchange
			sends++
			id := fmt.Sprintf("%d:%d", x.ID.Ledger, x.ID.Entry)
			a := added[id]
			if len(x.Stored) != 1 || a == nil {
				t.Fatalf("%s: stored %v, added %v", id, x.Stored, a)
			}
			ns, _ := a.Latency()
			if s := x.Stored[0]; s.Offset != a.Request.Offset || s.Latency != ns || s.Conn == e.Conn.ID {
				t.Errorf("%s: %+v, expected offset %d, %d ns", id, s, a.Request.Offset, ns)
			}
			if x.Request.Time > a.Request.Time || a.Response.Time > x.Response.Time {
				t.Errorf("%s: not stored between SEND and receipt", id)
			}
		case e.Kind == session.MessageSeen && e.Message.HasID:
			id := fmt.Sprintf("%d:%d", e.Message.ID.Ledger, e.Message.ID.Entry)
			if at, ok := read[id]; ok != (e.Message.Read != nil) || ok && e.Message.Read.Offset != at {
				t.Errorf("%s: read %v, expected offset %d", id, e.Message.Read, at)
			}
			if delivered++; e.Message.Read == nil {
				cached++
			}
		}
	})
	if sends != 22 || len(added) != 29 || reads != 35 || delivered != 76 || cached != 6 {
		t.Errorf("%d SENDs, %d adds, %d reads, %d messages, %d of them not read from a bookie", sends, len(added), reads, delivered, cached)
	}
}

// What a bookie is given to store, and gives back, is what the client sent.
func TestStoredMessages(t *testing.T) {
	sums := map[string][]string{}
	eachEvent(t, small(t, "bookkeeper"), session.Options{}, func(e *session.Event) {
		switch {
		case e.Kind == session.MessageSeen && e.Direction == decode.ClientToServer:
			sums["SEND"] = append(sums["SEND"], fmt.Sprintf("%x", e.Message.Sum))
		case e.Kind == session.BookieSeen:
			kind := e.Bookie.Op.String()
			e.EachStored(func(x *session.Stored) {
				e.EachMessage(x, func(m *session.Message) { sums[kind] = append(sums[kind], fmt.Sprintf("%x", m.Sum)) })
			})
		}
	})
	sent, added := slices.Sorted(slices.Values(sums["SEND"])), slices.Sorted(slices.Values(sums["ADD_ENTRY"]))
	if len(sent) != 58 || !slices.Equal(sent, added) {
		t.Errorf("%d messages sent, %d stored", len(sent), len(added))
	}
	for _, sum := range sums["READ_ENTRY"] {
		if _, ok := slices.BinarySearch(sent, sum); !ok {
			t.Errorf("read %s, which was not sent", sum)
		}
	}
	if n := len(sums["READ_ENTRY"]); n != 70 {
		t.Errorf("%d messages read, expected 15 twice and 4 times 10", n)
	}
}

func v3(op bookiepb.OperationType, txn uint64) *bookiepb.BKPacketHeader {
	return &bookiepb.BKPacketHeader{Version: bookiepb.ProtocolVersion_VERSION_THREE.Enum(), Operation: &op, TxnId: &txn}
}

// exchanges gives those with bookies, a line each.
func exchanges(t *testing.T, tape *wiremake.Tape, o session.Options) (lines []string, c session.Counters) {
	c = tapeEvents(t, tape, o, func(e *session.Event) {
		if e.Kind != session.ExchangeSeen || e.Exchange.Kind != session.Bookie {
			return
		}
		x := e.Exchange
		ns, _ := x.Latency()
		lines = append(lines, fmt.Sprintf("%d:%d txn %d %s %s%s %d", x.Ask.Ledger, x.Ask.Entry, x.Ask.TxnID, x.Result, x.Error, x.Why, ns/1e6))
	})
	return lines, c
}

func TestBookieExchanges(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	ok, fenced := uint32(0), uint32(104)
	entry := func(n int64) []byte {
		return wiremake.StoredEntry{Ledger: 7, Entry: n, LastAddConfirmed: n - 1, Body: []byte("x")}.Bytes()
	}
	auth := wiremake.Bytes(&bookiepb.AuthMessage{AuthPluginName: protobuf.String("p"), Payload: []byte{}})
	key := make([]byte, 20)
	c.Send(wiremake.Client, wiremake.Bookie2(3, 0, auth))
	c.Send(wiremake.Server, wiremake.Bookie2(3, 0, auth))
	c.Send(wiremake.Client, wiremake.Bookie2(1, 0, key, entry(0)), wiremake.Bookie2(1, 0, key, entry(1)), wiremake.Bookie2(2, 0, 7, 0))
	// out of order, one refused, one never answered, one never asked
	c.Send(wiremake.Server, wiremake.Bookie2(2, 0, ok, 7, 0, entry(0)), wiremake.Bookie2(1, 0, fenced, 7, 1), wiremake.Bookie2(1, 0, ok, 7, 9))
	c.Send(wiremake.Client, wiremake.Bookie2(7, 0, 7, 0, 55, uint32(10), 1000), wiremake.Bookie2(7, 0, 7, 0, 56, uint32(10), 1000))
	c.Send(wiremake.Server, wiremake.Bookie2(7, 0, ok, 7, 0, 56, uint32(len(entry(0))), entry(0)))
	c.Close()
	lines, _ := exchanges(t, tape, session.Options{})
	want := []string{
		"0:0 txn 0 ok  1", "7:0 txn 0 ok  1", "7:1 txn 0 error EFENCED 3", "7:9 txn 0 orphan_response  0", "7:0 txn 56 ok  1",
		"7:0 txn 0 unanswered conn_closed 0", "7:0 txn 55 unanswered conn_closed 0",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q\nexpected %q", lines, want)
	}
}

// In version 3 the txnId ties, and the response need not name the ledger.
func TestBookieExchangesOfVersion3(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	read := func(txn uint64, entry int64) []byte {
		return wiremake.Bookie3(&bookiepb.Request{Header: v3(bookiepb.OperationType_READ_ENTRY, txn),
			ReadRequest: &bookiepb.ReadRequest{LedgerId: protobuf.Int64(7), EntryId: &entry}})
	}
	c.Send(wiremake.Client, read(1, 4), read(2, 4))
	c.Send(wiremake.Server, wiremake.Bookie3(&bookiepb.Response{Header: v3(bookiepb.OperationType_READ_ENTRY, 2), Status: bookiepb.StatusCode_EUA.Enum()}))
	c.Close()
	lines, _ := exchanges(t, tape, session.Options{})
	if want := []string{"7:4 txn 2 error EUA 1", "7:4 txn 1 unanswered conn_closed 0"}; !slices.Equal(lines, want) {
		t.Errorf("got %q\nexpected %q", lines, want)
	}
}

// sendFrame is a SEND of producer 0.
func sendFrame(sequence uint64) []byte {
	return wiremake.Payload{
		Command:  &pb.BaseCommand{Type: pb.BaseCommand_SEND.Enum(), Send: &pb.CommandSend{ProducerId: protobuf.Uint64(0), SequenceId: &sequence}},
		Metadata: &pb.MessageMetadata{ProducerName: protobuf.String("p"), SequenceId: &sequence, PublishTime: protobuf.Uint64(1)},
	}.Frame()
}

// The receipt may come before the last bookie has answered: its AddEntry names
// the SEND. Only so many entries are remembered.
func TestStoredAfterTheReceipt(t *testing.T) {
	add := func(n int64) []byte {
		return wiremake.Bookie2(1, 0, make([]byte, 20), wiremake.StoredEntry{Ledger: 7, Entry: n, LastAddConfirmed: -1, Body: []byte("x")}.Bytes())
	}
	tape := wiremake.NewTape()
	client, first, second := tape.Talk(40000), tape.Talk(40001), tape.Talk(40002)
	first.Send(wiremake.Client, add(0))
	second.Send(wiremake.Client, add(0))
	first.Send(wiremake.Server, wiremake.Bookie2(1, 0, uint32(0), 7, 0))
	client.Send(wiremake.Client, sendFrame(0))
	client.Send(wiremake.Server, wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_SEND_RECEIPT.Enum(), SendReceipt: &pb.CommandSendReceipt{
		ProducerId: protobuf.Uint64(0), SequenceId: protobuf.Uint64(0),
		MessageId: &pb.MessageIdData{LedgerId: protobuf.Uint64(7), EntryId: protobuf.Uint64(0)}}}))
	second.Send(wiremake.Server, wiremake.Bookie2(1, 0, uint32(0), 7, 0))
	var stored, sent []string
	tapeEvents(t, tape, session.Options{}, func(e *session.Event) {
		if e.Kind != session.ExchangeSeen {
			return
		}
		for _, s := range e.Exchange.Stored {
			stored = append(stored, fmt.Sprintf("c%d at %d in %d ms", s.Conn, s.Offset, s.Latency/1e6))
		}
		if s := e.Exchange.Sent; s != nil {
			sent = append(sent, fmt.Sprintf("c%d at %d", s.Conn, s.Offset))
		}
	})
	if !slices.Equal(stored, []string{"c1 at 0 in 2 ms"}) || len(sent) != 1 {
		t.Errorf("stored %q, sent %q", stored, sent)
	}
}

func TestStoredIsBounded(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	for n := range 5 {
		c.Send(wiremake.Client, wiremake.Bookie2(1, 0, make([]byte, 20), wiremake.StoredEntry{Ledger: 7, Entry: int64(n), LastAddConfirmed: -1}.Bytes()))
		c.Send(wiremake.Server, wiremake.Bookie2(1, 0, uint32(0), 7, n))
	}
	if _, counters := exchanges(t, tape, session.Options{Limits: session.Limits{Stored: 2}}); counters.Stored != 3 {
		t.Errorf("%d let go, expected 3", counters.Stored)
	}
}

// Requests beyond the limit are given up, the oldest first.
func TestBookieRequestsAreBounded(t *testing.T) {
	tape := wiremake.NewTape()
	c := tape.Talk(40000)
	for n := range 3 {
		c.Send(wiremake.Client, wiremake.Bookie2(2, 0, 7, n))
	}
	lines, counters := exchanges(t, tape, session.Options{Limits: session.Limits{RequestsPerConnection: 2}})
	want := []string{"7:0 txn 0 unanswered limit 0", "7:1 txn 0 unanswered capture_end 0", "7:2 txn 0 unanswered capture_end 0"}
	if !slices.Equal(lines, want) || counters.Requests != 1 {
		t.Errorf("got %q, %d let go", lines, counters.Requests)
	}
}
