package diagnose

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/internal/wiremake"
	"pulsar-dissect/proto/pb"
)

// deliverSealed captures a MESSAGE that is encrypted.
func (c *talk) deliverSealed(consumer, entry uint64) {
	f := messageFrame(consumer, entry, 0)
	f.Metadata.EncryptionKeys = []*pb.EncryptionKeys{{Key: proto.String("k"), Value: []byte("wrapped")}}
	f.Metadata.EncryptionParam = []byte("123456789012")
	c.Send(wiremake.Server, f.Frame())
}

func TestUndecryptable(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(c *talk)
		want []string
	}{
		{"discards", func(c *talk) {
			c.ackCommand(&pb.CommandAck{ConsumerId: proto.Uint64(2), AckType: pb.CommandAck_Individual.Enum(), MessageId: []*pb.MessageIdData{id(0)},
				ValidationError: pb.CommandAck_DecryptionError.Enum()})
		}, []string{"warning c | Consumer threw away what it cannot decrypt | ACK of 7:0"}},
		{"gives back", func(c *talk) { c.again(2, 0) }, []string{"warning c | 1 encrypted entries, acknowledged none and gave 1 back"}},
		{"does nothing", func(*talk) {}, []string{"info c | acknowledged none"}},
		{"acknowledges", func(c *talk) { c.ack(2, 0) }, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 100)
		k.deliverSealed(2, 0)
		s.wait(2 * time.Second)
		c.does(k)
		k.closeConsumer(2)
		s.finds(undecryptable, c.want...)
	}
}

// TestPlainIsDecryptable: messages that are not encrypted are nobody's fault.
func TestPlainIsDecryptable(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 100)
	c.deliver(2, 0, 0)
	s.wait(2 * time.Second)
	c.again(2, 0)
	c.closeConsumer(2)
	s.finds(undecryptable)
}
