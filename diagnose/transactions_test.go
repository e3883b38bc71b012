package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// transaction opens transaction 0:N with a time to live.
func (c *talk) transaction(n uint64, ttl time.Duration) {
	r := c.next()
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_NEW_TXN.Enum(), NewTxn: &pb.CommandNewTxn{RequestId: r, TxnTtlMillis: proto.Uint64(uint64(ttl.Milliseconds()))}})
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_NEW_TXN_RESPONSE.Enum(), NewTxnResponse: &pb.CommandNewTxnResponse{RequestId: r,
		TxnidMostBits: proto.Uint64(0), TxnidLeastBits: proto.Uint64(n)}})
}

// commit asks to commit transaction 0:N; the answer is ok.
func (c *talk) commit(n uint64) {
	r := c.next()
	c.client(&pb.BaseCommand{Type: pb.BaseCommand_END_TXN.Enum(), EndTxn: &pb.CommandEndTxn{RequestId: r, TxnidMostBits: proto.Uint64(0),
		TxnidLeastBits: proto.Uint64(n), TxnAction: pb.TxnAction_COMMIT.Enum()}})
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_END_TXN_RESPONSE.Enum(), EndTxnResponse: &pb.CommandEndTxnResponse{RequestId: r,
		TxnidMostBits: proto.Uint64(0), TxnidLeastBits: proto.Uint64(n)}})
}

// publishIn captures a SEND in transaction 0:N.
func (c *talk) publishIn(n uint64) {
	f := sendFrame(1, 0, "p", "hello")
	f.Metadata.TxnidMostBits, f.Metadata.TxnidLeastBits = proto.Uint64(0), proto.Uint64(n)
	c.Send(wiremake.Client, f.Frame())
}

func TestTxnUnfinished(t *testing.T) {
	for _, c := range []struct {
		ends, closes bool
		want         []string
	}{
		{false, true, []string{"warning transaction 0:4 | not ended when the client closed the connection (FIN)"}},
		{false, false, []string{"info transaction 0:4 | when the capture ends"}},
		{true, true, nil},
	} {
		s := newScene(t)
		k := s.conn(4000)
		k.transaction(4, time.Minute)
		if c.ends {
			k.commit(4)
		}
		if c.closes {
			k.Close()
		}
		s.finds(txnUnfinished, c.want...)
	}
}

// TestTxnTimeout: another connection, that of the coordinator, aborts it.
func TestTxnTimeout(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		ends  bool
		want  []string
	}{
		{10 * time.Second, false, []string{"warning transaction 0:4 | Transaction ran out of time | with 10.0 s to live; ended by the coordinator after 10.0 s"}},
		{time.Second, false, []string{"warning transaction 0:4 | behind the client's back"}},
		{10 * time.Second, true, nil},
	} {
		s := newScene(t)
		k, coordinator := s.conn(4000), s.conn(4001)
		k.transaction(4, 10*time.Second)
		if c.ends {
			k.commit(4)
		}
		s.wait(c.waits)
		coordinator.client(&pb.BaseCommand{Type: pb.BaseCommand_END_TXN_ON_PARTITION.Enum(), EndTxnOnPartition: &pb.CommandEndTxnOnPartition{
			RequestId: proto.Uint64(1), TxnidMostBits: proto.Uint64(0), TxnidLeastBits: proto.Uint64(4), Topic: proto.String(topic), TxnAction: pb.TxnAction_ABORT.Enum()}})
		s.finds(txnTimeout, c.want...)
	}
}

// TestTxnPastItsTime: nobody says so, but its time is up.
func TestTxnPastItsTime(t *testing.T) {
	for ttl, want := range map[time.Duration][]string{4 * time.Second: {"warning transaction 0:4 | 4.0 s to live and not ended in 5.0 s"}, 6 * time.Second: nil} {
		s := newScene(t)
		c := s.conn(4000)
		c.transaction(4, ttl)
		c.beats(5 * time.Second)
		s.finds(txnTimeout, want...)
	}
}

func TestTxnUnknown(t *testing.T) {
	for opened, want := range map[uint64][]string{4: nil, 5: {"warning p | SEND names transaction 0:4, which nobody has opened"}} {
		s := newScene(t)
		c := s.conn(4000)
		c.producer(1, "p")
		c.transaction(opened, time.Minute)
		c.publishIn(4)
		c.Close()
		s.finds(txnUnknown, want...)
	}
}

// TestTxnOpenedBefore: it may have been opened before the capture began.
func TestTxnOpenedBefore(t *testing.T) {
	s := newScene(t)
	old := &talk{Talk: s.tape.Midway(40000), scene: s}
	old.client(ping())
	old.broker(pong())
	c := s.conn(4000)
	c.producer(1, "p")
	c.publishIn(4)
	c.Close()
	s.finds(txnUnknown)
}

func TestTxnRefused(t *testing.T) {
	for code, want := range map[pb.ServerError][2][]string{
		pb.ServerError_TransactionNotFound: {{"warning ADD_PARTITION_TO_TXN was answered by TransactionNotFound"}, nil},
		pb.ServerError_TransactionConflict: {nil, {"warning ADD_PARTITION_TO_TXN was refused"}},
		pb.ServerError_ServiceNotReady:     {},
	} {
		s := newScene(t)
		c := s.conn(4000)
		c.client(&pb.BaseCommand{Type: pb.BaseCommand_ADD_PARTITION_TO_TXN.Enum(), AddPartitionToTxn: &pb.CommandAddPartitionToTxn{RequestId: proto.Uint64(9),
			TxnidMostBits: proto.Uint64(0), TxnidLeastBits: proto.Uint64(4), Partitions: []string{topic}}})
		c.broker(&pb.BaseCommand{Type: pb.BaseCommand_ADD_PARTITION_TO_TXN_RESPONSE.Enum(), AddPartitionToTxnResponse: &pb.CommandAddPartitionToTxnResponse{
			RequestId: proto.Uint64(9), Error: code.Enum()}})
		s.finds(txnUnknown, want[0]...)
		s.finds(txnConflict, want[1]...)
	}
}
