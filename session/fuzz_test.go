package session_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

// step makes a frame out of three bytes: which, and two small numbers.
var steps = []func(t *dialogue, a, b uint64){
	func(t *dialogue, a, b uint64) { t.client(send(a%4, b%8)) },
	func(t *dialogue, a, b uint64) { t.broker(receipt(a%4, b%8, 5, b)) },
	func(t *dialogue, a, b uint64) { t.broker(sendError(a%4, b%8, pb.ServerError_UnknownError)) },
	func(t *dialogue, a, b uint64) { t.client(producer(a%4, b%8, aTopic, "")) },
	func(t *dialogue, a, b uint64) { t.broker(producerSuccess(b%8, "p", proto.Bool(a%3 > 0))) },
	func(t *dialogue, a, b uint64) { t.client(subscribe(a%4, b%8, aTopic, fmt.Sprint(a%3))) },
	func(t *dialogue, a, b uint64) { t.broker(success(b % 8)) },
	func(t *dialogue, a, b uint64) { t.broker(failure(b%8-a%2, pb.ServerError(a%20), "no")) },
	func(t *dialogue, a, b uint64) { t.client(flow(a%4, uint32(b))) },
	func(t *dialogue, a, b uint64) { t.broker(message(a%4, 7, b%8, int(a%5))) },
	func(t *dialogue, a, b uint64) { t.broker(message(a%4, 7, b%8, 3, int64(a))) },
	func(t *dialogue, a, b uint64) { t.client(ack(a%4, individual, id(7, b%8), id(7, a%8))) },
	func(t *dialogue, a, b uint64) { t.client(ack(a%4, individual, id(7, b%8, int64(a)))) },
	func(t *dialogue, a, b uint64) { t.client(ack(a%4, cumulative, id(7, b%8))) },
	func(t *dialogue, a, b uint64) { t.client(ack(a%4, cumulative, id(7, b%8, int64(a)))) },
	func(t *dialogue, a, _ uint64) { t.send(int(a%2), []any{ping()}) },
	func(t *dialogue, a, _ uint64) { t.send(int(a%2), []any{pong()}) },
	func(t *dialogue, a, b uint64) { t.client(sentPart(fmt.Sprint(a%2), int32(b%4), 3, "part")) },
	func(t *dialogue, a, b uint64) {
		t.broker(deliveredPart(a%2, b%8, "u", int32(b%4)-1, int32(a%4), "part"))
	},
	func(t *dialogue, a, b uint64) { t.send(int(a%2), []any{wiremake.Filled(wiremake.Types()[b%70], a)}) },
	func(t *dialogue, _, _ uint64) { t.client(connect(nil)) },
	func(t *dialogue, _, _ uint64) { t.broker(connected(nil)) },
	func(t *dialogue, a, _ uint64) { t.Lose(int(a%2), 1+int(a)) },
	func(t *dialogue, a, _ uint64) { t.FIN(int(a % 2)) },
}

// balance counts questions and their ends.
type balance struct{ asked, ended int }

func (b *balance) check(t *testing.T, what string) {
	t.Helper()
	if b.asked != b.ended {
		t.Errorf("%d %s, %d of them came to an end", b.asked, what, b.ended)
	}
}

// FuzzSession plays any sequence of frames of one connection. Each SEND, each
// PING and each request that is known to ask for an answer comes to one end.
func FuzzSession(f *testing.F) {
	f.Add([]byte{0, 1, 1, 1, 1, 1, 9, 0, 1, 11, 0, 1, 15, 0, 0, 16, 1, 0})
	f.Add([]byte{3, 1, 1, 0, 1, 1, 3, 1, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1})
	f.Add([]byte{5, 1, 1, 8, 1, 9, 9, 1, 1, 9, 1, 1, 12, 1, 1, 13, 1, 1, 14, 3, 1})
	for i := range steps {
		f.Add([]byte{byte(i), 1, 2, byte(i), 3, 4, byte(i), 250, 251})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 600 {
			return
		}
		c := openTalk(wiremake.NewTape(), 40000)
		for i := 0; i+2 < len(script); i += 3 {
			steps[int(script[i])%len(steps)](c, uint64(script[i+1]), uint64(script[i+2]))
		}
		for _, l := range []session.Limits{{}, {RequestsPerConnection: 2, SendsPerProducer: 2, DeliveriesPerConsumer: 2, Acknowledged: 1, Pings: 1,
			ChunkedMessages: 1, ChunkBytes: 300, ProducersPerConnection: 2, ConsumersPerConnection: 2}} {
			checkBalance(t, c.tape, l)
		}
	})
}

func checkBalance(t *testing.T, tape *wiremake.Tape, l session.Limits) {
	t.Helper()
	var sends, pings, messages balance
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	s := session.New(session.Options{Limits: l})
	for e, err := range s.Events(decode.New(decode.Limits{}, nil).Events(a.Events(wiremake.Overwriting(tape.Source())))) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Kind == session.FrameSeen && e.Frame.Is(int32(pb.BaseCommand_SEND)):
			sends.asked++
		case e.Kind == session.FrameSeen && e.Frame.Is(int32(pb.BaseCommand_PING)):
			pings.asked++
		case e.Kind == session.FrameSeen && e.Frame.Is(int32(pb.BaseCommand_MESSAGE)):
			messages.asked++
		case e.Kind == session.PermitsChanged && !e.Permits.Flow:
			messages.ended++
		case e.Kind == session.ExchangeSeen && e.Exchange.HasRequest && e.Exchange.Kind == session.Send:
			sends.ended++
		case e.Kind == session.ExchangeSeen && e.Exchange.HasRequest && e.Exchange.Kind == session.Ping:
			pings.ended++
		}
	}
	sends.check(t, "SENDs")
	pings.check(t, "PINGs")
	messages.check(t, "MESSAGEs")
}
