package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func TestEndOfTopic(t *testing.T) {
	s := newScene(t)
	c := consuming(s, shared, 10)
	s.finds(endOfTopic)
	c.broker(&pb.BaseCommand{Type: pb.BaseCommand_REACHED_END_OF_TOPIC.Enum(), ReachedEndOfTopic: &pb.CommandReachedEndOfTopic{ConsumerId: proto.Uint64(2)}})
	s.finds(endOfTopic, "info c | sub | The broker said so at 22:13:20")
}
