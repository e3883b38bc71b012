package session_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
	"pulsar-dissect/session"
)

// Deliveries and their acknowledgements: each rule for its own.
func TestAcks(t *testing.T) {
	for _, x := range []struct {
		name string
		talk func(t *dialogue)
		want []string
	}{
		{"one message", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			t.client(ack(4, individual, id(7, 8)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1"}},
		{"several ids in one ACK", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0), message(4, 7, 9, 3))
			t.client(ack(4, individual, id(7, 9), id(7, 8), id(7, 10)))
		}, []string{"ack ok MESSAGE#2 > ACK#1 c4 7:9 took 3", "ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1", "ack orphan_response > ACK#1 c4 7:10"}},
		{"a batch as a whole, batch_index changes nothing", func(t *dialogue) {
			t.broker(message(4, 7, 8, 3))
			m := id(7, 8)
			m.BatchIndex = proto.Int32(1)
			t.client(ack(4, individual, m))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 3"}},
		{"twice without an index", func(t *dialogue) {
			t.broker(message(4, 784, 28, 3))
			t.client(ack(4, individual, id(784, 28)), ack(4, individual, id(784, 28)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 784:28 took 3", "ack repeat MESSAGE#1 > ACK#2 c4 784:28"}},
		{"by ack_set, bit by bit", func(t *dialogue) {
			t.broker(message(4, 7, 8, 3))
			t.client(ack(4, individual, id(7, 8, 0b110)), ack(4, individual, id(7, 8, 0b110)), ack(4, individual, id(7, 8, 0b011)), ack(4, individual, id(7, 8, 0)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1 left 2", "ack ok MESSAGE#1 > ACK#2 c4 7:8 left 2",
			"ack ok MESSAGE#1 > ACK#3 c4 7:8 took 1 left 1", "ack ok MESSAGE#1 > ACK#4 c4 7:8 took 1"}},
		{"by ack_set, then as a whole", func(t *dialogue) {
			t.broker(message(4, 7, 8, 3))
			t.client(ack(4, individual, id(7, 8, 0b100)), ack(4, individual, id(7, 8)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 2 left 1", "ack ok MESSAGE#1 > ACK#2 c4 7:8 took 1"}},
		{"bits past the batch", func(t *dialogue) {
			t.broker(message(4, 7, 8, 3))
			t.client(ack(4, individual, id(7, 8, ^0b111)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 3"}},
		{"all bits set", func(t *dialogue) {
			t.broker(message(4, 7, 8, 3))
			t.client(ack(4, individual, id(7, 8, -1)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 left 3", "ack unacked MESSAGE#1 c4 7:8 left 3 (capture_end)"}},
		{"a batch of more than a word", func(t *dialogue) {
			t.broker(message(4, 7, 8, 70))
			t.client(ack(4, individual, id(7, 8, -1, 0b111110)), ack(4, individual, id(7, 8, -2)), ack(4, individual, id(7, 8, 0, -1)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1 left 69", "ack ok MESSAGE#1 > ACK#2 c4 7:8 took 6 left 63", "ack ok MESSAGE#1 > ACK#3 c4 7:8 took 63"}},
		{"a delivery that is acknowledged in part", func(t *dialogue) {
			t.broker(message(4, 7, 8, 3, 0b110))
			t.client(ack(4, individual, id(7, 8, 0b100)), ack(4, individual, id(7, 8)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1 left 1", "ack ok MESSAGE#1 > ACK#2 c4 7:8 took 1"}},
		{"never delivered", func(t *dialogue) {
			t.client(ack(4, individual, id(7, 8)))
		}, []string{"ack orphan_response > ACK#1 c4 7:8"}},
		{"of another consumer", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			t.client(ack(5, individual, id(7, 8)))
		}, []string{"ack orphan_response > ACK#1 c5 7:8", "ack unacked MESSAGE#1 c4 7:8 left 1 (capture_end)"}},
		{"cumulative", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0), message(4, 7, 9, 2), message(4, 8, 0, 0), message(4, 8, 1, 0))
			t.client(ack(4, cumulative, id(8, 0)))
		}, []string{"ack ok > ACK#1 c4 8:0 took 4 covers 7:8/1 covers 7:9/2 covers 8:0/1", "ack unacked MESSAGE#4 c4 8:1 left 1 (capture_end)"}},
		{"cumulative, into a batch by ack_set", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0), message(4, 7, 9, 3))
			t.client(ack(4, cumulative, id(7, 9, 0b100)), ack(4, cumulative, id(7, 9)))
		}, []string{"ack ok > ACK#1 c4 7:9 took 3 covers 7:8/1 covers 7:9/2", "ack ok > ACK#2 c4 7:9 took 1 covers 7:9/1"}},
		{"cumulative over nothing", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			t.client(ack(4, cumulative, id(7, 7)))
		}, []string{"ack orphan_response > ACK#1 c4 7:7", "ack unacked MESSAGE#1 c4 7:8 left 1 (capture_end)"}},
		{"one by one after a cumulative one: closed", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			t.client(ack(4, cumulative, id(7, 8)), ack(4, individual, id(7, 8)))
		}, []string{"ack ok > ACK#1 c4 7:8 took 1 covers 7:8/1", "ack orphan_response > ACK#2 c4 7:8"}},
		{"cumulative beyond what was acknowledged one by one", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0), message(4, 7, 9, 0))
			t.client(ack(4, individual, id(7, 8)), ack(4, cumulative, id(7, 9)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1", "ack ok > ACK#2 c4 7:9 took 1 covers 7:9/1"}},
		{"delivered again", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0), message(4, 7, 8, 0))
			t.client(ack(4, individual, id(7, 8)))
		}, []string{"ack redelivered MESSAGE#1 c4 7:8 left 1 (delivered again)", "ack ok MESSAGE#2 > ACK#1 c4 7:8 took 1"}},
		{"delivered again after its acknowledgement", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			t.client(ack(4, individual, id(7, 8)))
			t.broker(message(4, 7, 8, 0))
			t.client(ack(4, individual, id(7, 8)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1", "ack ok MESSAGE#2 > ACK#2 c4 7:8 took 1"}},
		{"not acknowledged", func(t *dialogue) {
			t.broker(message(4, 7, 9, 2), message(4, 7, 8, 0), message(3, 7, 8, 0))
			t.FIN(wiremake.Client)
		}, []string{"ack unacked MESSAGE#3 c3 7:8 left 1 (conn_closed)", "ack unacked MESSAGE#2 c4 7:8 left 1 (conn_closed)",
			"ack unacked MESSAGE#1 c4 7:9 left 2 (conn_closed)"}},
		{"consumer id used anew", func(t *dialogue) {
			t.client(subscribe(4, 1, aTopic, "s"))
			t.broker(message(4, 7, 8, 0))
			t.client(subscribe(4, 2, aTopic, "another"), ack(4, individual, id(7, 8)))
		}, []string{"ack unacked MESSAGE#1 c4 7:8 left 1 (consumer_id_used_anew)", "ack orphan_response > ACK#1 c4 7:8"}},
		{"subscribed again to the same: deliveries stay open", func(t *dialogue) {
			t.client(subscribe(4, 1, aTopic, "s"))
			t.broker(message(4, 7, 8, 0))
			t.client(&pb.BaseCommand{Type: pb.BaseCommand_CLOSE_CONSUMER.Enum(), CloseConsumer: &pb.CommandCloseConsumer{ConsumerId: num(4), RequestId: num(2)}},
				subscribe(4, 3, aTopic, "s"), ack(4, individual, id(7, 8)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1"}},
		{"a topic that is not stored", func(t *dialogue) {
			t.client(subscribe(4, 1, "non-persistent://a/b/c", "s"))
			t.broker(message(4, 0, 0, 0), message(4, 0, 0, 0))
			t.client(ack(4, individual, id(0, 0)))
		}, nil},
		{"validation_error and transaction change nothing", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			a := ack(4, individual, id(7, 8))
			a.Ack.ValidationError, a.Ack.TxnidMostBits, a.Ack.TxnidLeastBits = pb.CommandAck_ChecksumMismatch.Enum(), num(1), num(2)
			t.client(a)
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1"}},
		{"without ids", func(t *dialogue) {
			t.broker(message(4, 7, 8, 0))
			t.client(ack(4, individual))
		}, []string{"ack unacked MESSAGE#1 c4 7:8 left 1 (capture_end)"}},
		{"ids of 64 bits keep their order", func(t *dialogue) {
			t.broker(message(4, 1<<63, 8, 0), message(4, 1<<63-1, 9, 0))
			t.client(ack(4, cumulative, id(1<<63, 8)))
		}, []string{"ack ok > ACK#1 c4 9223372036854775808:8 took 2 covers 9223372036854775807:9/1 covers 9223372036854775808:8/1"}},
		{"a batch of fewer than none", func(t *dialogue) {
			m := message(4, 7, 8, 1)
			m.Metadata.NumMessagesInBatch = proto.Int32(-3)
			t.broker(m)
			t.client(ack(4, individual, id(7, 8, 1)), ack(4, individual, id(7, 8)))
		}, []string{"ack ok MESSAGE#1 > ACK#1 c4 7:8", "ack repeat MESSAGE#1 > ACK#2 c4 7:8"}},
	} {
		c := newTalk()
		x.talk(c)
		said, _ := listen(t, session.Options{}, c.tape)
		holds(t, x.name, only(said, "ack"), x.want)
	}
}

// A MESSAGE that the capture cut is delivered all the same.
func TestAckOfCutMessage(t *testing.T) {
	c := newTalk()
	m := message(4, 7, 8, 5)
	frame := m.Frame()
	c.broker(frame[:len(frame)-3])
	c.Lose(wiremake.Server, 3)
	c.broker(ping())
	c.client(ack(4, individual, id(7, 8)))
	said, _ := listen(t, session.Options{}, c.tape)
	holds(t, "a payload cut", only(said, "ack", "permits"), []string{"permits c4 message 5 = -5 unknown", "ack ok MESSAGE#1 > ACK#1 c4 7:8 took 5"})

	c = newTalk()
	at := len(frame) - len(m.Body) - 4 // in the metadata
	c.broker(frame[:at])
	c.Lose(wiremake.Server, len(frame)-at)
	c.broker(ping())
	c.client(ack(4, individual, id(7, 8)))
	said, _ = listen(t, session.Options{}, c.tape)
	holds(t, "a metadata cut", only(said, "ack", "permits"), []string{"permits c4 message 1 = -1 unknown", "ack ok MESSAGE#1 > ACK#1 c4 7:8 took 1"})
}

// Permits are granted by FLOW and used by the messages of an entry that its
// ack_set does not take as acknowledged.
func TestPermits(t *testing.T) {
	c := newTalk()
	c.client(subscribe(4, 1, aTopic, "s"))
	c.broker(success(1))
	c.client(flow(4, 10))
	c.broker(message(4, 7, 1, 0), message(4, 7, 2, 3, 0b110), message(4, 7, 3, 12), message(4, 7, 4, 2, 0))
	c.client(flow(4, 5), subscribe(4, 2, aTopic, "s"), flow(4, 1), flow(9, 7), flow(4, 1<<32-1))
	said, _ := listen(t, session.Options{}, c.tape)
	holds(t, "permits", only(said, "permits", "message"), []string{
		"permits c4 flow 10 = 10",
		"permits c4 message 1 = 9",
		"message 0 is acknowledged", "permits c4 message 2 = 7",
		"permits c4 message 12 = -5",
		"message 0 is acknowledged", "message 1 is acknowledged", "permits c4 message 0 = -5",
		"permits c4 flow 5 = 0",
		"permits c4 flow 1 = 1",
		"permits c9 flow 7 = 7 unknown",
		"permits c4 flow 4294967295 = 4294967296",
	})
}
