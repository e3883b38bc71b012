package session_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/capture"
	"pulsar-dissect/decode"
	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/reassembly"
	"pulsar-dissect/reassembly/segment"
	"pulsar-dissect/session"
)

func zlibOf(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What is let go when a limit is hit is said, the oldest first, and counted. At
// the limit nothing is.
func TestLimits(t *testing.T) {
	askFor := func(request uint64) *pb.BaseCommand {
		return &pb.BaseCommand{Type: pb.BaseCommand_CONSUMER_STATS.Enum(), ConsumerStats: &pb.CommandConsumerStats{RequestId: &request, ConsumerId: num(1)}}
	}
	for _, x := range []struct {
		name     string
		limits   session.Limits
		talk     func(t *dialogue, n int)
		at       int // how many the limit allows
		keep     []string
		want     []string
		counters session.Counters
	}{
		{"requests", session.Limits{RequestsPerConnection: 3}, func(t *dialogue, n int) {
			for i := range n {
				t.client(askFor(uint64(i)))
			}
		}, 3, []string{"request"}, []string{"request unanswered CONSUMER_STATS#1 (limit)", "request unanswered CONSUMER_STATS#2 (limit)"}, session.Counters{Requests: 2}},
		{"requests of one id", session.Limits{RequestsPerConnection: 3}, func(t *dialogue, n int) {
			for range n {
				t.client(askFor(7))
			}
		}, 3, []string{"request"}, []string{"request unanswered CONSUMER_STATS#1 (limit)", "request unanswered CONSUMER_STATS#2 (limit)"}, session.Counters{Requests: 2}},
		{"PINGs", session.Limits{Pings: 2}, func(t *dialogue, n int) {
			for range n {
				t.client(ping())
			}
		}, 2, []string{"ping"}, []string{"ping unanswered PING#1 (limit)", "ping unanswered PING#2 (limit)"}, session.Counters{Requests: 2}},
		{"SENDs", session.Limits{SendsPerProducer: 2}, func(t *dialogue, n int) {
			for i := range n {
				t.client(send(1, uint64(i)))
			}
		}, 2, []string{"send"}, []string{"send unanswered SEND#1 p1 s0 (limit)", "send unanswered SEND#2 p1 s1 (limit)"}, session.Counters{Sends: 2}},
		{"SENDs of a former opening", session.Limits{SendsPerProducer: 2}, func(t *dialogue, n int) {
			for i := range n {
				t.client(producer(1, uint64(i), "non-persistent://a/b/c", "p"), send(1, uint64(i)))
			}
		}, 2, []string{"send"}, []string{"send unanswered SEND#1 p1 s0 (limit)", "send unanswered SEND#2 p1 s1 (limit)"}, session.Counters{Sends: 2}},
		{"deliveries", session.Limits{DeliveriesPerConsumer: 2}, func(t *dialogue, n int) {
			for i := range n {
				t.broker(message(1, 7, uint64(i), 0))
			}
		}, 2, []string{"ack"}, []string{"ack unacked MESSAGE#1 c1 7:0 left 1 (limit)", "ack unacked MESSAGE#2 c1 7:1 left 1 (limit)"}, session.Counters{Deliveries: 2}},
		{"chunked messages", session.Limits{ChunkedMessages: 2}, func(t *dialogue, n int) {
			for i := range n {
				t.client(sentPart(fmt.Sprint("u", i), 0, 2, "a"))
			}
		}, 2, []string{"chunked"}, []string{`chunked u0 of 2, incomplete, "", missing [1], ids `, `chunked u1 of 2, incomplete, "", missing [1], ids `}, session.Counters{Chunked: 2}},
		{"chunked messages without a chunk id", session.Limits{ChunkedMessages: 2}, func(t *dialogue, n int) {
			for i := range n {
				p := sentPart(fmt.Sprint("u", i), 0, 2, "a")
				p.Metadata.ChunkId = nil
				t.client(p)
			}
		}, 2, []string{"chunked"}, []string{`chunked u0 of 2, incomplete, "", missing [0 1], ids `, `chunked u1 of 2, incomplete, "", missing [0 1], ids `}, session.Counters{Chunked: 2}},
		{"bytes of chunks", session.Limits{ChunkBytes: 2500}, func(t *dialogue, n int) {
			for i := range n {
				t.client(sentPart(fmt.Sprint("u", i), 0, 2, strings.Repeat("a", 1000)))
			}
		}, 2, []string{"chunked"}, []string{`chunked u0 of 2, incomplete, "", missing [1], ids `, `chunked u1 of 2, incomplete, "", missing [1], ids `}, session.Counters{Chunked: 2}},
		{"a chunk beyond all", session.Limits{ChunkBytes: 500}, func(t *dialogue, n int) {
			for i := range n {
				t.client(sentPart(fmt.Sprint("u", i), 0, 2, strings.Repeat("a", 1000)))
			}
		}, 0, []string{"chunked"}, []string{`chunked u0 of 2, incomplete, "", missing [1], ids `, `chunked u1 of 2, incomplete, "", missing [1], ids `}, session.Counters{Chunked: 2}},
		{"consumers", session.Limits{ConsumersPerConnection: 2}, func(t *dialogue, n int) {
			for i := range n {
				t.broker(message(uint64(i), 7, 1, 0))
			}
		}, 2, []string{"ack"}, []string{"ack unacked MESSAGE#1 c0 7:1 left 1 (limit)", "ack unacked MESSAGE#2 c1 7:1 left 1 (limit)"}, session.Counters{Parties: 2}},
		{"producers", session.Limits{ProducersPerConnection: 2}, func(t *dialogue, n int) {
			for i := range n {
				t.client(send(uint64(i), 1))
			}
		}, 2, []string{"send"}, []string{"send unanswered SEND#1 p0 s1 (limit)", "send unanswered SEND#2 p1 s1 (limit)"}, session.Counters{Parties: 2}},
	} {
		c := newTalk()
		x.talk(c, x.at)
		said, counters := listen(t, session.Options{Limits: x.limits}, c.tape)
		said = only(said, x.keep...)
		for _, s := range said {
			if strings.Contains(s, "(limit)") || counters != (session.Counters{}) {
				t.Errorf("%s, at the limit: %q, %+v", x.name, said, counters)
			}
		}
		c = newTalk()
		x.talk(c, x.at+2)
		said, counters = listen(t, session.Options{Limits: x.limits}, c.tape)
		said = only(said, x.keep...)
		if counters != x.counters || len(said) < 2 || !slices.Equal(said[:2], x.want) {
			t.Errorf("%s, two beyond the limit: %q, %+v; want %q, %+v", x.name, said, counters, x.want, x.counters)
		}
	}
}

// The ids remembered as acknowledged are few; an ACK of a forgotten one is an
// orphan and no repeat.
func TestAcknowledgedLimit(t *testing.T) {
	c := newTalk()
	for i := range uint64(3) {
		c.broker(message(1, 7, i, 0))
		c.client(ack(1, individual, id(7, i)))
	}
	for i := range uint64(3) {
		c.client(ack(1, individual, id(7, i)))
	}
	said, counters := listen(t, session.Options{Limits: session.Limits{Acknowledged: 2}}, c.tape)
	holds(t, "acks", only(said, "ack")[3:], []string{"ack orphan_response > ACK#4 c1 7:0", "ack repeat MESSAGE#2 > ACK#5 c1 7:1", "ack repeat MESSAGE#3 > ACK#6 c1 7:2"})
	if counters.Acknowledged != 1 {
		t.Errorf("%+v", counters)
	}
}

// A connection's queues stay in time and memory when nothing is ever answered:
// captures of one direction are like that.
func TestOneDirectionForLong(t *testing.T) {
	const frames = 160_000
	for _, x := range []struct {
		name  string
		frame func(i uint64) []byte
	}{
		{"requests", func(i uint64) []byte {
			return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONSUMER_STATS.Enum(), ConsumerStats: &pb.CommandConsumerStats{RequestId: &i, ConsumerId: num(1)}})
		}},
		{"requests of one id", func(uint64) []byte {
			return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_CONSUMER_STATS.Enum(), ConsumerStats: &pb.CommandConsumerStats{RequestId: num(5), ConsumerId: num(1)}})
		}},
		{"SENDs", func(i uint64) []byte { return send(1, i).Frame() }},
		{"SENDs, one producer opened half way", func(i uint64) []byte {
			if i == frames/2 {
				return wiremake.Frame(producer(1, 1, aTopic, "p"))
			}
			return send(1, i).Frame()
		}},
		{"SENDs again in order", func(i uint64) []byte {
			if i%100_000 == 0 {
				return wiremake.Frame(producer(1, i, aTopic, "p"))
			}
			return send(1, i%100_000).Frame()
		}},
		{"deliveries", func(i uint64) []byte { return message(1, 7, i, 0).Frame() }},
		{"deliveries backwards", func(i uint64) []byte { return message(1, 7, frames-i, 0).Frame() }},
		{"consumers", func(i uint64) []byte { return wiremake.Frame(flow(i, 1)) }},
		{"producers", func(i uint64) []byte { return wiremake.Frame(receipt(i, 1, 1, 1)) }},
		{"openings", func(i uint64) []byte { return wiremake.Frame(producer(i, i, "persistent://a/b/"+fmt.Sprint(i), "")) }},
		{"chunks", func(i uint64) []byte { return sentPart("u", int32(i), frames+1, "").Frame() }},
		{"chunked messages", func(i uint64) []byte { return sentPart(fmt.Sprint(i), 0, 2, "x").Frame() }},
		{"watches", func(i uint64) []byte {
			return wiremake.Frame(&pb.BaseCommand{Type: pb.BaseCommand_SCALABLE_TOPIC_LOOKUP.Enum(),
				ScalableTopicLookup: &pb.CommandScalableTopicLookup{SessionId: &i, Topic: proto.String("t")}})
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("long")
			}
			highest := hear(t, frames, x.frame)
			if highest > 150<<20 {
				t.Errorf("%d MiB in use", highest>>20)
			}
		})
	}
}

// hear lets a session hear so many frames of one side, and gives the most
// memory in use.
func hear(t *testing.T, frames int, frame func(i uint64) []byte) (highest int64) {
	t.Helper()
	c := wiremake.NewTape().Talk(40000)
	n := 0
	source := func(yield func(capture.Packet, error) bool) {
		syn := c.Segment(wiremake.Client, nil)
		syn.Sequence, syn.Flags = syn.Sequence-1, wiremake.SYN
		if !yield(syn.Packet(1, wiremake.Start), nil) {
			return
		}
		for n < frames {
			var b []byte
			for range 50 {
				b = append(b, frame(uint64(n))...)
				n++
			}
			if !yield(c.Segment(wiremake.Client, b).Packet(uint64(n), wiremake.Start+int64(n)*1000), nil) {
				return
			}
			c.Lose(wiremake.Client, len(b))
			if n%(frames/8) == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				highest = max(highest, int64(m.HeapAlloc))
			}
		}
	}
	s := session.New(session.Options{NoSum: true})
	d := decode.New(decode.Limits{}, nil)
	a := reassembly.New(reassembly.Limits{}, segment.NewParser(segment.Limits{}))
	for _, err := range s.Events(d.Events(a.Events(source))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return highest
}
