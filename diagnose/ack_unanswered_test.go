package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestAckUnanswered(t *testing.T) {
	for _, c := range []struct {
		answered, closed bool
		want             []string
	}{
		{false, true, []string{"warning c | ACK with request id 77 was not answered | conn_closed"}},
		{false, false, []string{"info capture_end"}},
		{true, true, nil},
	} {
		s := newScene(t)
		k := consuming(s, shared, 10)
		k.deliver(2, 0, 0)
		k.ackCommand(&pb.CommandAck{ConsumerId: proto.Uint64(2), AckType: pb.CommandAck_Individual.Enum(), MessageId: []*pb.MessageIdData{id(0)}, RequestId: proto.Uint64(77)})
		if c.answered {
			k.broker(&pb.BaseCommand{Type: pb.BaseCommand_ACK_RESPONSE.Enum(), AckResponse: &pb.CommandAckResponse{ConsumerId: proto.Uint64(2), RequestId: proto.Uint64(77)}})
		}
		if c.closed {
			k.Close()
		}
		s.finds(ackUnanswered, c.want...)
	}
}
