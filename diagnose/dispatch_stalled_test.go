package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

func TestDispatchStalled(t *testing.T) {
	for _, c := range []struct {
		waits time.Duration
		open  bool // a message is not acknowledged
		want  []string
	}{
		{6 * time.Second, false, []string{"warning c | 1 entry waited for | 1 consumer had 99 permits"}},
		{61 * time.Second, false, []string{"error 1 entry waited"}},
		{4 * time.Second, false, nil},
		{6 * time.Second, true, nil}, // unacked-limit
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		k.store(0)
		k.deliver(2, 0, 0)
		if !c.open {
			k.ack(2, 0)
		}
		k.store(1)
		k.beats(c.waits)
		s.finds(dispatchStalled, c.want...)
	}
}

// TestNoDispatchStall: an entry of a transaction, a delayed one and a marker are
// not delivered at once.
func TestNoDispatchStall(t *testing.T) {
	for _, change := range []func(*pb.MessageMetadata){
		func(m *pb.MessageMetadata) { m.DeliverAtTime = proto.Int64(wiremake.Start/1e6 + 3600_000) },
		func(m *pb.MessageMetadata) { m.TxnidMostBits, m.TxnidLeastBits = proto.Uint64(0), proto.Uint64(4) },
		func(m *pb.MessageMetadata) { m.MarkerType = proto.Int32(21) },
	} {
		s := newScene(t)
		c := consuming(s, shared, 100)
		f := sendFrame(1, 0, "p", "later")
		change(f.Metadata)
		c.Send(wiremake.Client, f.Frame())
		c.receipt(1, 0, 0)
		c.beats(10 * time.Second)
		s.finds(dispatchStalled)
	}
}
