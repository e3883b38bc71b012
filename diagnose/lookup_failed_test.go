package diagnose

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"pulsar-dissect/proto/pb"
)

func lookupCommand(request uint64) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_LOOKUP.Enum(), LookupTopic: &pb.CommandLookupTopic{Topic: proto.String(topic), RequestId: proto.Uint64(request)}}
}

func lookupError(request uint64, code pb.ServerError) *pb.BaseCommand {
	return &pb.BaseCommand{Type: pb.BaseCommand_LOOKUP_RESPONSE.Enum(), LookupTopicResponse: &pb.CommandLookupTopicResponse{
		Response: pb.CommandLookupTopicResponse_Failed.Enum(), RequestId: proto.Uint64(request), Error: code.Enum(), Message: proto.String("why")}}
}

func TestLookupFailed(t *testing.T) {
	s := newScene(t)
	c := s.conn(4000)
	for range 2 {
		c.client(lookupCommand(*c.next()))
		c.broker(lookupError(c.request, pb.ServerError_ServiceNotReady))
	}
	s.finds(lookupFailed, `warning 10.0.0.1-10.0.0.2:6650 `+topic+` x2 | LOOKUP refused: ServiceNotReady | ("why")`)

	s = newScene(t)
	s.conn(4000).lookup(topic)
	s.finds(lookupFailed)
}

func TestPartitionsOfAMissingTopic(t *testing.T) {
	for make, want := range map[bool]string{true: "warning PARTITIONED_METADATA refused: TopicNotFound", false: "info asked for a topic that is not there"} {
		s := newScene(t)
		c := s.conn(4000)
		c.client(&pb.BaseCommand{Type: pb.BaseCommand_PARTITIONED_METADATA.Enum(), PartitionMetadata: &pb.CommandPartitionedTopicMetadata{
			Topic: proto.String(topic), RequestId: c.next(), MetadataAutoCreationEnabled: proto.Bool(make)}})
		c.broker(&pb.BaseCommand{Type: pb.BaseCommand_PARTITIONED_METADATA_RESPONSE.Enum(), PartitionMetadataResponse: &pb.CommandPartitionedTopicMetadataResponse{
			RequestId: proto.Uint64(c.request), Response: pb.CommandPartitionedTopicMetadataResponse_Failed.Enum(), Error: pb.ServerError_TopicNotFound.Enum()}})
		s.finds(lookupFailed, want)
	}
}
