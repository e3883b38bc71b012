package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// transactionLine is a transaction in a few words.
func transactionLine(t *session.Transaction) string {
	words := []string{t.ID.String(), t.State.String()}
	if t.EndedBy != session.EndedByNobody {
		words = append(words, "by", t.EndedBy.String())
	}
	if !t.Opened {
		words = append(words, "unopened")
	}
	words = append(words, fmt.Sprintf("%dm %da", t.Messages, t.Acks))
	for _, p := range t.Parts {
		name := p.Topic[strings.LastIndexByte(p.Topic, '/')+1:]
		if p.IsSubscription {
			name += "/" + p.Subscription
		}
		words = append(words, fmt.Sprintf("%s[%d %d %v %s %v]", name, p.Messages, p.Acks, p.Added, p.End, p.Ended))
	}
	for _, m := range t.Markers {
		words = append(words, fmt.Sprintf("%s@%d:%d", m.Name, m.ID.Ledger, m.ID.Entry))
	}
	for _, r := range t.Refusals {
		words = append(words, session.TypeName(&session.Ref{Type: r.Request}), r.Error)
	}
	if t.Why != "" {
		words = append(words, t.Why)
	}
	return strings.Join(words, " ")
}

func transactionsOf(t *testing.T, tape *wiremake.Tape, l session.Limits) (lines []string, c session.Counters) {
	t.Helper()
	c = tapeEvents(t, tape, session.Options{Limits: l}, func(e *session.Event) {
		if e.Kind == session.TxnSeen {
			lines = append(lines, transactionLine(e.Txn))
		}
	})
	return lines, c
}

// What each transaction was is the client's own record of the run.
func TestTransactionsOfCaptures(t *testing.T) {
	for name, want := range map[string][]string{
		"txn": {
			"0:0 committed by client 8m 4a txn-out[4 0 true COMMIT true] txn-out-two[4 0 true COMMIT true] txn-in/xfer[0 4 true COMMIT true]",
			"0:1 aborted by client 3m 3a txn-out[3 0 true ABORT true] txn-in/xfer[0 3 true ABORT true]",
			"0:2 committed by client 0m 1a txn-in/xfer[0 1 true COMMIT true]",
			"0:3 aborted by client 0m 0a txn-in/xfer[0 0 true ABORT true] ACK TransactionConflict",
			"0:4 aborted by coordinator 1m 1a txn-out[1 0 true ABORT true] txn-in/xfer[0 1 true ABORT true]",
			"0:5 committed by client 5m 1a txn-in/cum[0 1 true COMMIT true] txn-out-two[5 0 true COMMIT true]",
			"0:6 committed by client 0m 0a",
			"0:7 aborted by client 0m 0a",
			"0:8 aborted by coordinator 1m 0a txn-out[1 0 true ABORT true]",
			"0:9 aborted by coordinator 1m 0a txn-out[1 0 true ABORT true]",
			"0:10 open 1m 0a txn-out[1 0 true  false] conn_closed",
		},
		"go-txn": {
			"0:6 committed by client 2m 2a gotxn-out-gd-59254[2 0 true  false] gotxn-in-gd-59254/s[0 2 true  false]",
			"0:7 aborted by client 2m 2a gotxn-out-gd-59254[2 0 true  false] gotxn-in-gd-59254/s[0 2 true  false]",
			"0:8 committed by client 2m 2a gotxn-out-gd-59254[2 0 true  false] gotxn-in-gd-59254/s[0 2 true  false]",
		},
	} {
		var got []string
		eachEvent(t, small(t, name), session.Options{NoSum: true, NoMessages: true}, func(e *session.Event) {
			if e.Kind == session.TxnSeen {
				got = append(got, transactionLine(e.Txn))
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nexpected:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// The Go client does not put the transaction where brokers store it: only the
// receipt of the SEND ties a MESSAGE to it. The broker does not know either, and
// has delivered what was aborted, too.
func TestTransactionsOfDeliveries(t *testing.T) {
	got := map[string]int{}
	eachEvent(t, small(t, "go-txn"), session.Options{NoSum: true}, func(e *session.Event) {
		if e.Kind == session.MessageSeen && e.Message.HasID && e.Message.InTxn {
			got[e.Message.Txn.String()]++
		}
	})
	if len(got) != 3 || got["0:6"] != 2 || got["0:7"] != 2 || got["0:8"] != 2 {
		t.Errorf("got %v, expected two of each", got)
	}
}

func newTxn(request uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_NEW_TXN.Enum(), NewTxn: &pb.CommandNewTxn{RequestId: &request, TxnTtlMillis: num(5000)}}
}

func newTxnResponse(request, least uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_NEW_TXN_RESPONSE.Enum(), NewTxnResponse: &pb.CommandNewTxnResponse{RequestId: &request,
		TxnidLeastBits: &least, TxnidMostBits: num(3)}}
}

func addPartition(request, least uint64, topic string) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_ADD_PARTITION_TO_TXN.Enum(), AddPartitionToTxn: &pb.CommandAddPartitionToTxn{RequestId: &request,
		TxnidLeastBits: &least, TxnidMostBits: num(3), Partitions: []string{topic}}}
}

func addPartitionResponse(request uint64, code *pb.ServerError) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_ADD_PARTITION_TO_TXN_RESPONSE.Enum(),
		AddPartitionToTxnResponse: &pb.CommandAddPartitionToTxnResponse{RequestId: &request, Error: code}}
}

func endTxn(request, least uint64, action pb.TxnAction) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_END_TXN.Enum(), EndTxn: &pb.CommandEndTxn{RequestId: &request, TxnidLeastBits: &least,
		TxnidMostBits: num(3), TxnAction: &action}}
}

func endTxnResponse(request uint64, code *pb.ServerError) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_END_TXN_RESPONSE.Enum(), EndTxnResponse: &pb.CommandEndTxnResponse{RequestId: &request, Error: code}}
}

func endOnPartition(request, least uint64, topic string, action pb.TxnAction) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_END_TXN_ON_PARTITION.Enum(), EndTxnOnPartition: &pb.CommandEndTxnOnPartition{RequestId: &request,
		TxnidLeastBits: &least, TxnidMostBits: num(3), Topic: &topic, TxnAction: &action}}
}

func endOnPartitionResponse(request uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_END_TXN_ON_PARTITION_RESPONSE.Enum(),
		EndTxnOnPartitionResponse: &pb.CommandEndTxnOnPartitionResponse{RequestId: &request}}
}

func sendIn(least, producer, sequence uint64) wiremake.Payload {
	p := send(producer, sequence)
	p.Command.Send.TxnidLeastBits, p.Command.Send.TxnidMostBits = &least, num(3)
	return p
}

// markerEntry is what a broker stores for the end of a transaction.
func markerEntry(least uint64, kind int32, entry int64) []byte {
	m := wiremake.Payload{Metadata: &pb.MessageMetadata{ProducerName: proto.String("b"), SequenceId: num(0), PublishTime: num(1), MarkerType: &kind,
		TxnidLeastBits: &least, TxnidMostBits: num(3)}}
	return wiremake.Bookie2(1, 0, make([]byte, 20), wiremake.StoredEntry{Ledger: 7, Entry: entry, LastAddConfirmed: -1, Body: m.Section()}.Bytes())
}

const topicOne, topicTwo = "persistent://a/b/one", "persistent://a/b/two"

func TestTransactions(t *testing.T) {
	notFound, notReady := pb.ServerError_TransactionNotFound, pb.ServerError_ServiceNotReady
	for _, c := range []struct {
		name string
		talk func(tc, topics *dialogue, bookie *wiremake.Talk)
		want []string
	}{
		{"the end is asked for twice, and refused first", func(tc, _ *dialogue, _ *wiremake.Talk) {
			tc.client(newTxn(1))
			tc.broker(newTxnResponse(1, 9))
			tc.client(endTxn(2, 9, pb.TxnAction_COMMIT))
			tc.broker(endTxnResponse(2, &notReady))
			tc.client(endTxn(3, 9, pb.TxnAction_ABORT))
			tc.broker(endTxnResponse(3, nil))
		}, []string{"3:9 aborted by client 0m 0a END_TXN ServiceNotReady"}},
		{"the coordinator does not have it any more, and later commands do not begin it anew", func(tc, topics *dialogue, _ *wiremake.Talk) {
			tc.client(newTxn(1))
			tc.broker(newTxnResponse(1, 9))
			tc.client(endTxn(2, 9, pb.TxnAction_COMMIT))
			tc.broker(endTxnResponse(2, &notFound))
			topics.client(sendIn(9, 1, 0))
		}, []string{"3:9 failed 0m 0a END_TXN TransactionNotFound"}},
		{"no opening, only what the coordinator tells the topics", func(_, topics *dialogue, _ *wiremake.Talk) {
			topics.client(endOnPartition(1, 9, topicOne, pb.TxnAction_COMMIT), endOnPartition(2, 9, topicTwo, pb.TxnAction_COMMIT))
			topics.broker(endOnPartitionResponse(1), endOnPartitionResponse(2))
		}, []string{"3:9 committed unopened 0m 0a one[0 0 false COMMIT true] two[0 0 false COMMIT true]"}},
		{"one of the topics has not agreed", func(_, topics *dialogue, _ *wiremake.Talk) {
			topics.client(endOnPartition(1, 9, topicOne, pb.TxnAction_ABORT), endOnPartition(2, 9, topicTwo, pb.TxnAction_ABORT))
			topics.broker(endOnPartitionResponse(2))
		}, []string{"3:9 aborting unopened 0m 0a one[0 0 false ABORT false] two[0 0 false ABORT true] capture_end"}},
		{"a topic was refused, a message too", func(tc, topics *dialogue, _ *wiremake.Talk) {
			tc.client(newTxn(1))
			tc.broker(newTxnResponse(1, 9))
			tc.client(addPartition(2, 9, topicOne))
			tc.broker(addPartitionResponse(2, &notFound))
			topics.client(producer(1, 1, topicTwo, "p"))
			topics.broker(producerSuccess(1, "p", nil))
			topics.client(sendIn(9, 1, 0), sendIn(9, 1, 1))
			topics.broker(receipt(1, 0, 7, 0), sendError(1, 1, notFound))
		}, []string{"3:9 open 1m 0a one[0 0 false  false] two[1 0 false  false] ADD_PARTITION_TO_TXN TransactionNotFound SEND TransactionNotFound capture_end"}},
		{"named by a SEND alone", func(_, topics *dialogue, _ *wiremake.Talk) {
			topics.client(sendIn(9, 1, 0))
		}, []string{"3:9 unknown unopened 1m 0a capture_end"}},
		{"markers at two bookies", func(_, _ *dialogue, bookie *wiremake.Talk) {
			bookie.Send(wiremake.Client, markerEntry(9, 21, 4), markerEntry(9, 21, 4), markerEntry(8, 22, 5), markerEntry(7, 20, 6))
			bookie.Send(wiremake.Server, wiremake.Bookie2(1, 0, uint32(0), 7, 4))
		}, []string{"3:9 committed unopened 0m 0a TXN_COMMIT@7:4", "3:8 aborted unopened 0m 0a TXN_ABORT@7:5"}},
		{"the number is used anew", func(tc, _ *dialogue, _ *wiremake.Talk) {
			tc.client(newTxn(1), newTxn(2))
			tc.broker(newTxnResponse(1, 9), newTxnResponse(2, 9))
		}, []string{"3:9 open 0m 0a number_used_anew", "3:9 open 0m 0a capture_end"}},
		{"an opening that was refused", func(tc, _ *dialogue, _ *wiremake.Talk) {
			tc.client(newTxn(1))
			r := newTxnResponse(1, 9)
			r.NewTxnResponse.Error = &notReady
			tc.broker(r)
		}, nil},
		{"the request of the opening was not captured", func(tc, _ *dialogue, _ *wiremake.Talk) {
			tc.broker(newTxnResponse(1, 9))
		}, []string{"3:9 open 0m 0a capture_end"}},
	} {
		tape := wiremake.NewTape()
		tc, topics := openTalk(tape, 40000), openTalk(tape, 40001)
		for _, d := range []*dialogue{tc, topics} {
			d.client(connect(nil))
			d.broker(connected(nil))
		}
		c.talk(tc, topics, tape.Talk(40002))
		got, _ := transactionsOf(t, tape, session.Limits{})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nexpected:\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// A transaction is over when its end is answered, not at the end of the run; its
// times are those of its frames.
func TestTransactionTimes(t *testing.T) {
	d := newTalk()
	d.client(newTxn(1))
	d.broker(newTxnResponse(1, 9)) // the packets are a millisecond apart
	d.client(addPartition(2, 9, topicOne))
	d.broker(addPartitionResponse(2, nil))
	d.client(endTxn(3, 9, pb.TxnAction_COMMIT))
	d.broker(endTxnResponse(3, nil))
	d.client(ping())
	kinds, before := []session.Kind(nil), -1
	tapeEvents(t, d.tape, session.Options{}, func(e *session.Event) {
		kinds = append(kinds, e.Kind)
		if e.Kind != session.TxnSeen {
			return
		}
		before = len(kinds)
		open, _ := e.Txn.OpenFor()
		ending, _ := e.Txn.EndingFor()
		if open != 3e6 || ending != 1e6 || e.Txn.TTL != 5e9 || e.Txn.Last.Time-e.Txn.First.Time != 4e6 || e.Txn.Since != e.Txn.Last.Time {
			t.Errorf("open for %d, ending for %d, %+v", open, ending, e.Txn)
		}
	})
	if before < 0 || slices.Index(kinds[before:], session.FrameSeen) < 0 {
		t.Errorf("%v: the transaction comes at %d", kinds, before)
	}
}

func TestTransactionsAreBounded(t *testing.T) {
	talk := func(n uint64) *wiremake.Tape {
		d := newTalk()
		for i := range n {
			d.client(newTxn(i))
			d.broker(newTxnResponse(i, i))
		}
		return d.tape
	}
	if got, c := transactionsOf(t, talk(3), session.Limits{Transactions: 3}); len(got) != 3 || c.Transactions != 0 {
		t.Errorf("at the limit: %q, %d let go", got, c.Transactions)
	}
	got, c := transactionsOf(t, talk(5), session.Limits{Transactions: 3})
	if len(got) != 5 || got[0] != "3:0 open 0m 0a limit" || got[2] != "3:2 open 0m 0a capture_end" || c.Transactions != 2 {
		t.Errorf("above the limit: %q, %d let go", got, c.Transactions)
	}
	d := newTalk()
	for i := range uint64(4) {
		d.client(addPartition(i, i, topicOne+strings.Repeat("x", 1000)))
	}
	if got, c := transactionsOf(t, d.tape, session.Limits{TransactionBytes: 4000}); len(got) != 4 || c.Transactions != 2 {
		t.Errorf("bytes: %d given, %d let go", len(got), c.Transactions)
	}
}

// What a proxy passes on is seen twice and counts once.
func TestTransactionsAtAProxy(t *testing.T) {
	tape := wiremake.NewTape()
	front, back := openTalk(tape, 40000), openTalk(tape, 40001)
	front.client(connect(nil))
	back.client(preface(front.Ends[wiremake.Client]), connect(nil))
	both := func(send func(d *dialogue)) { send(front); send(back) }
	both(func(d *dialogue) { d.broker(connected(nil)) })
	both(func(d *dialogue) { d.client(newTxn(1)) })
	both(func(d *dialogue) { d.broker(newTxnResponse(1, 9)) })
	both(func(d *dialogue) { d.client(sendIn(9, 1, 0)) })
	got, _ := transactionsOf(t, tape, session.Limits{})
	if want := []string{"3:9 open 1m 0a capture_end"}; !slices.Equal(got, want) {
		t.Errorf("got %q, expected %q", got, want)
	}
}
