package session_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

const fromBroker = 1<<64 - 1

// Requests and their answers.
func TestRequests(t *testing.T) {
	lookup := func(request uint64) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_LOOKUP.Enum(), LookupTopic: &pb.CommandLookupTopic{Topic: proto.String(aTopic), RequestId: &request}}
	}
	lookupAnswer := func(request uint64, how pb.CommandLookupTopicResponse_LookupType) *pb.BaseCommand {
		c := &pb.CommandLookupTopicResponse{RequestId: &request, Response: &how}
		if how == pb.CommandLookupTopicResponse_Failed {
			c.Error, c.Message = pb.ServerError_ServiceNotReady.Enum(), proto.String("later")
		}
		return &pb.BaseCommand{Type: pb.BaseCommand_LOOKUP_RESPONSE.Enum(), LookupTopicResponse: c}
	}
	closeProducer := func(producer, request uint64) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_CLOSE_PRODUCER.Enum(), CloseProducer: &pb.CommandCloseProducer{ProducerId: &producer, RequestId: &request}}
	}
	closeConsumer := func(consumer, request uint64) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(), CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: &consumer, RequestId: &request}}
	}
	for _, x := range []struct {
		name string
		talk func(t *dialogue)
		want []string
	}{
		{"request id of 64 bits", func(t *dialogue) {
			t.client(producer(1, 1<<63+5, aTopic, ""))
			t.broker(producerSuccess(1<<63+5, "p", nil))
		}, []string{"request ok PRODUCER#1 > PRODUCER_SUCCESS#1"}},
		{"in any order", func(t *dialogue) {
			t.client(lookup(1), lookup(2), lookup(3))
			for _, n := range []uint64{3, 1, 2} {
				t.broker(lookupAnswer(n, pb.CommandLookupTopicResponse_Connect))
			}
		}, []string{"request ok LOOKUP#3 > LOOKUP_RESPONSE#1", "request ok LOOKUP#1 > LOOKUP_RESPONSE#2", "request ok LOOKUP#2 > LOOKUP_RESPONSE#3"}},
		{"one id twice: first in, first out", func(t *dialogue) {
			t.client(lookup(1), lookup(1))
			t.broker(lookupAnswer(1, pb.CommandLookupTopicResponse_Redirect), lookupAnswer(1, pb.CommandLookupTopicResponse_Connect))
		}, []string{"request ok LOOKUP#1 > LOOKUP_RESPONSE#1", "request ok LOOKUP#2 > LOOKUP_RESPONSE#2"}},
		{"an answer that says no", func(t *dialogue) {
			t.client(lookup(1))
			t.broker(lookupAnswer(1, pb.CommandLookupTopicResponse_Failed))
		}, []string{`request error LOOKUP#1 > LOOKUP_RESPONSE#1 ServiceNotReady "later"`}},
		{"ERROR", func(t *dialogue) {
			t.client(subscribe(1, 7, aTopic, "s"))
			t.broker(failure(7, pb.ServerError_ConsumerBusy, "busy"))
		}, []string{`request error SUBSCRIBE#1 > ERROR#1 ConsumerBusy "busy"`}},
		{"an answer that nobody asked for", func(t *dialogue) {
			t.broker(success(99))
		}, []string{"request orphan_response > SUCCESS#1"}},
		{"never answered", func(t *dialogue) {
			t.client(lookup(1))
		}, []string{"request unanswered LOOKUP#1 (capture_end)"}},
		{"closed before the answer", func(t *dialogue) {
			t.client(lookup(1), lookup(2))
			t.FIN(wiremake.Server)
		}, []string{"request unanswered LOOKUP#1 (conn_closed)", "request unanswered LOOKUP#2 (conn_closed)"}},
		{"a producer that has to wait", func(t *dialogue) {
			t.client(producer(1, 1, aTopic, ""))
			t.broker(producerSuccess(1, "", proto.Bool(false)), producerSuccess(1, "p", proto.Bool(true)))
		}, []string{"request intermediate PRODUCER#1 > PRODUCER_SUCCESS#1", "request ok PRODUCER#1 > PRODUCER_SUCCESS#2"}},
		{"a producer that waits for ever", func(t *dialogue) {
			t.client(producer(1, 1, aTopic, ""))
			t.broker(producerSuccess(1, "", proto.Bool(false)))
		}, []string{"request intermediate PRODUCER#1 > PRODUCER_SUCCESS#1", "request unanswered PRODUCER#1 (capture_end)"}},
		{"closing, by the client and by the broker", func(t *dialogue) {
			t.client(closeProducer(1, 4), closeConsumer(2, 5))
			t.broker(success(4), success(5), closeProducer(1, fromBroker), closeConsumer(2, fromBroker))
		}, []string{"request ok CLOSE_PRODUCER#1 > SUCCESS#1", "request ok CLOSE_CONSUMER#1 > SUCCESS#2"}},
		{"redelivery asks for no answer", func(t *dialogue) {
			t.client(&pb.BaseCommand{Type: pb.BaseCommand_REDELIVER_UNACKNOWLEDGED_MESSAGES.Enum(),
				RedeliverUnacknowledgedMessages: &pb.CommandRedeliverUnacknowledgedMessages{ConsumerId: num(1)}})
		}, nil},
		{"an error answer of a transaction lacks its ids", func(t *dialogue) {
			t.client(&pb.BaseCommand{Type: pb.BaseCommand_END_TXN.Enum(), EndTxn: &pb.CommandEndTxn{RequestId: num(3), TxnidMostBits: num(1), TxnidLeastBits: num(2)}})
			t.broker(&pb.BaseCommand{Type: pb.BaseCommand_END_TXN_RESPONSE.Enum(), EndTxnResponse: &pb.CommandEndTxnResponse{RequestId: num(3),
				Error: pb.ServerError_TransactionNotFound.Enum(), Message: proto.String("gone")}})
		}, []string{`request error END_TXN#1 > END_TXN_RESPONSE#1 TransactionNotFound "gone"`}},
		{"ACK with a request id", func(t *dialogue) {
			a := ack(1, individual, id(1, 1))
			a.Ack.RequestId = num(8)
			t.client(a)
			t.broker(&pb.BaseCommand{Type: pb.BaseCommand_ACK_RESPONSE.Enum(), AckResponse: &pb.CommandAckResponse{ConsumerId: num(1), RequestId: num(8)}})
		}, []string{"request ok ACK#1 > ACK_RESPONSE#1"}},
	} {
		c := newTalk()
		x.talk(c)
		said, _ := listen(t, session.Options{}, c.tape)
		holds(t, x.name, only(said, "request"), x.want)
	}
}

// The handshake, credentials and keep-alives.
func TestHandshakes(t *testing.T) {
	challenge := &pb.BaseCommand{Type: pb.BaseCommand_AUTH_CHALLENGE.Enum(), AuthChallenge: &pb.CommandAuthChallenge{ServerVersion: proto.String("y")}}
	response := &pb.BaseCommand{Type: pb.BaseCommand_AUTH_RESPONSE.Enum(), AuthResponse: &pb.CommandAuthResponse{ClientVersion: proto.String("x")}}
	for _, x := range []struct {
		name string
		talk func(t *dialogue)
		want []string
	}{
		{"accepted", func(t *dialogue) { t.client(connect(nil)); t.broker(connected(nil)) }, []string{"connect ok CONNECT#1 > CONNECTED#1"}},
		{"refused", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(failure(fromBroker, pb.ServerError_AuthenticationError, "no"))
		},
			[]string{`connect error CONNECT#1 > ERROR#1 AuthenticationError "no"`}},
		{"never answered", func(t *dialogue) { t.client(connect(nil)) }, []string{"connect unanswered CONNECT#1 (capture_end)"}},
		{"CONNECTED alone", func(t *dialogue) { t.broker(connected(nil)) }, []string{"connect orphan_response > CONNECTED#1"}},
		{"challenged", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(challenge)
			t.client(response)
			t.broker(connected(nil))
		}, []string{"auth ok AUTH_CHALLENGE#1 > AUTH_RESPONSE#1", "connect ok CONNECT#1 > CONNECTED#1"}},
		{"challenged and refused", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(challenge)
			t.client(response)
			t.broker(failure(fromBroker, pb.ServerError_AuthenticationError, "no"))
		}, []string{"auth ok AUTH_CHALLENGE#1 > AUTH_RESPONSE#1", `connect error CONNECT#1 > ERROR#1 AuthenticationError "no"`}},
		{"a challenge that is never answered", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(connected(nil), challenge)
		}, []string{"connect ok CONNECT#1 > CONNECTED#1", "auth unanswered AUTH_CHALLENGE#1 (capture_end)"}},
		{"credentials refreshed and refused", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(connected(nil), challenge)
			t.client(response)
			t.broker(failure(fromBroker, pb.ServerError_AuthenticationError, "expired"))
		}, []string{"connect ok CONNECT#1 > CONNECTED#1", "auth ok AUTH_CHALLENGE#1 > AUTH_RESPONSE#1",
			`auth error AUTH_RESPONSE#1 > ERROR#1 AuthenticationError "expired"`}},
		{"PING both ways", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(connected(nil), ping())
			t.client(ping(), pong())
			t.broker(pong(), ping())
		}, []string{"connect ok CONNECT#1 > CONNECTED#1", "ping ok PING#1 > PONG#1", "ping ok PING#2 > PONG#2", "ping unanswered PING#3 (capture_end)"}},
		{"PONG alone, two PINGs", func(t *dialogue) {
			t.client(connect(nil))
			t.broker(pong())
			t.client(ping(), ping())
			t.broker(pong())
			t.RST(wiremake.Client)
		}, []string{"ping orphan_response > PONG#1", "ping ok PING#1 > PONG#2", "connect unanswered CONNECT#1 (conn_closed)", "ping unanswered PING#2 (conn_closed)"}},
	} {
		c := openTalk(wiremake.NewTape(), 40000)
		x.talk(c)
		said, _ := listen(t, session.Options{}, c.tape)
		holds(t, x.name, said, x.want)
	}
}

// SENDs and their receipts.
func TestSends(t *testing.T) {
	for _, x := range []struct {
		name string
		talk func(t *dialogue)
		want []string
	}{
		{"in order", func(t *dialogue) {
			t.client(send(1, 0), send(1, 1))
			t.broker(receipt(1, 0, 5, 0), receipt(1, 1, 5, 1))
		}, []string{"send ok SEND#1 > SEND_RECEIPT#1 p1 s0 at 5:0", "send ok SEND#2 > SEND_RECEIPT#2 p1 s1 at 5:1"}},
		{"of two producers", func(t *dialogue) {
			t.client(send(1, 0), send(2, 0))
			t.broker(receipt(2, 0, 6, 0), receipt(1, 0, 5, 0))
		}, []string{"send ok SEND#2 > SEND_RECEIPT#1 p2 s0 at 6:0", "send ok SEND#1 > SEND_RECEIPT#2 p1 s0 at 5:0"}},
		{"refused", func(t *dialogue) {
			t.client(send(1, 0))
			t.broker(sendError(1, 0, pb.ServerError_ChecksumError))
		}, []string{`send error SEND#1 > SEND_ERROR#1 p1 s0 ChecksumError "no"`}},
		{"one sequence id twice: first in, first out", func(t *dialogue) {
			t.client(send(1, 4), send(1, 4))
			t.broker(receipt(1, 4, 5, 0), receipt(1, 4, 5, 1))
		}, []string{"send ok SEND#1 > SEND_RECEIPT#1 p1 s4 at 5:0", "send ok SEND#2 > SEND_RECEIPT#2 p1 s4 at 5:1"}},
		{"sequence ids that go back", func(t *dialogue) {
			t.client(send(1, 9), send(1, 3), send(1, 7))
			t.broker(receipt(1, 3, 5, 1), receipt(1, 7, 5, 2), receipt(1, 9, 5, 0))
		}, []string{"send ok SEND#2 > SEND_RECEIPT#1 p1 s3 at 5:1", "send ok SEND#3 > SEND_RECEIPT#2 p1 s7 at 5:2", "send ok SEND#1 > SEND_RECEIPT#3 p1 s9 at 5:0"}},
		{"deduplicated: -1:-1", func(t *dialogue) {
			t.client(send(1, 0))
			t.broker(receipt(1, 0, 1<<64-1, 1<<64-1))
		}, []string{"send ok SEND#1 > SEND_RECEIPT#1 p1 s0 at 18446744073709551615:18446744073709551615"}},
		{"a receipt for nothing", func(t *dialogue) {
			t.client(send(1, 0))
			t.broker(receipt(1, 8, 5, 0))
		}, []string{"send orphan_response > SEND_RECEIPT#1 p1 s8 at 5:0", "send unanswered SEND#1 p1 s0 (capture_end)"}},
		{"producer opened anew: sent again under the same ids", func(t *dialogue) {
			t.client(producer(1, 1, aTopic, "p"), send(1, 0), send(1, 1), send(1, 2))
			t.broker(receipt(1, 0, 5, 0))
			t.client(producer(1, 2, aTopic, "p"), send(1, 1), send(1, 2))
			t.broker(receipt(1, 1, 5, 1), receipt(1, 2, 5, 2))
		}, []string{"send ok SEND#1 > SEND_RECEIPT#1 p1 s0 at 5:0", "send unanswered SEND#2 p1 s1 (producer_reopened)",
			"send unanswered SEND#3 p1 s2 (producer_reopened)", "send ok SEND#4 > SEND_RECEIPT#2 p1 s1 at 5:1", "send ok SEND#5 > SEND_RECEIPT#3 p1 s2 at 5:2"}},
		{"producer opened anew: a late receipt", func(t *dialogue) {
			t.client(producer(1, 1, aTopic, "p"), send(1, 0), producer(1, 2, aTopic, "p"), send(1, 1))
			t.broker(receipt(1, 0, 5, 0), receipt(1, 1, 5, 1))
		}, []string{"send ok SEND#1 > SEND_RECEIPT#1 p1 s0 at 5:0", "send ok SEND#2 > SEND_RECEIPT#2 p1 s1 at 5:1"}},
		{"never answered, closed", func(t *dialogue) {
			t.client(send(1, 0), send(2, 0), send(1, 1))
			t.RST(wiremake.Server)
		}, []string{"send unanswered SEND#1 p1 s0 (conn_closed)", "send unanswered SEND#3 p1 s1 (conn_closed)", "send unanswered SEND#2 p2 s0 (conn_closed)"}},
		{"chunks under one sequence id", func(t *dialogue) {
			t.client(send(1, 3), send(1, 3), send(1, 3))
			t.broker(receipt(1, 3, 1, 0), receipt(1, 3, 1, 1))
		}, []string{"send ok SEND#1 > SEND_RECEIPT#1 p1 s3 at 1:0", "send ok SEND#2 > SEND_RECEIPT#2 p1 s3 at 1:1", "send unanswered SEND#3 p1 s3 (capture_end)"}},
	} {
		c := newTalk()
		x.talk(c)
		said, _ := listen(t, session.Options{}, c.tape)
		holds(t, x.name, only(said, "send"), x.want)
	}
}

// Receipts of replicators name the position in the source cluster, those of
// markers come in the order of the markers.
func TestReplicators(t *testing.T) {
	const least = 1 << 63
	run := func(name string, flag, opened bool, topic string) []string {
		var flags *pb.FeatureFlags
		if flag {
			flags = &pb.FeatureFlags{SupportsReplDedupByLidAndEid: proto.Bool(true)}
		}
		c := openTalk(wiremake.NewTape(), 40000)
		c.client(connect(flags))
		c.broker(connected(flags))
		if opened {
			c.client(producer(1, 1, topic, name))
			c.broker(producerSuccess(1, name, nil))
		}
		from := func(sequence uint64, position string, marker bool) wiremake.Payload {
			p := send(1, sequence)
			p.Metadata.ReplicatedFrom = proto.String("a")
			p.Metadata.Properties = []*pb.KeyValue{{Key: proto.String("__MSG_PROP_REPL_SOURCE_POSITION"), Value: &position}}
			if marker {
				p.Command.Send.Marker, p.Metadata.MarkerType = proto.Bool(true), proto.Int32(10)
			}
			return p
		}
		c.client(from(7, "3:7", false), from(0, "3:8", true), from(3, "3:9", false), from(0, "3:10", true))
		for _, r := range [][3]uint64{{0, least, 1}, {3, 7, 0}, {3, 9, 2}, {0, least, 3}, {3, 7, 4}} {
			x := receipt(1, r[0], 5, r[2])
			x.SendReceipt.HighestSequenceId = num(r[1])
			c.broker(x)
		}
		said, _ := listen(t, session.Options{}, c.tape)
		return only(said, "send")
	}
	bySource := []string{"send ok SEND#2 > SEND_RECEIPT#1 p1 s0 at 5:1", "send ok SEND#1 > SEND_RECEIPT#2 p1 s7 at 5:0",
		"send ok SEND#3 > SEND_RECEIPT#3 p1 s3 at 5:2", "send ok SEND#4 > SEND_RECEIPT#4 p1 s0 at 5:3", "send orphan_response > SEND_RECEIPT#5 p1 s3 at 5:4"}
	bySequence := []string{"send ok SEND#2 > SEND_RECEIPT#1 p1 s0 at 5:1", "send ok SEND#3 > SEND_RECEIPT#2 p1 s3 at 5:0",
		"send orphan_response > SEND_RECEIPT#3 p1 s3 at 5:2", "send ok SEND#4 > SEND_RECEIPT#4 p1 s0 at 5:3",
		"send orphan_response > SEND_RECEIPT#5 p1 s3 at 5:4", "send unanswered SEND#1 p1 s7 (capture_end)"}
	const name = "pulsar.repl.a-->b"
	holds(t, "a replicator", run(name, true, true, aTopic), bySource)
	holds(t, "PRODUCER not captured", run(name, true, false, aTopic), bySource)
	holds(t, "without the flag", run(name, false, true, aTopic), bySequence)
	holds(t, "another producer", run("mine", true, true, aTopic), bySequence)
	holds(t, "a topic that is not stored", run(name, true, true, "non-persistent://a/b/c"), bySequence)
}

// Watches and their first update.
func TestWatches(t *testing.T) {
	c := newTalk()
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_LOOKUP.Enum(),
		ScalableTopicLookup: &pb.CommandScalableTopicLookup{SessionId: num(3), Topic: proto.String("topic://a/b/c")}})
	update := &pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_UPDATE.Enum(), ScalableTopicUpdate: &pb.CommandScalableTopicUpdate{SessionId: num(3)}}
	c.broker(update, update)
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_WATCH_TOPIC_LIST.Enum(), WatchTopicList: &pb.CommandWatchTopicList{RequestId: num(4), WatcherId: num(1),
		Namespace: proto.String("a/b"), TopicsPattern: proto.String(".*")}})
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_WATCH_TOPIC_LIST_SUCCESS.Enum(), WatchTopicListSuccess: &pb.CommandWatchTopicListSuccess{RequestId: num(4),
		WatcherId: num(1), TopicsHash: proto.String("h")}})
	said, _ := listen(t, session.Options{}, c.tape)
	holds(t, "watches", only(said, "watch", "request"), []string{"watch ok SCALABLE_TOPIC_LOOKUP#1 > SCALABLE_TOPIC_UPDATE#1",
		"request ok WATCH_TOPIC_LIST#1 > WATCH_TOPIC_LIST_SUCCESS#1"})
}
