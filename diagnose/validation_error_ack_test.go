package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestValidationErrorAck(t *testing.T) {
	for _, c := range []struct {
		reason *pb.CommandAck_ValidationError
		want   []string
	}{
		{pb.CommandAck_ChecksumMismatch.Enum(), []string{"error c | Client threw messages away: ChecksumMismatch | ACK of 7:0"}},
		{pb.CommandAck_DecryptionError.Enum(), nil}, // undecryptable
		{nil, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 10)
		k.deliver(2, 0, 0)
		k.ackCommand(&pb.CommandAck{ConsumerId: proto.Uint64(2), AckType: pb.CommandAck_Individual.Enum(), MessageId: []*pb.MessageIdData{id(0)}, ValidationError: c.reason})
		s.finds(validationErrorAck, c.want...)
	}
}
